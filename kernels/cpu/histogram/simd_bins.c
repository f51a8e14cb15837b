/* SPDX-License-Identifier: MIT */
/*
 * Estimates the bins of histograms in vectors, kernels/shared/bins.h. Compiled once per instruction set; called by
 * count.c and histogram2d.c.
 */
#include "simd_histogram.h"

#include "kernels/cpu/simd/simd_wide.h"
#include "kernels/shared/bins.h"

void GF_ISA_NAME(gf_simd_bins)(const struct gf_bins *bins, const double *v, size_t n, int64_t *ret)
{
    const gf_vd lo = bins->lo - (gf_vd){0}, hi = bins->hi - (gf_vd){0}, inverse = bins->inverse - (gf_vd){0};
    const gf_vd slack = bins->slack - (gf_vd){0}, rounding = 0x1.8p52 - (gf_vd){0};
    size_t i = 0;
    for (; i + GF_HALF <= n; i += GF_HALF) {
        /* As in gf_bins_find: the number of the nearest edge is in the low bits. */
        gf_vd x = *(const gf_vd_any *)(v + i), estimate = (x - lo) * inverse, rounded = estimate + rounding;
        gf_vd off = estimate - (rounded - rounding);
        gf_vl edge = ((gf_vl)rounded & UINT32_MAX) - 1 - (off > (gf_vd){0});
        gf_vl sure = (x >= lo) & (x < hi) & ((gf_vd)((gf_vl)off & INT64_MAX) > slack);
        *(gf_vl_any *)(ret + i) = edge | ~sure;
    }
    for (; i < n; i++)
        ret[i] = -1;
}
