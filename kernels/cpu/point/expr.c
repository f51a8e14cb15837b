/* SPDX-License-Identifier: MIT */
/* Expressions on the CPU. Called through the op's row. */
#include "kernels/cpu/device/cpu_ops.h"

enum gf_status gf_cpu_expr(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_error_set(err, GF_E_UNSUPPORTED, "%s: the CPU does not compute expressions yet", call->step->op->name);
}
