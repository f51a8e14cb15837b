/* SPDX-License-Identifier: MIT */
/*
 * The ledger of loss: which facts a file has, and the sentence about those that a result does not hold; see image.h and
 * image_meta.h. What each format holds is in the table of image_format.c.
 */
#include <string.h>

#include "image.h"
#include "image_format.h"
#include "protocol/base/text.h"

/* Facts about colours that numbers describe. */
#define NUMBERS (GF_FACT(COLOUR) | GF_FACT(GAMMA) | GF_FACT(LIGHT))

/* In the order of the sentence; the colour space comes last, because its numbers follow. */
static const char *const words[GF_N_FACTS] = {[GF_FACT_GAIN_MAP] = "gain map",
                                              [GF_FACT_AUXILIARY] = "auxiliary pictures (depth, masks)",
                                              [GF_FACT_GAMMA] = "colour space",
                                              [GF_FACT_COLOUR] = "colour space",
                                              [GF_FACT_PROFILE] = "colour profile",
                                              [GF_FACT_EXIF] = "EXIF",
                                              [GF_FACT_XMP] = "XMP",
                                              [GF_FACT_IPTC] = "IPTC",
                                              [GF_FACT_COMMENT] = "comment",
                                              [GF_FACT_TEXT] = "text",
                                              [GF_FACT_RESOLUTION] = "resolution",
                                              [GF_FACT_FRAMES] = "how long frames are shown",
                                              [GF_FACT_LIGHT] = "light levels (mDCV, cLLI)"};

static uint32_t fact_if(bool has, enum gf_fact fact)
{
    return has ? 1u << fact : 0;
}

static uint32_t facts_of(const struct gf_image_meta *meta)
{
    char text[GF_COLOUR_TEXT];
    bool numbers = gf_image_colour(meta, text);
    return fact_if(meta->has_gain_map, GF_FACT_GAIN_MAP) | fact_if(meta->has_auxiliary, GF_FACT_AUXILIARY) |
           fact_if(numbers && meta->cicp[0], GF_FACT_COLOUR) | fact_if(numbers && !meta->cicp[0], GF_FACT_GAMMA) |
           fact_if(meta->light.bytes, GF_FACT_LIGHT) | fact_if(meta->profile, GF_FACT_PROFILE) |
           fact_if(meta->exif, GF_FACT_EXIF) | fact_if(meta->xmp, GF_FACT_XMP) |
           fact_if(meta->iptc.bytes, GF_FACT_IPTC) | fact_if(meta->comment.bytes, GF_FACT_COMMENT) |
           fact_if(meta->text.bytes, GF_FACT_TEXT) |
           fact_if(meta->per_metre_x || meta->per_metre_y, GF_FACT_RESOLUTION);
}

/* Whether a profile says of itself that it is sRGB, which is what samples without a profile are taken for. */
static bool is_srgb_by_name(const struct gf_image_meta *meta)
{
    gf_cleanup(gf_freep) char *name = gf_image_profile_name(meta);
    return name && strstr(name, "sRGB");
}

/* The facts that the result does not hold. */
static uint32_t find_lost(const struct gf_image_meta *meta, const struct gf_format *format, bool is_grey)
{
    uint32_t holds = format->holds ? *format->holds : 0;
    if (meta->profile_is_grey != is_grey || (is_grey && format->is_colour))
        holds &= ~GF_FACT(PROFILE);
    if (meta->profile && format->is_colour) /* one description of colours */
        holds &= ~GF_FACT(COLOUR);
    if (format->max_block > 0 && meta->xmp_size > format->max_block)
        holds &= ~GF_FACT(XMP);
    if (format->max_block > 0 && meta->iptc.size > format->max_block)
        holds &= ~GF_FACT(IPTC);
    return facts_of(meta) & ~holds;
}

const char *gf_image_lost(enum gf_image_format format, const struct gf_view *view, const struct gf_image_save *save,
                          char list[GF_LOST_TEXT])
{
    char colour[GF_COLOUR_TEXT];
    const struct gf_format *f = &gf_formats[format];
    list[0] = '\0';
    if (!save->meta)
        return list;
    const struct gf_image_meta meta = gf_image_meta_without(save->meta, save->drop);
    uint32_t lost = find_lost(&meta, f, view->channels < 3);
    if (meta.delay[1] > 0 && save->pages && save->pages->n > 1 && !(f->holds && (*f->holds & GF_FACT(FRAMES))))
        lost |= GF_FACT(FRAMES);
    /* A format that holds nothing but samples is chosen for them, but what they mean must be said. */
    if (!save->strict)
        lost &= f->holds
                    ? ~GF_FACT(RESOLUTION)
                    : GF_FACT(GAIN_MAP) | GF_FACT(FRAMES) | NUMBERS | (is_srgb_by_name(&meta) ? 0 : GF_FACT(PROFILE));
    for (uint32_t i = 0; i < GF_N_FACTS; i++)
        if ((lost & 1u << i) != 0)
            gf_text_append(list, GF_LOST_TEXT, "%s%s", list[0] ? ", " : "", words[i]);
    if ((lost & (GF_FACT(COLOUR) | GF_FACT(GAMMA))) != 0 && gf_image_colour(&meta, colour))
        gf_text_append(list, GF_LOST_TEXT, " (%s, not sRGB)", colour);
    return list;
}

enum gf_io_status gf_image_loss(const char *path, enum gf_image_format format, const struct gf_view *view,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    char list[GF_LOST_TEXT];
    if (!gf_image_lost(format, view, save, list)[0])
        return GF_IO_OK;
    return gf_io_fail(err, GF_IO_DATA, "%s: not kept as %s: %s", path, gf_formats[format].word, list);
}

/* The words of --keep. */
static const struct {
    const char *word;
    uint32_t facts;
} choices[] = {{"all", ~0u},
               {"none", 0},
               {"icc", GF_FACT(PROFILE)},
               {"colour", NUMBERS},
               {"exif", GF_FACT(EXIF) | GF_FACT(RIGHTS)},
               {"copyright", GF_FACT(RIGHTS)},
               {"xmp", GF_FACT(XMP)},
               {"iptc", GF_FACT(IPTC)},
               {"comment", GF_FACT(COMMENT)},
               {"text", GF_FACT(TEXT)},
               {"resolution", GF_FACT(RESOLUTION)},
               {"geo", GF_FACT(GEO)}};

const uint32_t gf_image_strip = ~(GF_FACT(PROFILE) | NUMBERS);

enum gf_io_status gf_image_keep_parse(const char *list, uint32_t *ret_drop, struct gf_io_error *err)
{
    uint32_t keep = 0;
    for (const char *word = list;; word++) {
        size_t n = strcspn(word, ","), i = 0;
        while (i < GF_ARRAY_LEN(choices) && (strlen(choices[i].word) != n || strncmp(choices[i].word, word, n) != 0))
            i++;
        if (i == GF_ARRAY_LEN(choices))
            return gf_io_fail(err, GF_IO_USAGE, "--keep %s: \"%.*s\"; allowed: all, none, or some of " GF_KEEP_WORDS,
                              list, (int)n, word);
        keep |= choices[i].facts;
        word += n;
        if (*word == '\0')
            break;
    }
    *ret_drop = ~keep;
    return GF_IO_OK;
}
