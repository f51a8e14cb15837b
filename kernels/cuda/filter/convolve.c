/* SPDX-License-Identifier: MIT */
/* Convolution with a mask, which the filter turns round: the kernels of mask.cu. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_convolve(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_linear_filter(call, err);
}
