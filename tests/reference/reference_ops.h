/* SPDX-License-Identifier: MIT */
/* The reference of every op, gf_reference_<op>, in its own file or in a file of similar ops. Called only through
 * gf_reference_run, whose contract applies. */
#ifndef GF_TESTS_REFERENCE_OPS_H
#define GF_TESTS_REFERENCE_OPS_H

#include "reference.h"

typedef enum gf_status gf_reference_fn(const struct gf_op *op, const union gf_params *params,
                                       const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                       struct gf_error *err);

/* The head of its definition. */
#define GF_REFERENCE(name)                                                                                             \
    enum gf_status gf_reference_##name(const struct gf_op *op, const union gf_params *params,                          \
                                       const struct gf_reference_buf *in, struct gf_reference_buf *out,                \
                                       struct gf_error *err)

#define GF_OP(op, id, help) gf_reference_fn gf_reference_##op;
#define GF_OUTLINE
#include "protocol/ops/ops.def"

#endif
