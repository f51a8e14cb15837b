/* SPDX-License-Identifier: MIT */
/* Convolution of rows or columns: the kernels of conv1d.cu. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"

enum gf_status gf_cuda_convolve1d(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_conv1d(call, err);
}
