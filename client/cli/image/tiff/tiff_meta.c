/* SPDX-License-Identifier: MIT */
/* Reads the metadata of a page. Called by tiff_read.c. */
#include <stdlib.h>
#include <string.h>

#include "client/cli/image/image_codec.h"
#include "client/cli/image/image_meta.h"
#include "tiff_calls.h"

#define INCHES_PER_METRE (1 / 0.0254)
/* A rendering intent of ICC.1. */
#define RELATIVE_COLORIMETRIC 1u

static uint32_t resolution(TIFF *tiff, uint32_t tag, uint16_t unit)
{
    float value = 0;
    if (unit == RESUNIT_NONE || !gf_tiff.TIFFGetField(tiff, tag, &value))
        return 0;
    double per_metre = (double)value * (unit == RESUNIT_CENTIMETER ? 100 : INCHES_PER_METRE) + 0.5;
    return per_metre >= 1 && per_metre < INT32_MAX ? (uint32_t)per_metre : 0;
}

/* Whether the description of the page describes several pages. */
static bool describes_several(TIFF *tiff)
{
    const char *text = NULL;
    return gf_tiff.TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) &&
           (strncmp(text, "ImageJ=", 7) == 0 || strncmp(text, "{\"shape\"", 8) == 0 || strstr(text, "<OME"));
}

/* Copies the tags that place the picture on the earth; one of another type is dropped. */
static void read_geo(TIFF *tiff, struct gf_image *image)
{
    gf_cleanup(gf_image_meta_deinit) struct gf_image_meta meta = {.geo = calloc(1, sizeof(*meta.geo))};
    bool found = false;
    for (size_t i = 0; meta.geo && i < GF_GEO_TAGS; i++) {
        const TIFFField *field = gf_tiff.TIFFFindField(tiff, gf_tiff_geo[i].field_tag, gf_tiff_geo[i].field_type);
        uint32_t count = 0;
        void *values = NULL;
        if (!field || !gf_tiff.TIFFFieldPassCount(field) || gf_tiff.TIFFFieldReadCount(field) != TIFF_VARIABLE2 ||
            !gf_tiff.TIFFGetField(tiff, gf_tiff_geo[i].field_tag, &count, &values) || count == 0)
            continue;
        size_t size = (size_t)count * (size_t)gf_tiff.TIFFDataWidth(gf_tiff_geo[i].field_type);
        meta.geo->tags[i].values = malloc(size);
        meta.geo->tags[i].count = count;
        if (meta.geo->tags[i].values)
            memcpy(meta.geo->tags[i].values, values, size);
        found = true;
    }
    if (!found)
        return;
    meta.geo->width = image->view.width;
    meta.geo->height = image->view.height;
    image->meta.geo = gf_steal_ptr(&meta.geo);
}

void gf_tiff_read_meta(TIFF *tiff, const struct gf_source *src, const struct gf_tiff_page *page, struct gf_image *image)
{
    struct gf_image_meta *meta = &image->meta;
    uint16_t unit = RESUNIT_INCH, n_extra = 0, *extra = NULL;
    uint32_t size = 0;
    void *bytes = NULL;
    (void)gf_tiff.TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (unit == RESUNIT_NONE) {
        (void)gf_tiff.TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &meta->without_unit[0]);
        (void)gf_tiff.TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &meta->without_unit[1]);
    }
    meta->per_metre_x = resolution(tiff, TIFFTAG_XRESOLUTION, unit);
    meta->per_metre_y = resolution(tiff, TIFFTAG_YRESOLUTION, unit);
    if (page->photometric == PHOTOMETRIC_CIELAB)
        meta->srgb_intent = 1 + RELATIVE_COLORIMETRIC; /* a profile would be for L*a*b* */
    else if (gf_tiff.TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &bytes) &&
             page->photometric == PHOTOMETRIC_SEPARATED && !image->is_cmyk)
        gf_image_warn(image, GF_CMYK_WARNING, src->name);
    else if (size > 0)
        gf_image_meta_set_profile(meta, bytes, size, image->view.channels <= 2);
    if (gf_tiff.TIFFGetField(tiff, TIFFTAG_XMLPACKET, &size, &bytes))
        gf_image_meta_set_xmp(meta, bytes, size);
    read_geo(tiff, image);
    gf_exif_read_directory(src->data, src->size, gf_tiff.TIFFCurrentDirOffset(tiff),
                           !(page->is_of_several && describes_several(tiff)), meta);
    meta->orientation = page->orientation >= 1 && page->orientation <= 8 ? page->orientation : 0;
    if (!gf_tiff.TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra) || n_extra == 0)
        return;
    image->no_alpha = extra[0] == EXTRASAMPLE_UNSPECIFIED;
    if (extra[0] == EXTRASAMPLE_ASSOCALPHA)
        gf_image_divide_by_alpha(image, src->name);
}
