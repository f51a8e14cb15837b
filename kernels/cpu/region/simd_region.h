/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of label, compiled once per instruction set (simd_region.c). Called by label.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_REGION_H
#define GF_KERNELS_CPU_SIMD_REGION_H

#include <stddef.h>
#include <stdint.h>

struct gf_simd_region {
    /* Sets bit x % 64 of words[x / 64] to 1 if sample x is not 0, for n samples of a dtype at any address. There are n
     * / 64 + 1 words, and bits from n on are 0. Returns the number of runs of ones. */
    size_t (*bits)(uint32_t dtype, const void *src, size_t n, uint64_t *words);
    /* Writes the borders of the runs of ones in n_words words, ascending: the first place of a run, the place after it,
     * and so on. `edges` must have room for 64 * n_words. The last bit must be 0. Returns the number of runs. */
    size_t (*edges)(const uint64_t *words, size_t n_words, uint16_t *edges);
    /* Writes a row of n numbers at any address: numbers[runs[i]] in run i of n_runs, otherwise 0. */
    void (*paint)(const uint16_t *edges, size_t n_runs, const uint32_t *runs, const uint32_t *numbers, void *row,
                  size_t n);
};

#endif
