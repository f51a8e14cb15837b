/* SPDX-License-Identifier: MIT */
/*
 * Windows of resize that move by two pixels from each result to the next, as when sides are halved: whether a step has
 * such windows, and the weights of their kernel. Made by resize_by_two.c for kernels/cuda/geometry.
 */
#ifndef GF_KERNELS_RESIZE_BY_TWO_H
#define GF_KERNELS_RESIZE_BY_TWO_H

#include "resize.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_BY_TWO_MAX_TAPS 12
#define GF_BY_TWO_CHUNK 8 /* results of a chunk, which may end beyond the last result */
/* Sets of weights: some near the edges, and one for everything between them. */
#define GF_BY_TWO_COLUMNS 12
#define GF_BY_TWO_PAIRS 32

/* Columns, or pairs of rows, from first to end - 1 have the same weights: set `first`. From `end` on each has a set of
 * its own; these sets begin at first + 1. */
struct gf_by_two_inner {
    int32_t first, end;
};

/*
 * Rows of u8 from first to end - 1 whose weights times 2^8 are s8 integers, four to a word; first == end: none. A
 * product is then an integer below 2^15 times 2^-8, and each partial sum of eight is one below 2^18, of fewer than 24
 * bits: the chain of fma that numerics.md requires never rounds, and sums in any other order are the same.
 */
#define GF_BY_TWO_WHOLE_TAPS 8
struct gf_by_two_whole {
    struct gf_by_two_inner rows;
    uint32_t weights[GF_BY_TWO_WHOLE_TAPS / 4];
};

/* Result i is made of `taps` pixels from 2i + 1 - taps / 2 on; pixels outside the picture have weight 0. A pair of
 * source rows beginning at 2j + 1 - taps / 2 belongs to taps / 2 results, the last of which is j, and has two weights
 * for each of them, in order; 0 for results that do not exist. */
struct gf_resize_by_two {
    int32_t taps; /* of both axes: 4, 8 or 12; 0: the windows are of another kind */
    struct gf_by_two_inner x, y;
    struct gf_by_two_whole whole;
    float columns[GF_BY_TWO_COLUMNS][GF_BY_TWO_MAX_TAPS];
    float pairs[GF_BY_TWO_PAIRS][GF_BY_TWO_MAX_TAPS];
};

/*
 * Finds out whether a prepared step has such windows, and their weights, from a few windows of each axis. NO_MEMORY.
 * The kernel reinterprets the bits of a u8 or u16 sample, shifted left by eight for u8, as an f32, which is the sample
 * times 2^-141 or 2^-149. The weights of pairs make up for 2^127 of that, the weights of columns for the rest. The sums
 * then have the same bits as otherwise, because a power of two changes no bit unless a number becomes too small, and no
 * weight is small enough for that.
 */
enum gf_status gf_resize_by_two_init(struct gf_resize_by_two *by_two, const struct gf_resize *resize,
                                     const struct gf_view *src, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
