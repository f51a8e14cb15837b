/* SPDX-License-Identifier: MIT */
/* Medians of 3 x 3 of whole pictures, for rank_filter.c. */
#ifndef GF_KERNELS_CPU_MEDIAN3_H
#define GF_KERNELS_CPU_MEDIAN3_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/shared/rank/rank.h"

/* NO_MEMORY, CANCELLED, DEADLINE. */
enum gf_status gf_cpu_median3(const struct gf_cpu_call *call, const struct gf_rank *rank,
                              const struct gf_rank_plan *plan, struct gf_error *err);

#endif
