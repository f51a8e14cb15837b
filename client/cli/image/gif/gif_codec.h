/* SPDX-License-Identifier: MIT */
/* GIF, read-only. Without giflib every call returns DATA. Listed in image_format.c. */
#ifndef GF_CLI_GIF_CODEC_H
#define GF_CLI_GIF_CODEC_H

#include "client/cli/image/library.h"

gf_decode_fn gf_gif_decode;
extern const struct gf_library_use gf_gif_use;

#endif
