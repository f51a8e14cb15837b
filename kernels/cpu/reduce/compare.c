/* SPDX-License-Identifier: MIT */
/* How far the channels of two buffers differ, on the CPU. Called through the op's row. */
#include "reduction.h"

enum gf_status gf_cpu_compare(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_reduce_step(call, err);
}
