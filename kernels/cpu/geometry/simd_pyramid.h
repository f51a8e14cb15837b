/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of pyramid, compiled once per instruction set (simd_pyramid.c). Called by pyramid.c.
 *
 * Sums of u8 are u16, sums of u16 and i16 have 32 bits, and sums of f32 are f32. Lines of sums must have room for
 * GF_PYRAMID_SLACK sums after their last pixel, which may be overwritten. Samples may lie at any address; dtype must
 * not be F16.
 */
#ifndef GF_KERNELS_CPU_SIMD_PYRAMID_H
#define GF_KERNELS_CPU_SIMD_PYRAMID_H

#include <stddef.h>
#include <stdint.h>

#define GF_PYRAMID_SLACK 64u

struct gf_simd_pyramid {
    /* Sums five rows of n pixels column by column. Pixel 2 k goes to pixel k of `even`, pixel 2 k + 1 to pixel k of
     * `odd`. */
    void (*down_columns)(uint32_t dtype, uint32_t channels, const void *const rows[5], size_t n, void *even, void *odd);
    /* Computes n pixels of the result from two such lines. Both lines need one pixel before the first, and `even` one
     * pixel after the last. */
    void (*down_row)(uint32_t dtype, uint32_t channels, const void *even, const void *odd, size_t n, void *to);
    /* Sums n columns of three rows, or of the last two if rows[0] is NULL. */
    void (*up_columns)(uint32_t dtype, const void *const rows[3], size_t n, void *line);
    /* Computes 2 n pixels of the result from such a line of n, which needs one pixel before the first and one after the
     * last. */
    void (*up_row)(uint32_t dtype, uint32_t channels, const void *line, size_t n, void *to);
};

#endif
