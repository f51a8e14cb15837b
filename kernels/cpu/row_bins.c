/* SPDX-License-Identifier: MIT */
/* Guesses of the bins of a histogram, kernels/bins.h, many at once. Compiled once per instruction set; called through
 * gf_cpu_rows by count.c. */
#include "row_isa.h"

#include "kernels/bins.h"

void GF_ISA_NAME(gf_cpu_row_bins)(const struct gf_bins *bins, const double *v, size_t n, int64_t *ret)
{
    const double *restrict x = v;
    int64_t *restrict to = ret;
    const double lo = bins->lo, hi = bins->hi, inverse = bins->inverse, slack = bins->slack;
    for (size_t i = 0; i < n; i++) {
        /* As gf_bins_find: the nearest edge stands in the low bits. */
        double guess = (x[i] - lo) * inverse, near = guess + 0x1.8p52, off = guess - (near - 0x1.8p52);
        int64_t edge;
        memcpy(&edge, &near, sizeof(edge));
        edge = (edge & UINT32_MAX) - (off > 0.0 ? 0 : 1);
        bool sure = (x[i] >= lo) & (x[i] < hi) & (fabs(off) > slack);
        to[i] = sure ? edge : -1;
    }
}
