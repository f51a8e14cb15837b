/* SPDX-License-Identifier: MIT */
/* Dot products of channels, rows or columns, on the CPU. Called through the op's row. */
#include "reduction.h"

enum gf_status gf_cpu_dot(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_reduce_step(call, err);
}
