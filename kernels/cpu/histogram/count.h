/* SPDX-License-Identifier: MIT */
/* Counts samples by value, and finds their extremes, on all threads. Shared by histogram and the tone ops. */
#ifndef GF_KERNELS_CPU_COUNT_H
#define GF_KERNELS_CPU_COUNT_H

#include "kernels/cpu/device/cpu_ops.h"
#include "values.h"

/* Counts the samples of each plane by gf_bins_find. counts has bins + GF_BINS_EXTRA counters per plane, which must be 0
 * before. `bins` has one entry per plane, all with the same number of bins. CANCELLED, DEADLINE, NO_MEMORY. */
enum gf_status gf_cpu_count(const struct gf_cpu_call *call, const struct gf_cpu_planes *source,
                            const struct gf_bins *bins, uint64_t *counts, struct gf_error *err);

/* The range of one plane, rounded outwards to f64. */
struct gf_cpu_extremes {
    bool any; /* at least one sample was compared */
    bool nan; /* there is a NaN; NaN is never compared */
    double lo, hi;
};

/* One range per plane; `finite` ignores infinities. CANCELLED, DEADLINE, NO_MEMORY. */
enum gf_status gf_cpu_find_extremes(const struct gf_cpu_call *call, const struct gf_cpu_planes *source, bool finite,
                                    struct gf_cpu_extremes *ret, struct gf_error *err);

#endif
