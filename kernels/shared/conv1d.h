/* SPDX-License-Identifier: MIT */
/*
 * A convolution or correlation of rows or columns after its parameters have been worked out, docs/numerics.md,
 * "convolve1d, correlate1d": made once per step by kernels/shared/conv1d.c, alike for every backend.
 */
#ifndef GF_KERNELS_CONV1D_H
#define GF_KERNELS_CONV1D_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Result i is the chain over k ascending of element i + k - shift times tap k. */
struct gf_conv1d {
    uint32_t taps;
    bool flip; /* tap k is the kernel's element taps - 1 - k */
    bool cols; /* sequences are columns, else rows */
    int64_t shift;
    bool bounded;    /* positions outside are no taps; else `border` says which element stands there */
    uint32_t border; /* GF_BORDER_* */
    double value;    /* of a constant border; the dtype holds it */
    bool checked;    /* the step refuses integers whose sums may not fit, and these may not */
};

struct gf_conv1d gf_conv1d_init(const struct gf_step *step, const struct gf_view *src, const struct gf_view *kernel);
/* The greatest magnitude of an element that takes part, given that of src. */
uint64_t gf_conv1d_max_magnitude(const struct gf_conv1d *conv1d, uint64_t magnitude);
/* RESULT_OVERFLOW: the greatest |element| times the greatest |tap| is `product`, and that times the number of taps is
 * above 2^63-1. */
enum gf_status gf_conv1d_overflow(const struct gf_step *step, uint64_t product, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
