/* SPDX-License-Identifier: MIT */
/*
 * The ledger of loss: which facts a file has, and the sentence about those that a result does not hold; see image.h and
 * image_meta.h. What each format holds is in the table of image_format.c.
 */
#include "image.h"
#include "image_format.h"
#include "protocol/base/text.h"

/* In the order of the sentence; the colour space comes last, because its numbers follow. */
static const char *const words[GF_N_FACTS] = {[GF_FACT_COLOUR] = "colour space",
                                              [GF_FACT_PROFILE] = "colour profile",
                                              [GF_FACT_EXIF] = "EXIF",
                                              [GF_FACT_XMP] = "XMP",
                                              [GF_FACT_RESOLUTION] = "resolution"};

/* The facts that the result does not hold. */
static uint32_t find_lost(const struct gf_image_meta *meta, const struct gf_format *format, bool is_grey)
{
    char text[GF_COLOUR_TEXT];
    uint32_t has = (gf_image_colour(meta, text) ? GF_FACT(COLOUR) : 0) | (meta->profile ? GF_FACT(PROFILE) : 0) |
                   (meta->exif ? GF_FACT(EXIF) : 0) | (meta->xmp ? GF_FACT(XMP) : 0) |
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
    uint32_t lost = save->meta ? find_lost(save->meta, f, view->channels < 3) : 0;
    /* A format that holds nothing but samples is chosen for them, but what they mean must be said. */
    lost &= f->holds ? ~GF_FACT(RESOLUTION) : GF_FACT(COLOUR);
    for (uint32_t i = 0; i < GF_N_FACTS; i++)
        if ((lost & 1u << i) != 0)
            gf_text_append(list, sizeof(list), "%s%s", list[0] ? ", " : "", words[i]);
    if ((lost & GF_FACT(COLOUR)) != 0 && gf_image_colour(save->meta, colour))
        gf_text_append(list, sizeof(list), " (%s, not sRGB)", colour);
    return lost ? gf_io_fail(err, GF_IO_DATA, "%s: %s: not kept: %s", path, f->word, list) : GF_IO_OK;
}
