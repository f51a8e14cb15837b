/* SPDX-License-Identifier: MIT */
/* PNG. Listed in image_format.c. */
#ifndef GF_CLI_PNG_CODEC_H
#define GF_CLI_PNG_CODEC_H

#include "client/cli/image/image_codec.h"

gf_decode_fn gf_png_decode;
gf_encode_fn gf_png_encode;

#endif
