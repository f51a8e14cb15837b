/* SPDX-License-Identifier: MIT */
/* The gold of every op, gf_gold_<op>. One file each; called through gf_gold_run only, whose contract they have. */
#ifndef GF_TESTS_GOLD_OPS_H
#define GF_TESTS_GOLD_OPS_H

#include "gold.h"

typedef enum gf_status gf_gold_fn(const struct gf_op *op, const union gf_params *params, const struct gf_gold_buf *in,
                                  struct gf_gold_buf *out, struct gf_error *err);

#define GF_OP(op, id, help) gf_gold_fn gf_gold_##op;
#define GF_IN(op, index, name, kind, dtypes, help)
#define GF_OUT(op, index, name, shape, dtype, help)
#define GF_F32(op, id, name, lo, hi, def, help)
#define GF_F32V(op, id, name, max, lo, hi, n_def, def, help)
#define GF_U32V(op, id, name, max, lo, hi, n_def, def, help)
#define GF_ENUM(op, id, name, ENUM, def, help)
#define GF_END(op)
#include "protocol/ops.def"
#include "protocol/ops_undef.def"

#endif
