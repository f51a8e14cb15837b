/* SPDX-License-Identifier: MIT */
/*
 * Replaces image_gif.c in builds without giflib: a GIF file is refused with a sentence that names the library. Called
 * by image.c and, for --version, by library.c.
 */
#include "gif_codec.h"

const struct gf_library_use gf_gif_use = {.formats = "GIF", .name = "giflib"};

/* GIF has no encoder, with or without the library. */
enum gf_io_status gf_gif_decode(const struct gf_source *src, struct gf_image *ret_image, struct gf_io_error *err)
{
    (void)ret_image;
    return gf_library_absent("giflib", src->name, "GIF", err);
}
