/* SPDX-License-Identifier: MIT */
/*
 * The reference that every backend must equal bit for bit: docs/numerics.md in plain loops. Slow and obviously right;
 * shares no code with kernels/. Called by the conformance runner.
 */
#ifndef GF_TESTS_REFERENCE_H
#define GF_TESTS_REFERENCE_H

#include "protocol/base/view.h"
#include "protocol/ops/op_table.h"

struct gf_reference_buf {
    void *data;
    struct gf_view view;
};

/* Computes one op into `out`, whose views have the shapes gf_op_infer gives and any pitch. Parameters and views have
 * passed gf_op_infer. BAD_PARAM for data that is refused (a mask that is not finite, a sum of zero to divide by, a
 * border that linear light cannot decode), NO_MEMORY. Not thread-safe. */
enum gf_status gf_reference_run(const struct gf_op *op, const union gf_params *params,
                                const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err);

#endif
