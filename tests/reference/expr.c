/* SPDX-License-Identifier: MIT */
/* expr, docs/numerics.md 26. */
#include "reference_ops.h"

enum gf_status gf_reference_expr(const struct gf_op *op, const union gf_params *params,
                                 const struct gf_reference_buf *in, struct gf_reference_buf *out, struct gf_error *err)
{
    (void)params, (void)in, (void)out;
    return gf_error_set(err, GF_E_UNSUPPORTED, "%s: the reference does not compute expressions yet", op->name);
}
