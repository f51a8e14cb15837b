/* SPDX-License-Identifier: MIT */
/* Every channel, row or column to one value, on the CPU. Called through the op's row. */
#include "reduction.h"

enum gf_status gf_cpu_reduce(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_reduce_step(call, err);
}
