/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of distance, compiled once per instruction set (simd_distance.c). Called by distance.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_DISTANCE_H
#define GF_KERNELS_CPU_SIMD_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#define GF_NO_HEIGHT UINT16_MAX /* more than a column has rows */

struct gf_simd_distance {
    /* Heights of a row of n samples of a dtype, at any address: 0 over a 0, else one more than in `before`, the row
     * above; NULL: there is none. */
    void (*below)(uint32_t dtype, const void *src, const uint16_t *before, uint16_t *heights, size_t n);
    /* Heights as they are, or one more than in the row below where that is less. */
    void (*above)(const uint16_t *after, uint16_t *heights, size_t n);
    /* Square roots as f32, to any address. */
    void (*roots)(const double *squares, size_t n, void *dst);
    /* Squares as u32, of infinity the greatest. */
    void (*whole)(const double *squares, size_t n, void *dst);
};

#endif
