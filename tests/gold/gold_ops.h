/* SPDX-License-Identifier: MIT */
/* The gold of every op, gf_gold_<op>. One file each; called through gf_gold_run only, whose contract they have. */
#ifndef GF_TESTS_GOLD_OPS_H
#define GF_TESTS_GOLD_OPS_H

#include "gold.h"

typedef enum gf_status gf_gold_fn(const struct gf_op *op, const union gf_params *params, const struct gf_gold_buf *in,
                                  struct gf_gold_buf *out, struct gf_error *err);

#define GF_OP(op, id, help) gf_gold_fn gf_gold_##op;
#include "protocol/ops/ops.def"

#endif
