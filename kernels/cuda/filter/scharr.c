/* SPDX-License-Identifier: MIT */
/* The gradient by the Scharr masks: the kernels of stencil.cu. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_scharr(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_linear_filter(call, err);
}
