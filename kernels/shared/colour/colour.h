/* SPDX-License-Identifier: MIT */
/*
 * The ops that turn the channels of a pixel into others (gray, matrix, ycbcr, hsv, rgb, flatten, merge, normalize)
 * after their parameters have been worked out, on the host and alike for both backends. numerics.md, "Colour", has the
 * formulas.
 */
#ifndef GF_KERNELS_COLOUR_H
#define GF_KERNELS_COLOUR_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is done to a pixel x of `channels` samples, all inputs together. */
enum gf_colour_kind {
    GF_COLOUR_PASS = 1, /* samples stay as they are */
    GF_COLOUR_LUMA,     /* of u8 and u16: sample 0 by whole weights */
    GF_COLOUR_OVER,     /* of u8 and u16: samples before alpha over a background, in whole numbers */
    GF_COLOUR_OVER_F32, /* the same of f32 */
    GF_COLOUR_LINEAR,   /* samples by the matrix */
    GF_COLOUR_SCALE,    /* ((x / unit) - mean) / std for each sample */
    GF_COLOUR_TO_HSV,   /* the first three samples */
    GF_COLOUR_FROM_HSV,
};

#define GF_COLOUR_FULL GF_MAX_CHANNELS

struct gf_colour {
    uint32_t kind;     /* enum gf_colour_kind */
    uint32_t channels; /* of a pixel that is read */
    uint32_t colours;  /* samples that are made from it */
    uint32_t made;     /* and those of the result: one more where alpha, the last that is read, is copied behind them */
    uint32_t from, to; /* dtypes */
    uint32_t pick[GF_MAX_CHANNELS];   /* PASS: which sample each colour is; GF_COLOUR_FULL: the greatest there is */
    uint32_t weights[3];              /* LUMA: parts of 65536 */
    uint32_t behind[GF_MAX_CHANNELS]; /* OVER: the background */
    /* LINEAR: v = after[r], then for c descending, where matrix[r][c] is not 0, v = fmaf(matrix[r][c], x - before[c],
     * v). OVER_F32 has its background in `after`; SCALE has the mean in `before`, std in `after`. */
    float matrix[GF_MAX_CHANNELS][GF_MAX_CHANNELS], before[GF_MAX_CHANNELS], after[GF_MAX_CHANNELS];
    float unit;        /* SCALE: what samples are divided by; PASS and HSV: the greatest sample, a saturation of 1 */
    float turn, sixth; /* HSV: the hue of a full turn, and a sixth of it */
};

/* Works out a step; `coefs` is the second input of matrix, else NULL. BAD_PARAM for a matrix that is not finite. */
enum gf_status gf_colour_init(struct gf_colour *colour, const struct gf_step *step, const struct gf_view *src,
                              const struct gf_buf *coefs, struct gf_error *err);

/* The matrices of a step of nv12 or i420, k[0] of luma and k[1] of chroma, or k[0] of one of rgb420. */
void gf_yuv420_init(const struct gf_step *step, uint32_t dtype, struct gf_colour k[2]);

#ifdef __cplusplus
}
#endif
#endif
