/* SPDX-License-Identifier: MIT */
/*
 * The ledger of loss: which facts a file has, and the sentence about those that a result does not hold; see image.h and
 * image_meta.h. What each format holds is in the table of image_format.c.
 */
#include <string.h>

#include "image.h"
#include "image_format.h"
#include "protocol/base/text.h"

/* In the order of the sentence; the colour space comes last, because its numbers follow. */
static const char *const words[GF_N_FACTS] = {[GF_FACT_GAIN_MAP] = "gain map",
                                              [GF_FACT_COLOUR] = "colour space",
                                              [GF_FACT_PROFILE] = "colour profile",
                                              [GF_FACT_EXIF] = "EXIF",
                                              [GF_FACT_XMP] = "XMP",
                                              [GF_FACT_IPTC] = "IPTC",
                                              [GF_FACT_COMMENT] = "comment",
                                              [GF_FACT_TEXT] = "text",
                                              [GF_FACT_RESOLUTION] = "resolution",
                                              [GF_FACT_LIGHT] = "light levels (mDCV, cLLI)"};

/* The facts that the result does not hold. */
static uint32_t find_lost(const struct gf_image_meta *meta, const struct gf_format *format, bool is_grey)
{
    char text[GF_COLOUR_TEXT];
    uint32_t has = (meta->has_gain_map ? GF_FACT(GAIN_MAP) : 0) | (gf_image_colour(meta, text) ? GF_FACT(COLOUR) : 0) |
                   (meta->profile ? GF_FACT(PROFILE) : 0) | (meta->light.bytes ? GF_FACT(LIGHT) : 0) |
                   (meta->exif ? GF_FACT(EXIF) : 0) | (meta->xmp ? GF_FACT(XMP) : 0) |
                   (meta->iptc.bytes ? GF_FACT(IPTC) : 0) | (meta->comment.bytes ? GF_FACT(COMMENT) : 0) |
                   (meta->text.bytes ? GF_FACT(TEXT) : 0) |
                   (meta->per_metre_x || meta->per_metre_y ? GF_FACT(RESOLUTION) : 0);
    uint32_t holds = format->holds ? *format->holds : 0;
    if (meta->profile_is_grey != is_grey || (is_grey && format->is_colour))
        holds &= ~GF_FACT(PROFILE);
    if (format->max_xmp > 0 && meta->xmp_size > format->max_xmp)
        holds &= ~GF_FACT(XMP);
    return has & ~holds;
}

enum gf_io_status gf_image_loss(const char *path, enum gf_image_format format, const struct gf_view *view,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    char list[256] = "", colour[GF_COLOUR_TEXT];
    const struct gf_format *f = &gf_formats[format];
    if (!save->meta)
        return GF_IO_OK;
    const struct gf_image_meta meta = gf_image_meta_without(save->meta, save->drop);
    uint32_t lost = find_lost(&meta, f, view->channels < 3);
    /* A format that holds nothing but samples is chosen for them, but what they mean must be said. */
    if (!save->strict)
        lost &= f->holds ? ~GF_FACT(RESOLUTION) : GF_FACT(GAIN_MAP) | GF_FACT(COLOUR) | GF_FACT(LIGHT);
    for (uint32_t i = 0; i < GF_N_FACTS; i++)
        if ((lost & 1u << i) != 0)
            gf_text_append(list, sizeof(list), "%s%s", list[0] ? ", " : "", words[i]);
    if ((lost & GF_FACT(COLOUR)) != 0 && gf_image_colour(&meta, colour))
        gf_text_append(list, sizeof(list), " (%s, not sRGB)", colour);
    return lost ? gf_io_fail(err, GF_IO_DATA, "%s: not kept as %s: %s", path, f->word, list) : GF_IO_OK;
}

/* The words of --keep. */
static const struct {
    const char *word;
    uint32_t facts;
} choices[] = {{"all", ~0u},
               {"none", 0},
               {"icc", GF_FACT(PROFILE)},
               {"colour", GF_FACT(COLOUR) | GF_FACT(LIGHT)},
               {"exif", GF_FACT(EXIF) | GF_FACT(RIGHTS)},
               {"copyright", GF_FACT(RIGHTS)},
               {"xmp", GF_FACT(XMP)},
               {"iptc", GF_FACT(IPTC)},
               {"comment", GF_FACT(COMMENT)},
               {"text", GF_FACT(TEXT)},
               {"resolution", GF_FACT(RESOLUTION)}};

const uint32_t gf_image_strip = ~(GF_FACT(PROFILE) | GF_FACT(COLOUR) | GF_FACT(LIGHT));

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
