/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of distance, compiled once per instruction set (simd_distance.c). Called by distance.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_DISTANCE_H
#define GF_KERNELS_CPU_SIMD_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#define GF_NO_HEIGHT UINT16_MAX /* greater than any height */

struct gf_simd_distance {
    /* Computes the heights of a row of n samples of a dtype, at any address: 0 if the sample is 0, otherwise one more
     * than in `before`, the row above; NULL if there is none. */
    void (*below)(uint32_t dtype, const void *src, const uint16_t *before, uint16_t *heights, size_t n);
    /* Lowers heights to one more than in the row below, where that is less. */
    void (*above)(const uint16_t *after, uint16_t *heights, size_t n);
    /* Stores square roots as f32, at any address. */
    void (*roots)(const double *squares, size_t n, void *dst);
    /* Stores squares as u32; infinity becomes the greatest u32. */
    void (*whole)(const double *squares, size_t n, void *dst);
};

#endif
