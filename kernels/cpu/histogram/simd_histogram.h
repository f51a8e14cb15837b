/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of counting, compiled once per instruction set (simd_bins.c, simd_range.c). Called by count.c and
 * histogram2d.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_HISTOGRAM_H
#define GF_KERNELS_CPU_SIMD_HISTOGRAM_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/bins.h"

/* The least and greatest sample per channel, for f32 as gf_key_f32; lo > hi if no sample was compared. */
struct gf_cpu_range {
    uint32_t channels;
    int32_t lo[GF_MAX_CHANNELS], hi[GF_MAX_CHANNELS];
    bool nan[GF_MAX_CHANNELS];
};

struct gf_simd_histogram {
    /* The bins of n values as gf_bins_find gives them, or -1 where gf_bins_find must be called. Unit bins, and bins
     * with a slack of 1, are not allowed. */
    void (*bins)(const struct gf_bins *bins, const double *v, size_t n, int64_t *ret);
    /* Finds the range of n samples of u8, u16, i16 or f32, from channel 0 on. The caller sets ret->channels. NaN is
     * never compared; `finite` ignores infinities too. */
    void (*range)(uint32_t dtype, const void *src, size_t n, bool finite, struct gf_cpu_range *ret);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_bins)(const struct gf_bins *bins, const double *v, size_t n, int64_t *ret);
void GF_ISA_NAME(gf_simd_range)(uint32_t dtype, const void *src, size_t n, bool finite, struct gf_cpu_range *ret);
#endif

#endif
