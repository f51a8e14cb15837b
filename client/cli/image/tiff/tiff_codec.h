/* SPDX-License-Identifier: MIT */
/* TIFF of every dtype. Without libtiff every call returns DATA. Listed in image_format.c. */
#ifndef GF_CLI_TIFF_CODEC_H
#define GF_CLI_TIFF_CODEC_H

#include "client/cli/image/library.h"

gf_decode_fn gf_tiff_decode;
gf_ready_fn gf_tiff_ready;
gf_encode_fn gf_tiff_encode;
extern const struct gf_library_use gf_tiff_use;

#endif
