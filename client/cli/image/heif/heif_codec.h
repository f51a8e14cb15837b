/* SPDX-License-Identifier: MIT */
/* HEIC and AVIF. Without libheif every call returns DATA. Listed in image_format.c. */
#ifndef GF_CLI_HEIF_CODEC_H
#define GF_CLI_HEIF_CODEC_H

#include "client/cli/image/library.h"

gf_decode_fn gf_heif_decode;
gf_ready_fn gf_avif_ready, gf_heic_ready;
gf_encode_fn gf_avif_encode, gf_heic_encode;
extern const struct gf_library_use gf_heif_use;

#endif
