/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of counting, compiled once per instruction set (simd_bins.c, simd_range.c). Called by count.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_HISTOGRAM_H
#define GF_KERNELS_CPU_SIMD_HISTOGRAM_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/bins.h"

/* Per channel the least and greatest sample, of f32 as gf_key_f32; lo > hi where no sample took part. */
struct gf_cpu_range {
    uint32_t channels;
    int32_t lo[GF_MAX_CHANNELS], hi[GF_MAX_CHANNELS];
    bool nan[GF_MAX_CHANNELS];
};

struct gf_simd_histogram {
    /* The bins of n values by gf_bins_find, -1 where it has to be asked. Not for unit bins, nor with a slack of 1. */
    void (*bins)(const struct gf_bins *bins, const double *v, size_t n, int64_t *ret);
    /* The range of n samples of u8, u16, i16 or f32 that start with channel 0; ret->channels is given. NaN never takes
     * part, nor do infinities where `finite`. */
    void (*range)(uint32_t dtype, const void *src, size_t n, bool finite, struct gf_cpu_range *ret);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "kernels/cpu/simd/simd_isa.h"

void GF_ISA_NAME(gf_simd_bins)(const struct gf_bins *bins, const double *v, size_t n, int64_t *ret);
void GF_ISA_NAME(gf_simd_range)(uint32_t dtype, const void *src, size_t n, bool finite, struct gf_cpu_range *ret);
#endif

#endif
