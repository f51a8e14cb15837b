/* SPDX-License-Identifier: MIT */
/*
 * A prepared convolution or correlation of rows or columns, docs/numerics.md, "convolve1d, correlate1d". Made once per
 * step by kernels/shared/conv1d.c, alike for every backend.
 */
#ifndef GF_KERNELS_CONV1D_H
#define GF_KERNELS_CONV1D_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Result i is the chain over ascending k of element i + k - shift times tap k. */
struct gf_conv1d {
    uint32_t taps;
    bool flip; /* tap k is the kernel's element taps - 1 - k */
    bool cols; /* sequences are columns, otherwise rows */
    int64_t shift;
    bool bounded;    /* positions outside have no taps; otherwise `border` selects their element */
    uint32_t border; /* GF_BORDER_* */
    double value;    /* of a constant border; representable in the dtype */
    bool checked;    /* the step refuses integers whose sums may overflow, and these may */
};

struct gf_conv1d gf_conv1d_init(const struct gf_step *step, const struct gf_view *src, const struct gf_view *kernel);
/* The greatest magnitude of the elements that take part, from the greatest magnitude in src. */
uint64_t gf_conv1d_max_magnitude(const struct gf_conv1d *conv1d, uint64_t magnitude);
/* RESULT_OVERFLOW: `product`, the greatest |element| times the greatest |tap|, times the number of taps exceeds
 * 2^63-1. */
enum gf_status gf_conv1d_overflow(const struct gf_step *step, uint64_t product, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
