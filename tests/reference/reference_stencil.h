/* SPDX-License-Identifier: MIT */
/* Built-in masks of 3 x 3, whose zeros are no taps (docs/numerics.md 6). */
#ifndef GF_TESTS_REFERENCE_STENCIL_H
#define GF_TESTS_REFERENCE_STENCIL_H

#include "reference_image.h"

/* A filter by a mask, row by row. Errors as gf_reference_run. */
enum gf_status gf_reference_stencil(const struct gf_op *op, const struct gf_reference_rule *rule, const float mask[9],
                                    const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                    struct gf_error *err);
/* The derivative to the right by a mask, the one to below by its transpose, or their magnitude: GF_GRADIENT_*. */
enum gf_status gf_reference_stencil_gradient(const struct gf_op *op, const struct gf_reference_rule *rule,
                                             const float dx[9], uint32_t output, const struct gf_reference_buf *in,
                                             struct gf_reference_buf *out, struct gf_error *err);

#endif
