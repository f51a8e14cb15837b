/* SPDX-License-Identifier: MIT */
/* The first-order recurrence: a scan of affine maps. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_recurrence(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_scan(call, err);
}
