/* SPDX-License-Identifier: MIT */
/* Finds the gold of an op: one function gf_gold_<op> per line of ops.def. */
#include "gold.h"

#include "gold_ops.h"

#define GF_OP(op, id, help) [GF_INDEX_##op] = gf_gold_##op,
static gf_gold_fn *const golds[GF_N_OPS] = {
#include "protocol/ops/ops.def"
};

enum gf_status gf_gold_run(const struct gf_op *op, const union gf_params *params, const struct gf_gold_buf *in,
                           struct gf_gold_buf *out, struct gf_error *err)
{
    return golds[op->index](op, params, in, out, err);
}
