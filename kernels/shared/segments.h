/* SPDX-License-Identifier: MIT */
/*
 * Lists of offsets that cut a channel into segments: segment s has the elements from offset s to offset s + 1
 * (excluded). Called by the backends with the worker's private copy of the list.
 */
#ifndef GF_KERNELS_SEGMENTS_H
#define GF_KERNELS_SEGMENTS_H

#include "kernels/backend.h"
#include "protocol/ops/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Offset i; a negative one is returned modulo 2^64. */
uint64_t gf_segments_at(const struct gf_buf *list, uint64_t i);

/* Checks that the offsets of input `input` do not decrease and are 0 to `elements`. With `covers_all` they must also
 * begin with 0 and end with `elements`, so that no element is left out. BAD_PARAM names the first wrong offset. */
enum gf_status gf_segments_check(const struct gf_op *op, uint32_t input, const struct gf_buf *list, uint64_t elements,
                                 bool covers_all, struct gf_error *err);

/* Segments cut into blocks of elements, which are numbered consecutively. Both tables have a number for each segment
 * and one more. */
struct gf_segment_blocks {
    uint64_t n;
    const void *offsets;        /* u64 at any address: the list's own memory if it has this type */
    uint64_t *converted;        /* otherwise this memory */
    uint64_t *first_blocks;     /* blocks of all segments before each; NULL if no segment has a block */
    uint64_t n_blocks, longest; /* of all segments, of the longest segment */
    bool any_short;             /* a segment has elements but no blocks */
};
#define GF_SEGMENT_BLOCKS_NULL ((struct gf_segment_blocks){0})

/* Cuts the segments of more than `min_length` elements into blocks of `block`. The list must have been checked and must
 * outlive the result. NO_MEMORY. */
enum gf_status gf_segment_blocks_init(struct gf_segment_blocks *blocks, const struct gf_buf *list, uint64_t min_length,
                                      uint64_t block, struct gf_error *err);
void gf_segment_blocks_deinit(struct gf_segment_blocks *blocks);

#ifdef __cplusplus
}
#endif
#endif
