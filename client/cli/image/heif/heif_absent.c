/* SPDX-License-Identifier: MIT */
/* Replaces the other files of this folder in builds without libheif. */
#include "heif_codec.h"

const struct gf_library_use gf_heif_use = {.formats = "HEIC and AVIF", .name = "libheif"};

enum gf_io_status gf_heif_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    (void)ret_image;
    return gf_library_absent("libheif", src->name, "HEIC and AVIF", err);
}

enum gf_io_status gf_avif_ready(const char *path, struct gf_io_error *err)
{
    return gf_library_absent("libheif", path, "HEIC and AVIF", err);
}

enum gf_io_status gf_heic_ready(const char *path, struct gf_io_error *err)
{
    return gf_avif_ready(path, err);
}

enum gf_io_status gf_avif_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)out;
    (void)view;
    (void)data;
    (void)save;
    return gf_avif_ready("the result", err);
}

enum gf_io_status gf_heic_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    return gf_avif_encode(out, view, data, save, err);
}
