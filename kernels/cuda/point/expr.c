/* SPDX-License-Identifier: MIT */
/* Expressions on a GPU. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_expr(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_error_set(err, GF_E_UNSUPPORTED, "%s: GPUs do not compute expressions yet", call->step->op->name);
}
