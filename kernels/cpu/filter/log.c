/* SPDX-License-Identifier: MIT */
/* The Laplacian of a Gaussian, the sum of two separable filters, on the CPU. Called through the op's row. */
#include "kernels/cpu/device/cpu_ops.h"
#include "linear.h"

enum gf_status gf_cpu_log(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_linear(call, err);
}
