/* SPDX-License-Identifier: MIT */
/* JPEG through libjpeg-turbo, or through stb without it. Listed in image_format.c. */
#ifndef GF_CLI_JPEG_CODEC_H
#define GF_CLI_JPEG_CODEC_H

#include "client/cli/image/image_codec.h"

gf_decode_fn gf_jpeg_decode;
gf_encode_fn gf_jpeg_encode;
/* Whether the encoder stores metadata. */
extern const bool gf_jpeg_has_meta;

#endif
