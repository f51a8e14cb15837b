/* SPDX-License-Identifier: MIT */
/* The first-order recurrence, on the CPU: a scan of affine maps. Called through the op's row. */
#include "kernels/cpu/device/cpu_ops.h"

enum gf_status gf_cpu_recurrence(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_scan(call, err);
}
