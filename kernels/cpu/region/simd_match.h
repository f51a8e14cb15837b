/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of match, compiled once per instruction set (simd_match.c). Called by match.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_MATCH_H
#define GF_KERNELS_CPU_SIMD_MATCH_H

#include <stddef.h>
#include <stdint.h>

/* Places of a tile processed at once; rows are padded to a multiple of this. */
#define GF_MATCH_COLUMNS 64u
/* Words of a row made at once, at most. */
#define GF_MATCH_WORDS 320u

struct gf_simd_match {
    /* taps: samples multiplied at once, 2 or 4; a word holds `taps` neighbours, the first one in its lowest bits. less:
     * subtracted from the template's samples so that they fit in a word, 0 or 128. */
    uint32_t taps;
    int32_t less;
    /* Packs samples i, i + 1, ... of one channel into words[i], for n words. `left` samples exist, at least 1; the
     * samples after them are 0. */
    void (*spread)(const uint8_t *src, size_t channels, size_t left, size_t n, int32_t *words);
    /* Computes two rows of products, summed over a part of a template of `rows` rows of n words. Rows of the picture
     * are `stride` words apart; the template has a row of zeros before and after its rows. sums[0] and sums[1] receive
     * `columns` sums, a multiple of GF_MATCH_COLUMNS. */
    void (*correlate)(const int32_t *words, size_t stride, const int32_t *templ, size_t rows, size_t n, size_t columns,
                      int32_t *const sums[2]);
    /* Moves the sums of n columns, and the sums of their squares, down: adds one row of samples and subtracts another;
     * either may be NULL. */
    void (*slide)(const uint8_t *add, const uint8_t *take, size_t n, uint32_t *sums, uint32_t *squares);
    /* Stores n scores at any address: numerators divided by the roots of squares times `square`, docs/numerics.md,
     * "match". Where a root is 0, the score is 1 if `differs` is set, otherwise 0. */
    void (*score)(const int64_t *numerators, const int64_t *squares, double square, int differs, size_t n,
                  void *scores);
    /* Flags the scores of a row that no neighbour beats. The neighbours are the adjacent ones among n scores of this
     * row and of the rows above and below, at any address; above and below are NULL if there is no such row. A score is
     * better if score * sign is greater. */
    void (*tops)(const void *above, const void *row, const void *below, float sign, size_t n, uint8_t *flags);
};

#endif
