/* SPDX-License-Identifier: MIT */
/* Windows of resize that move by two pixels from each result to the next, as they do where sides become half as long:
 * whether a step has such windows, and the tables of their kernel. Made by resize_by_two.c for kernels/cuda/geometry.
 */
#ifndef GF_KERNELS_RESIZE_BY_TWO_H
#define GF_KERNELS_RESIZE_BY_TWO_H

#include "resize.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_BY_TWO_MAX_TAPS 12
#define GF_BY_TWO_CHUNK 8 /* results of a chunk, which may end behind the last one */

/* Result i is made of pixels from 2i + 1 - taps / 2 on; what of them lies outside the picture has the weight 0. */
/* Result i is made of `taps` pixels from 2i + 1 - taps / 2 on; those outside the picture have the weight 0. A pair of
 * rows of the source, the first of which lies at 2j + 1 - taps / 2, is part of taps / 2 results, the last of which is
 * j. Tables are on the device. */
struct gf_resize_by_two {
    int32_t taps;                    /* of both axes: 4, 8 or 12; 0: the windows are others */
    int32_t inner_first, inner_end;  /* columns whose windows lie inside, */
    float inner[GF_BY_TWO_MAX_TAPS]; /* and the weights of each of those */
    const float *columns;            /* `taps` weights for each column */
    const float *pairs;              /* `taps` for each pair of rows, two for each result, in order; then 0 */
};

struct gf_by_two_tables {
    float *data;           /* owned: columns, then pairs */
    size_t size, pairs_at; /* bytes */
};

#define GF_BY_TWO_TABLES_NULL ((struct gf_by_two_tables){0})

/*
 * Tells whether a step has such windows, and makes their tables. The kernel takes the bits of a sample of u8 or u16,
 * those of u8 eight places further up, for those of a f32, which is the sample times 2^-141 or 2^-149. Weights of pairs
 * make up for 2^127 of that, weights of columns for the rest; sums then have the bits that they have otherwise, since
 * a power of two changes none unless a number becomes too small, and no weight is small enough. NO_MEMORY. On success
 * the caller calls gf_by_two_tables_deinit.
 */
enum gf_status gf_by_two_tables_init(struct gf_by_two_tables *tables, struct gf_resize_by_two *by_two,
                                     const struct gf_resize *resize, const struct gf_view *src, struct gf_error *err);
void gf_by_two_tables_deinit(struct gf_by_two_tables *tables);

#ifdef __cplusplus
}
#endif
#endif
