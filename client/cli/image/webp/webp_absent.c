/* SPDX-License-Identifier: MIT */
/* Replaces the other files of this folder in builds without libwebp. */
#include "webp_codec.h"

const struct gf_library_use gf_webp_use = {.formats = "WebP", .name = "libwebp"};

enum gf_io_status gf_webp_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    (void)ret_image;
    return gf_library_absent("libwebp", src->name, "WebP", err);
}

enum gf_io_status gf_webp_ready(const char *path, struct gf_io_error *err)
{
    return gf_library_absent("libwebp", path, "WebP", err);
}

enum gf_io_status gf_webp_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                 const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)out;
    (void)view;
    (void)data;
    (void)save;
    return gf_webp_ready("the result", err);
}
