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

/* Reads a list once, in pieces of any size: whether its offsets are in order, and the blocks into which its segments
 * are cut. Segments of more than `min_length` elements are cut into blocks of `block`; the blocks of all segments are
 * numbered consecutively. `min_length` must be at most GF_MAX_ELEMENTS. The other members must be 0 at first. Except
 * for `at` and `wrong` they have no meaning if the offsets are not in order. */
struct gf_segment_reader {
    const struct gf_buf *list;
    uint64_t min_length, block;
    bool narrow;                /* store offsets as u32; those above are stored modulo 2^32 */
    uint64_t at, last;          /* numbers that have been read; the last of them */
    uint64_t n_blocks, longest; /* blocks of all segments, of the longest segment */
    uint64_t n_long;            /* segments with blocks */
    bool any_short;             /* a segment has elements but no blocks */
    bool wrong;                 /* an offset is negative or less than the one before it */
};

/* Reads the next n offsets, which the list must have. Either table may be NULL. Stores the offsets in the one, as u64
 * or u32, and how many blocks precede each segment in the other. */
void gf_segments_read(struct gf_segment_reader *reader, uint64_t n, void *ret_offsets, uint64_t *ret_first_blocks);

/* Called when a list has been read. Checks that the offsets of input `input` do not decrease and are 0 to `elements`.
 * With `covers_all` they must also begin with 0 and end with `elements`, so that no element is left out. BAD_PARAM
 * names the first wrong offset. */
enum gf_status gf_segments_check_read(const struct gf_segment_reader *reader, const struct gf_op *op, uint32_t input,
                                      uint64_t elements, bool covers_all, struct gf_error *err);

/* Reads a list and calls gf_segments_check_read. */
enum gf_status gf_segments_check(const struct gf_op *op, uint32_t input, const struct gf_buf *list, uint64_t elements,
                                 bool covers_all, struct gf_error *err);

/* The blocks of segments, see gf_segment_reader. */
struct gf_segment_blocks {
    uint64_t n;             /* of offsets */
    uint64_t *first_blocks; /* blocks of all segments before each, n numbers; NULL if no segment has a block */
    uint64_t n_blocks;      /* of all segments */
};
#define GF_SEGMENT_BLOCKS_NULL ((struct gf_segment_blocks){0})

/* Cuts the segments of more than `min_length` elements into blocks of `block`. The list must have been checked.
 * NO_MEMORY. */
enum gf_status gf_segment_blocks_init(struct gf_segment_blocks *blocks, const struct gf_buf *list, uint64_t min_length,
                                      uint64_t block, struct gf_error *err);
void gf_segment_blocks_deinit(struct gf_segment_blocks *blocks);

#ifdef __cplusplus
}
#endif
#endif
