/* SPDX-License-Identifier: MIT */
/* Finds the gold of an op: one function gf_gold_<op> per line of ops.def. */
#include "gold.h"

#include "gold_ops.h"

#define GF_OP(op, id, help) [GF_INDEX_##op] = gf_gold_##op,
#define GF_IN(op, index, name, kind, dtypes, help)
#define GF_OUT(op, index, name, shape, dtype, help)
#define GF_F32(op, id, name, lo, hi, def, help)
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help)
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help)
#define GF_ENUM(op, id, name, ENUM, def, help)
#define GF_END(op)
static gf_gold_fn *const golds[GF_N_OPS] = {
#include "protocol/ops.def"
};
#include "protocol/ops_undef.def"

enum gf_status gf_gold_run(const struct gf_op *op, const union gf_params *params, const struct gf_gold_buf *in,
                           struct gf_gold_buf *out, struct gf_error *err)
{
    return golds[op->index](op, params, in, out, err);
}
