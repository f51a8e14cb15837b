/* SPDX-License-Identifier: MIT */
/* The sum of the second differences: the kernels of stencil.cu. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_laplacian(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_linear_filter(call, err);
}
