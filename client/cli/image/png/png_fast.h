/* SPDX-License-Identifier: MIT */
/*
 * PNG at the speed of ISA-L, for the most common kinds of files; image_png.c tries this first and falls back to
 * libspng. Where ISA-L is missing, png_fast_absent.c replaces both files.
 */
#ifndef GF_CLI_PNG_FAST_H
#define GF_CLI_PNG_FAST_H

#include "client/cli/image/image_codec.h"

/* Reads grey, RGB and their kinds with alpha, of 8 and 16 bits, not interlaced, if every chunk and checksum is right.
 * False, and nothing stored: another kind, or damage of any sort, about which libspng has the words. */
bool gf_png_fast_decode(const struct gf_source *src, struct gf_image *ret_image);

/* Writes a tight view of u8 or u16 with the filter "up", in row chunks on that many threads, with 0 on all cores; the
 * bytes do not depend on how many there are. `chunks` (none: NULL, 0) go before the samples. False, and nothing
 * written: there is no ISA-L or no memory for it. Failures of the output itself are kept by the output. */
bool gf_png_fast_encode(struct gf_output_file *out, const struct gf_view *view, const void *data, const uint8_t *chunks,
                        size_t chunks_size, uint32_t threads);

#endif
