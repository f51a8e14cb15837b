/* SPDX-License-Identifier: MIT */
/* Windows of resize that move by two pixels from each result to the next, as they do where sides become half as long:
 * whether a step has such windows, and the weights of their kernel. Made by resize_by_two.c for kernels/cuda/geometry.
 */
#ifndef GF_KERNELS_RESIZE_BY_TWO_H
#define GF_KERNELS_RESIZE_BY_TWO_H

#include "resize.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_BY_TWO_MAX_TAPS 12
#define GF_BY_TWO_CHUNK 8 /* results of a chunk, which may end behind the last one */
/* Sets of weights: those near the edges, and one of all between them. */
#define GF_BY_TWO_COLUMNS 12
#define GF_BY_TWO_PAIRS 32

/* Columns, or pairs of rows, from first to end - 1 have the same weights: set `first`. Those behind have sets of their
 * own from first + 1 on. */
struct gf_by_two_inner {
    int32_t first, end;
};

/*
 * Rows of u8 from first to end - 1 whose weights times 2^8 are whole numbers of s8, four to a word; first == end: none.
 * A product is then a whole number below 2^15 times 2^-8, and each partial sum of eight one below 2^18, of fewer than
 * 24 bits: the chain of fma that numerics.md asks for rounds nowhere, and sums in any other order are the same.
 */
#define GF_BY_TWO_WHOLE_TAPS 8
struct gf_by_two_whole {
    struct gf_by_two_inner rows;
    uint32_t weights[GF_BY_TWO_WHOLE_TAPS / 4];
};

/* Result i is made of `taps` pixels from 2i + 1 - taps / 2 on; those outside the picture have the weight 0. A pair of
 * rows of the source, the first of which lies at 2j + 1 - taps / 2, is part of taps / 2 results, the last of which is
 * j, and has two weights for each of these, in order; 0 for results that there are not. */
struct gf_resize_by_two {
    int32_t taps; /* of both axes: 4, 8 or 12; 0: the windows are others */
    struct gf_by_two_inner x, y;
    struct gf_by_two_whole whole;
    float columns[GF_BY_TWO_COLUMNS][GF_BY_TWO_MAX_TAPS];
    float pairs[GF_BY_TWO_PAIRS][GF_BY_TWO_MAX_TAPS];
};

/*
 * Tells whether a planned step has such windows, and their weights, from a few windows of each axis. NO_MEMORY. The
 * kernel takes the bits of a sample of u8 or u16, those of u8 eight places further up, for those of a f32, which is the
 * sample times 2^-141 or 2^-149. Weights of pairs make up for 2^127 of that, weights of columns for the rest; sums then
 * have the bits that they have otherwise, since a power of two changes none unless a number becomes too small, and no
 * weight is small enough.
 */
enum gf_status gf_resize_by_two_init(struct gf_resize_by_two *by_two, const struct gf_resize *resize,
                                     const struct gf_view *src, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
