/* SPDX-License-Identifier: MIT */
/* Statistics of every channel, on the CPU. Called through the op's row. */
#include "reduction.h"

enum gf_status gf_cpu_stats(const struct gf_cpu_call *call, struct gf_error *err)
{
    return gf_cpu_reduce_step(call, err);
}
