/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of match, compiled once per instruction set (simd_match.c). Called by match.c.
 */
#ifndef GF_KERNELS_CPU_SIMD_MATCH_H
#define GF_KERNELS_CPU_SIMD_MATCH_H

#include <stddef.h>
#include <stdint.h>

/* Places of a tile that are worked on at once; rows are as many times this long. */
#define GF_MATCH_COLUMNS 64u
/* Words of a row that are made at once, at most. */
#define GF_MATCH_WORDS 320u

struct gf_simd_match {
    /* Samples that are multiplied at once, 2 or 4: a word holds so many neighbours, the first in its lowest bits. What
     * is taken from samples of the template before, so that a word holds them: nothing, or 128. */
    uint32_t taps;
    int32_t less;
    /* Samples i and those after it of one channel in words[i], for n of them; `left` samples are there, at least 1, and
     * 0 stands for what comes after. */
    void (*spread)(const uint8_t *src, size_t channels, size_t left, size_t n, int32_t *words);
    /* Two rows of products, summed over a part of a template of `rows` rows of n words. Words of the picture are in
     * rows of `stride`, those of the template in rows of n, with a row of zeros before and after them; `columns` of
     * sums, a multiple of GF_MATCH_COLUMNS, go to sums[0] and sums[1]. */
    void (*correlate)(const int32_t *words, size_t stride, const int32_t *templ, size_t rows, size_t n, size_t columns,
                      int32_t *const sums[2]);
    /* Moves sums of n columns, and of squares, down: adds samples and takes others away, NULL for none. */
    void (*slide)(const uint8_t *add, const uint8_t *take, size_t n, uint32_t *sums, uint32_t *squares);
    /* n scores: numerators over the roots of squares times `square`, by the formula of docs/numerics.md 24; where a
     * root is 0, `differs` says whether the score is 1. To any address. */
    void (*score)(const int64_t *numerators, const int64_t *squares, double square, int differs, size_t n,
                  void *scores);
    /* Whether each of n scores of a row, at any address, is beaten by none of its neighbours among n of that row and of
     * those above and below it; above and below are NULL where there is no row. Scores times `sign` are better where
     * they are greater. */
    void (*tops)(const void *above, const void *row, const void *below, float sign, size_t n, uint8_t *flags);
};

#endif
