/* SPDX-License-Identifier: MIT */
/* Unsharp masking, a Gaussian blur and what it takes away: the kernels of separable.cu. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_unsharp(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_linear_filter(call, err);
}
