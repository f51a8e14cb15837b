/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of label, compiled once per instruction set (simd_region.c). Called by label.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_REGION_H
#define GF_KERNELS_CPU_SIMD_REGION_H

#include <stddef.h>
#include <stdint.h>

struct gf_simd_region {
    /* Bit x % 64 of words[x / 64] becomes 1 where sample x of n of a dtype, at any address, is not 0, else 0; there are
     * n / 64 + 1 words, and bits from n on are 0. Gives how many runs of ones there are. */
    size_t (*bits)(uint32_t dtype, const void *src, size_t n, uint64_t *words);
    /* The borders of the runs of ones in so many words, ascending: first place of a run, place behind it, and so on.
     * `edges` has room for 64 * n_words. Gives how many runs there are; the last bit is 0. */
    size_t (*edges)(const uint64_t *words, size_t n_words, uint16_t *edges);
    /* A row of n numbers, at any address: numbers[runs[i]] in run i of n_runs, 0 elsewhere. */
    void (*paint)(const uint16_t *edges, size_t n_runs, const uint32_t *runs, const uint32_t *numbers, void *row,
                  size_t n);
};

#endif
