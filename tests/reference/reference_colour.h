/* SPDX-License-Identifier: MIT */
/* What the ops that turn channels into others share in the reference, docs/numerics.md, "Colour". */
#ifndef GF_TESTS_REFERENCE_COLOUR_H
#define GF_TESTS_REFERENCE_COLOUR_H

#include "reference.h"

/* The weights of red, green and blue by GF_COLOUR_STANDARD_*. */
const long double *gf_reference_weights(uint32_t standard);

/* YCbCr of a type: Y = luma * y + black and C = chroma * c + grey, of y 0..1 and c -1/2..1/2 on the scale 0..MAX. */
struct gf_reference_video {
    long double luma, chroma;
    float black, grey;
};

struct gf_reference_video gf_reference_video(uint32_t range, uint32_t dtype);

/* The hue of a full turn. */
float gf_reference_turn(uint32_t turn, uint32_t dtype);

/* Copies alpha of a pixel where the result has it: it has so many colours before it. */
void gf_reference_keep_alpha(const struct gf_reference_buf *in, const struct gf_reference_buf *out, uint32_t colours,
                             int64_t y, int64_t x);

/* The chains of ycbcr and of rgb of it, before they are stored. */
void gf_reference_to_ycbcr(uint32_t standard, uint32_t range, uint32_t dtype, const float *rgb, float *ret_ycbcr);
void gf_reference_from_ycbcr(uint32_t standard, uint32_t range, uint32_t dtype, const float *ycbcr, float *ret_rgb);

/* Y of every pixel. */
void gf_reference_luma(uint32_t standard, uint32_t range, const struct gf_reference_buf *in,
                       const struct gf_reference_buf *out);
/* The mean of the four pixels that share chroma (y, x); the last row and column count twice where sides are odd. */
void gf_reference_mean(const struct gf_reference_buf *in, int64_t y, int64_t x, float *ret_rgb);

#endif
