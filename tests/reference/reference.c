/* SPDX-License-Identifier: MIT */
/* Finds the reference of an op: one function gf_reference_<op> per line of ops.def. */
#include "reference.h"

#include "reference_ops.h"

#define GF_OP(op, id, help) [GF_INDEX_##op] = gf_reference_##op,
static gf_reference_fn *const references[GF_N_OPS] = {
#define GF_OUTLINE
#include "protocol/ops/ops.def"
};

enum gf_status gf_reference_run(const struct gf_op *op, const union gf_params *params,
                                const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    return references[op->index](op, params, in, out, err);
}
