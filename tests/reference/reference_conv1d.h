/* SPDX-License-Identifier: MIT */
/* Chains along rows or columns, docs/numerics.md 10, for the reference of convolve1d and correlate1d. */
#ifndef GF_TESTS_REFERENCE_CONV1D_H
#define GF_TESTS_REFERENCE_CONV1D_H

#include "reference.h"

/* What the parameters say. `shift` is where tap 0 stands: that far before the result's own element. */
struct gf_reference_conv1d {
    uint32_t axis, border;
    bool flip;    /* the kernel is read backwards */
    bool bounded; /* elements outside are no taps */
    bool refuses; /* integers whose sums may not fit */
    int64_t shift;
    double outside;
};

/* Every result. RESULT_OVERFLOW. */
enum gf_status gf_reference_conv1d(const struct gf_op *op, const struct gf_reference_conv1d *lines,
                                   const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                   struct gf_error *err);

#endif
