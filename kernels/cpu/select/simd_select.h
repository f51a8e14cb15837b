/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of select, compiled once per instruction set (simd_select.c). Called by select.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_SELECT_H
#define GF_KERNELS_CPU_SIMD_SELECT_H

#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/select.h"

struct gf_simd_select {
    /* Sets flags[i] to 1 if element i lies in the range, otherwise 0, for n elements `stride` elements apart at any
     * address. Returns the number of ones. */
    size_t (*between)(uint32_t dtype, const void *src, size_t stride, size_t n, const struct gf_select_range *range,
                      uint8_t *flags);
    /* Writes the indices of the flags that are 1, ascending, to `at`, which must have room for n + GF_LINE_ALIGN.
     * Returns how many. */
    size_t (*positions)(const uint8_t *flags, size_t n, uint32_t *at);
};

#ifdef GF_ISA /* the members of the table, visible only while the loops are compiled for one instruction set */
#include "kernels/cpu/simd/simd_isa.h"

size_t GF_ISA_NAME(gf_simd_between)(uint32_t dtype, const void *src, size_t stride, size_t n,
                                    const struct gf_select_range *range, uint8_t *flags);
size_t GF_ISA_NAME(gf_simd_positions)(const uint8_t *flags, size_t n, uint32_t *at);
#endif

#endif
