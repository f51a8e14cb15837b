/* SPDX-License-Identifier: MIT */
/* Formats read by stb_image and written by stb_image_write. Listed in image_format.c; called by jpeg/jpeg_stb.c. */
#ifndef GF_CLI_STB_CODEC_H
#define GF_CLI_STB_CODEC_H

#include "client/cli/image/image_codec.h"

gf_decode_fn gf_hdr_decode;
gf_encode_fn gf_hdr_encode, gf_bmp_encode, gf_tga_encode;
/* DATA if a sample is negative, infinite or NaN, which HDR cannot store. */
enum gf_io_status gf_hdr_check(const struct gf_view *view, const void *data, const char *path, struct gf_io_error *err);

/* For builds without libjpeg-turbo. */
gf_decode_fn gf_stb_jpeg_decode;
gf_encode_fn gf_stb_jpeg_encode;

#endif
