/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of erode, dilate and what is made of them, compiled once per instruction set (simd_morphology.c).
 * Called by morphology.c and tile.c. They compare keys, whole numbers in the order of numerics.md 19: samples of
 * integers are their own keys, floats have signed ones of as many bits.
 */
#ifndef GF_KERNELS_CPU_SIMD_MORPHOLOGY_H
#define GF_KERNELS_CPU_SIMD_MORPHOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gf_simd_morphology {
    /* n samples of floats at any address to keys; the same address or memory that does not overlap. */
    void (*keys)(uint32_t dtype, const void *samples, void *keys, size_t n);
    /* n keys, at any address: each the least, or the greatest, of those at its place in n_from lines. `to` overlaps
     * none. `turn`: of floats, what is made are samples. */
    void (*fold)(uint32_t dtype, bool greatest, const void *const *from, size_t n_from, void *to, size_t n, bool turn);
    /* The same of `height` lines, 2 to 5, from the first and from the second on: two results of one more. */
    void (*fold_pair)(uint32_t dtype, bool greatest, const void *const *from, size_t height, void *to, void *below,
                      size_t n, bool turn);
    /* n samples a - b, stored by numerics.md 1; `to` may be a or b. */
    void (*subtract)(uint32_t dtype, const void *a, const void *b, void *to, size_t n);
    /* The last of 2 or 4 channels of n pixels, any NaN of floats as the one that is stored. */
    void (*copy_alpha)(uint32_t dtype, uint32_t channels, const void *from, void *to, size_t n);
};

#endif
