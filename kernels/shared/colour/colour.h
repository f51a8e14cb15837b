/* SPDX-License-Identifier: MIT */
/*
 * The ops that convert the channels of a pixel (gray, matrix, ycbcr, hsv, rgb, flatten, merge, normalize), prepared on
 * the host, alike for both backends. numerics.md, "Colour", has the formulas.
 */
#ifndef GF_KERNELS_COLOUR_H
#define GF_KERNELS_COLOUR_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The computation on a pixel x of `channels` samples, of all inputs together. */
enum gf_colour_kind {
    GF_COLOUR_PASS = 1, /* samples are copied */
    GF_COLOUR_LUMA,     /* u8 and u16: sample 0 from integer weights */
    GF_COLOUR_OVER,     /* u8 and u16: colours with alpha over a background, in integers */
    GF_COLOUR_OVER_F32, /* the same for f32 */
    GF_COLOUR_LINEAR,   /* samples through the matrix */
    GF_COLOUR_SCALE,    /* ((x / unit) - mean) / std for each sample */
    GF_COLOUR_TO_HSV,   /* the first three samples */
    GF_COLOUR_FROM_HSV,
};

#define GF_COLOUR_FULL GF_MAX_CHANNELS

struct gf_colour {
    uint32_t kind;     /* enum gf_colour_kind */
    uint32_t channels; /* of a source pixel */
    uint32_t colours;  /* computed samples */
    uint32_t made;     /* samples of the result: one more than `colours` if alpha, the last source sample, is copied
                        * after them */
    uint32_t from, to; /* dtypes */
    uint32_t pick[GF_MAX_CHANNELS];   /* PASS: source sample; GF_COLOUR_FULL: the type's greatest sample */
    uint32_t weights[3];              /* LUMA: parts of 65536 */
    uint32_t behind[GF_MAX_CHANNELS]; /* OVER: the background */
    /* LINEAR: v = after[r], then for c descending, wherever matrix[r][c] is not 0, v = fmaf(matrix[r][c], x -
     * before[c], v). OVER_F32 has its background in `after`; SCALE has the mean in `before`, std in `after`. */
    float matrix[GF_MAX_CHANNELS][GF_MAX_CHANNELS], before[GF_MAX_CHANNELS], after[GF_MAX_CHANNELS];
    float unit;        /* SCALE: divisor of samples; PASS and HSV: the greatest sample, a saturation of 1 */
    float turn, sixth; /* HSV: the hue of a full turn, and a sixth of it */
};

/* Prepares a step. `coefs` is the second input of matrix, otherwise NULL. BAD_PARAM: the matrix is not finite. */
enum gf_status gf_colour_init(struct gf_colour *colour, const struct gf_step *step, const struct gf_view *src,
                              const struct gf_buf *coefs, struct gf_error *err);

/* Makes the matrices of a step: for nv12 and i420 k[0] is luma and k[1] chroma; for rgb420 only k[0] is used. */
void gf_yuv420_init(const struct gf_step *step, uint32_t dtype, struct gf_colour k[2]);

#ifdef __cplusplus
}
#endif
#endif
