/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of pyramid, compiled once per instruction set (simd_pyramid.c). Called by pyramid.c.
 *
 * Sums are u16 of u8, 32 bits of u16 and i16, f32 of f32. Lines of them have room for GF_PYRAMID_SLACK sums behind
 * their last pixel, which may be overwritten. Samples may lie at any address; dtype is not F16.
 */
#ifndef GF_KERNELS_CPU_SIMD_PYRAMID_H
#define GF_KERNELS_CPU_SIMD_PYRAMID_H

#include <stddef.h>
#include <stdint.h>

#define GF_PYRAMID_SLACK 64u

struct gf_simd_pyramid {
    /* Columns of five rows of n pixels: pixel 2 k goes to pixel k of `even`, 2 k + 1 to pixel k of `odd`. */
    void (*down_columns)(uint32_t dtype, uint32_t channels, const void *const rows[5], size_t n, void *even, void *odd);
    /* Rows: n pixels of the result, from such lines with a pixel before both and one behind `even`. */
    void (*down_row)(uint32_t dtype, uint32_t channels, const void *even, const void *odd, size_t n, void *to);
    /* Columns of n samples: of three rows, or where rows[0] is NULL between the last two. */
    void (*up_columns)(uint32_t dtype, const void *const rows[3], size_t n, void *line);
    /* Rows: 2 n pixels of the result, from such a line of n, with a pixel before it and one behind it. */
    void (*up_row)(uint32_t dtype, uint32_t channels, const void *line, size_t n, void *to);
};

#endif
