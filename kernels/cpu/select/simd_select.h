/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of select, compiled once per instruction set (simd_select.c). Called by select.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_SELECT_H
#define GF_KERNELS_CPU_SIMD_SELECT_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/select.h"

struct gf_simd_select {
    /* flags[i] is 1 where element i, of n `stride` elements apart at any address, lies in the range, else 0; gives how
     * many do. */
    size_t (*between)(uint32_t dtype, const void *src, size_t stride, size_t n, const struct gf_select_range *range,
                      uint8_t *flags);
    /* The numbers of the flags that are 1, ascending, into `at`, which has room for n + GF_LINE_ALIGN; how many. */
    size_t (*positions)(const uint8_t *flags, size_t n, uint32_t *at);
};

#ifdef GF_ISA /* while the loops are compiled: what the table of one instruction set is made of */
#include "kernels/cpu/simd/simd_isa.h"

size_t GF_ISA_NAME(gf_simd_between)(uint32_t dtype, const void *src, size_t stride, size_t n,
                                    const struct gf_select_range *range, uint8_t *flags);
size_t GF_ISA_NAME(gf_simd_positions)(const uint8_t *flags, size_t n, uint32_t *at);
#endif

#endif
