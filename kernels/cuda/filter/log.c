/* SPDX-License-Identifier: MIT */
/* The Laplacian of a Gaussian, the sum of two separable filters: the kernels of separable.cu. Called through the op's
 * row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_log(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_linear_filter(call, err);
}
