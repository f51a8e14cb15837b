/* SPDX-License-Identifier: MIT */
/* Unsharp masking, a Gaussian blur and what it takes away, on the CPU. Called through the op's row. */
#include "kernels/cpu/device/cpu_ops.h"
#include "linear.h"

enum gf_status gf_cpu_unsharp(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_linear(call, err);
}
