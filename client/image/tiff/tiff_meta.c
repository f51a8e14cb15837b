/* SPDX-License-Identifier: MIT */
/* Reads the metadata of a page. Called by tiff_read.c. */
#include <stdlib.h>
#include <string.h>

#include "client/image/image_codec.h"
#include "client/image/image_meta.h"
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

/* Whether the description tells sizes, axes or other files, which a result need not have: that of ImageJ, of OME or of
 * tifffile. The first two tell more, such as the size of a pixel, so a warning names them. */
static bool describes_file(TIFF *tiff, const struct gf_source *src, struct gf_image *image)
{
    const char *text = NULL;
    if (!gf_tiff.TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text))
        return false;
    const char *writer = strncmp(text, "ImageJ=", 7) == 0 ? "ImageJ" : strstr(text, "<OME") ? "OME" : NULL;
    if (writer)
        gf_image_warn(image, "%s: the description by %s (axes, units, files) is left out", src->name, writer);
    return writer || strncmp(text, "{\"shape\"", 8) == 0;
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
        size_t size = (size_t)count * gf_geo_sizes[i];
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

/* Whether the last of 2 or 4 channels is alpha. Files without the tag ExtraSamples mean it. */
static bool has_alpha(const struct gf_tiff_page *page, uint32_t channels, uint16_t n_extra, const uint16_t *extra)
{
    const uint32_t last = page->bands[channels - 1], colours = page->samples - n_extra;
    if (n_extra == 0 || n_extra > page->samples)
        return page->samples == channels && last + 1 == page->samples;
    return last >= colours && extra[last - colours] != EXTRASAMPLE_UNSPECIFIED;
}

/* Whether the channels that are read are the colours that the profile describes. */
static bool fits_profile(const struct gf_tiff_page *page, uint32_t channels)
{
    const uint32_t colours = page->photometric == PHOTOMETRIC_RGB ? 3 : 1;
    bool fits = colours == (channels < 3 ? 1 : 3);
    for (uint32_t k = 0; k < colours && fits; k++)
        fits = page->bands[k] == k;
    return fits;
}

/* Names how the samples are stored. */
static void read_coding(TIFF *tiff, const struct gf_tiff_page *page, struct gf_image_coding *coding)
{
    static const struct {
        uint16_t code;
        const char *name;
    } names[] = {{COMPRESSION_NONE, "none"},
                 {COMPRESSION_CCITTRLE, "CCITT RLE"},
                 {COMPRESSION_CCITTFAX3, "CCITT G3"},
                 {COMPRESSION_CCITTFAX4, "CCITT G4"},
                 {COMPRESSION_LZW, "LZW"},
                 {COMPRESSION_OJPEG, "JPEG of the old style"},
                 {COMPRESSION_JPEG, "JPEG"},
                 {COMPRESSION_PACKBITS, "PackBits"},
                 {COMPRESSION_DEFLATE, "deflate"},
                 {COMPRESSION_ADOBE_DEFLATE, "deflate"},
                 {COMPRESSION_LZMA, "LZMA"},
                 {COMPRESSION_ZSTD, "Zstandard"},
                 {COMPRESSION_WEBP, "WebP"},
                 {COMPRESSION_LERC, "LERC"},
                 {COMPRESSION_JXL, "JPEG XL"},
                 {COMPRESSION_JP2000, "JPEG 2000"}};
    uint16_t code = COMPRESSION_NONE, bits = 0, x = 0, y = 0;
    (void)gf_tiff.TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &code);
    (void)gf_tiff.TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    coding->bits = bits;
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++)
        if (names[i].code == code)
            coding->compression = names[i].name;
    if (page->photometric == PHOTOMETRIC_YCBCR && gf_tiff.TIFFGetFieldDefaulted(tiff, TIFFTAG_YCBCRSUBSAMPLING, &x, &y))
        gf_image_name_sampling(coding, x, y);
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
    else if (size > 0 && src->how.n_bands > 0 && !fits_profile(page, image->view.channels))
        gf_image_warn(image, "%s: its colour profile is for other bands and is left out", src->name);
    else if (size > 0)
        gf_image_meta_set_profile(meta, bytes, size, image->view.channels <= 2);
    if (gf_tiff.TIFFGetField(tiff, TIFFTAG_XMLPACKET, &size, &bytes))
        gf_image_meta_set_xmp(meta, bytes, size);
    read_geo(tiff, image);
    gf_exif_read_directory(src->data, src->size, gf_tiff.TIFFCurrentDirOffset(tiff), !describes_file(tiff, src, image),
                           meta);
    meta->orientation = page->orientation >= 1 && page->orientation <= 8 ? page->orientation : 0;
    read_coding(tiff, page, &image->coding);
    if (image->view.channels % 2 != 0 || image->is_cmyk)
        return;
    (void)gf_tiff.TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra);
    image->no_alpha = !has_alpha(page, image->view.channels, n_extra, extra);
    if (!image->no_alpha && n_extra > 0 &&
        extra[page->bands[image->view.channels - 1] - (page->samples - n_extra)] == EXTRASAMPLE_ASSOCALPHA)
        gf_image_divide_by_alpha(image, src->name);
}
