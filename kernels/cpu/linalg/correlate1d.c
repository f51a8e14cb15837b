/* SPDX-License-Identifier: MIT */
/* correlate1d on the CPU. Called through its row. */
#include "kernels/cpu/device/cpu_ops.h"

enum gf_status gf_cpu_correlate1d(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_conv1d(call, err);
}
