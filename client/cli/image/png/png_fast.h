/* SPDX-License-Identifier: MIT */
/*
 * PNG at the speed of ISA-L, for the most common kinds of files. image_png.c tries this first and falls back to
 * libspng. Without ISA-L, png_fast_absent.c replaces both files.
 */
#ifndef GF_CLI_PNG_FAST_H
#define GF_CLI_PNG_FAST_H

#include "client/cli/image/image_codec.h"

/* Reads grey and RGB with and without alpha, of 8 and 16 bits, not interlaced, if all chunks and checksums are right.
 * False, with nothing stored, for other kinds and any damage, which libspng then describes. */
bool gf_png_fast_decode(const struct gf_source *src, struct gf_image *ret_image);

/* Writes a tight view of u8 or u16 with the filter "up", in row chunks on `threads` threads (0: all cores). The bytes
 * do not depend on the number of threads. `chunks` (none: NULL, 0) are written before the samples. False, with nothing
 * written: there is no ISA-L, or no memory. The output remembers its own failures. */
bool gf_png_fast_encode(struct gf_output_file *out, const struct gf_view *view, const void *data, const uint8_t *chunks,
                        size_t chunks_size, uint32_t threads);

#endif
