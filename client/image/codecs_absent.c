/* SPDX-License-Identifier: MIT */
/*
 * Stand-ins for the codecs whose library this build does not include (CMakeLists.txt): a file is refused with a
 * sentence that names the library. Called by image.c and, for --version, by image_format.c.
 */
#include "library.h"

#define ABSENT_DECODER(codec, library_name, format_names)                                                              \
    const struct gf_library_use gf_##codec##_use = {.formats = (format_names), .name = (library_name)};                \
    enum gf_io_status gf_##codec##_decode(const struct gf_source *src, struct gf_image *ret_image,                     \
                                          struct gf_io_error *err)                                                     \
    {                                                                                                                  \
        (void)ret_image;                                                                                               \
        return gf_library_absent(&gf_##codec##_use, src->name, err);                                                   \
    }

#define ABSENT_ENCODER(codec, format)                                                                                  \
    enum gf_io_status gf_##format##_ready(const char *path, struct gf_io_error *err)                                   \
    {                                                                                                                  \
        return gf_library_absent(&gf_##codec##_use, path, err);                                                        \
    }                                                                                                                  \
    enum gf_io_status gf_##format##_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,   \
                                           const struct gf_image_save *save, struct gf_io_error *err)                  \
    {                                                                                                                  \
        (void)out, (void)view, (void)data, (void)save;                                                                 \
        return gf_##format##_ready("the result", err);                                                                 \
    }

#define ABSENT_PAGES(format)                                                                                           \
    enum gf_io_status gf_##format##_encode_page(struct gf_image_pages *pages, const struct gf_view *view,              \
                                                const void *data, const struct gf_image_save *save,                    \
                                                struct gf_io_error *err)                                               \
    {                                                                                                                  \
        (void)pages, (void)view, (void)data, (void)save;                                                               \
        return gf_##format##_ready("the result", err);                                                                 \
    }

#ifdef GF_WITHOUT_LCMS2
const struct gf_library_use gf_colour_use = {.formats = "--srgb", .name = "lcms2", .instead = "leave --srgb out"};
enum gf_io_status gf_image_to_srgb(struct gf_image *image, const struct gf_source *src, struct gf_io_error *err)
{
    (void)image;
    return gf_library_absent(&gf_colour_use, src->name, err);
}
#endif
#ifdef GF_WITHOUT_TIFF
ABSENT_DECODER(tiff, "libtiff", "TIFF")
ABSENT_ENCODER(tiff, tiff)
ABSENT_PAGES(tiff)
enum gf_io_status gf_tiff_can_compress(const char *path, enum gf_compression compression, struct gf_io_error *err)
{
    (void)compression;
    return gf_tiff_ready(path, err);
}
#endif
#ifdef GF_WITHOUT_WEBP
ABSENT_DECODER(webp, "libwebp", "WebP")
ABSENT_ENCODER(webp, webp)
ABSENT_PAGES(webp)
#endif
#ifdef GF_WITHOUT_HEIF
ABSENT_DECODER(heif, "libheif", "HEIC and AVIF")
ABSENT_ENCODER(heif, avif)
ABSENT_ENCODER(heif, heic)
#endif
#ifdef GF_WITHOUT_GIF
ABSENT_DECODER(gif, "giflib", "GIF")
ABSENT_ENCODER(gif, gif)
ABSENT_PAGES(gif)
#endif
