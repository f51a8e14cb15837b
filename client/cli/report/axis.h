/* SPDX-License-Identifier: MIT */
/* Axes of drawings: round numbers and their texts. Used by plot.c. */
#ifndef GF_CLI_AXIS_H
#define GF_CLI_AXIS_H

#include <stdint.h>

#include "protocol/base/text.h"

#define GF_AXIS_TICKS 16

struct gf_axis {
    double lo, hi;
    double ticks[GF_AXIS_TICKS];
    char texts[GF_AXIS_TICKS][GF_NUMBER_TEXT];
    uint32_t n;
};

/* Where a value stands between lo and hi, from 0 to 1. */
double gf_axis_share(const struct gf_axis *axis, double value);
/* From lo to hi, which may be equal, at most `n` ticks at multiples of 1, 2 or 5 times a power of ten. */
void gf_axis_init(struct gf_axis *axis, double lo, double hi, uint32_t n);
/* The same with ticks at lo and hi alone, whatever numbers these are. */
void gf_axis_init_ends(struct gf_axis *axis, double lo, double hi);
/* From 0 to a multiple that is not below max; of whole numbers steps are whole too, and large ones end in k, M, G, T.
 */
void gf_axis_init_from_zero(struct gf_axis *axis, double max, uint32_t n, bool whole);
/* Characters of the longest text. */
uint32_t gf_axis_text_length(const struct gf_axis *axis);

#endif
