/* SPDX-License-Identifier: MIT */
/* Counting samples by value on all threads, and finding the least and greatest: what histogram and the tone ops share.
 */
#ifndef GF_KERNELS_CPU_COUNT_H
#define GF_KERNELS_CPU_COUNT_H

#include "kernels/cpu/device/cpu_ops.h"
#include "values.h"

/* Adds up, per plane, the counters of gf_bins_find: counts has bins + GF_BINS_EXTRA per plane, all zero before. `bins`
 * has one entry per plane, all with the same number of bins. CANCELLED, DEADLINE, NO_MEMORY. */
enum gf_status gf_cpu_count(const struct gf_cpu_call *call, const struct gf_cpu_planes *source,
                            const struct gf_bins *bins, uint64_t *counts, struct gf_error *err);

/* The range of one plane, rounded outwards to f64. */
struct gf_cpu_extremes {
    bool any; /* some sample took part */
    bool nan; /* a NaN was there; it never takes part */
    double lo, hi;
};

/* Per plane; `finite` leaves infinities out. CANCELLED, DEADLINE, NO_MEMORY. */
enum gf_status gf_cpu_find_extremes(const struct gf_cpu_call *call, const struct gf_cpu_planes *source, bool finite,
                                    struct gf_cpu_extremes *ret, struct gf_error *err);

#endif
