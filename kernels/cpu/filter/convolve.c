/* SPDX-License-Identifier: MIT */
/* Convolution with a mask, which filter.c has flipped, on the CPU. Called through the op's row. */
#include "kernels/cpu/device/cpu_ops.h"
#include "linear.h"

enum gf_status gf_cpu_convolve(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_linear(call, err);
}
