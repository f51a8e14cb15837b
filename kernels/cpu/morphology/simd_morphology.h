/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of erode, dilate and the ops made of them, compiled once per instruction set (simd_morphology.c).
 * Called by morphology.c and tile.c. They compare keys, whole numbers in the order of docs/numerics.md, "Morphology":
 * samples of integers are their own keys, floats have signed keys of the same width.
 */
#ifndef GF_KERNELS_CPU_SIMD_MORPHOLOGY_H
#define GF_KERNELS_CPU_SIMD_MORPHOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gf_simd_morphology {
    /* Converts n samples of floats at any address to keys. The addresses must be equal, or the memory must not
     * overlap. */
    void (*keys)(uint32_t dtype, const void *samples, void *keys, size_t n);
    /* Folds n_from lines to one of n keys, at any address: each key is the least, or the greatest, at its place. `to`
     * must not overlap a line. `turn`: converts keys of floats to samples. */
    void (*fold)(uint32_t dtype, bool greatest, const void *const *from, size_t n_from, void *to, size_t n, bool turn);
    /* Folds `height` lines, 2 to 5, from the first and from the second line on: two results from height + 1 lines. */
    void (*fold_pair)(uint32_t dtype, bool greatest, const void *const *from, size_t height, void *to, void *below,
                      size_t n, bool turn);
    /* Computes n samples a - b, stored by docs/numerics.md, "Store". `to` may be a or b. */
    void (*subtract)(uint32_t dtype, const void *a, const void *b, void *to, size_t n);
    /* Copies the last of 2 or 4 channels of n pixels; every NaN of floats becomes the one that is stored. */
    void (*copy_alpha)(uint32_t dtype, uint32_t channels, const void *from, void *to, size_t n);
};

#endif
