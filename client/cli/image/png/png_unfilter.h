/* SPDX-License-Identifier: MIT */
/* Undoes the filters of PNG (section 9 of its specification). Called by png_fast_read.c. */
#ifndef GF_CLI_PNG_UNFILTER_H
#define GF_CLI_PNG_UNFILTER_H

#include "protocol/base/base.h"

#define GF_PNG_FILTERS 5u

/* Undoes filter `type` (below GF_PNG_FILTERS) of one row: `size` bytes of pixels of `bpp` bytes (1, 2, 3, 4, 6 or 8),
 * from `row`, with the finished row `above`, into `to`. The three must not overlap. */
void gf_png_unfilter(uint32_t type, uint8_t *to, const uint8_t *row, const uint8_t *above, size_t size, size_t bpp);

#endif
