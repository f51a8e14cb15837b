/* SPDX-License-Identifier: MIT */
/*
 * WebP, written lossless unless save->quality is set. Without libwebp every call returns DATA. Listed in
 * image_format.c.
 */
#ifndef GF_CLI_WEBP_CODEC_H
#define GF_CLI_WEBP_CODEC_H

#include "client/cli/image/library.h"

gf_decode_fn gf_webp_decode;
gf_ready_fn gf_webp_ready;
gf_encode_fn gf_webp_encode;
extern const struct gf_library_use gf_webp_use;

#endif
