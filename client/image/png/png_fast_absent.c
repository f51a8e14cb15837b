/* SPDX-License-Identifier: MIT */
/* Replaces png_fast_read.c and png_fast_write.c in builds without ISA-L: libspng handles all files. */
#include "png_codec.h"

bool gf_png_fast_decode(const struct gf_source *src, struct gf_image *ret_image)
{
    (void)src;
    (void)ret_image;
    return false;
}

bool gf_png_fast_encode(struct gf_output_file *out, const struct gf_view *view, const void *data, const uint8_t *chunks,
                        size_t chunks_size, uint32_t threads)
{
    (void)out;
    (void)view;
    (void)data;
    (void)chunks;
    (void)chunks_size;
    (void)threads;
    return false;
}
