/* SPDX-License-Identifier: MIT */
/* The Gaussian blur, a separable filter: the kernels of separable.cu. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_gaussian(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_linear_filter(call, err);
}
