/* SPDX-License-Identifier: MIT */
/* Axes of drawings: round numbers and their labels. Used by plot.c. */
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

/* The position of a value between lo and hi, from 0 to 1. */
double gf_axis_share(const struct gf_axis *axis, double value);
/* An axis from lo to hi, which may be equal, with at most `n` ticks at multiples of 1, 2 or 5 times a power of ten. */
void gf_axis_init(struct gf_axis *axis, double lo, double hi, uint32_t n);
/* An axis from lo to hi with ticks only at both ends, whatever their values. */
void gf_axis_init_ends(struct gf_axis *axis, double lo, double hi);
/* An axis from 0 to a multiple of the step that is at least max. If `whole`, steps are whole numbers and large labels
 * end in k, M, G or T. */
void gf_axis_init_from_zero(struct gf_axis *axis, double max, uint32_t n, bool whole);
/* The number of characters of the longest label. */
uint32_t gf_axis_text_length(const struct gf_axis *axis);

#endif
