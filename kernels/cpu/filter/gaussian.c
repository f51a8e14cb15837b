/* SPDX-License-Identifier: MIT */
/* The Gaussian blur: a separable linear filter, on the CPU. Called through the op's row. */
#include "kernels/cpu/device/cpu_ops.h"
#include "linear.h"

enum gf_status gf_cpu_gaussian(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_linear(call, err);
}
