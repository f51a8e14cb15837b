/* SPDX-License-Identifier: MIT */
/* Puts the tables of segments (kernels/shared/segments.h) on the device. Called by the ops that take segments as input
 * 1. */
#ifndef GF_CUDA_SEGMENTS_H
#define GF_CUDA_SEGMENTS_H

#include "cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tables, in device memory. */
struct gf_cuda_segments {
    void *offsets; /* n + 1 numbers: u32 if `narrow`, otherwise u64 */
    bool narrow;
    uint64_t *first_blocks;        /* n + 1 numbers, or NULL if there are no blocks */
    uint64_t n, n_blocks, longest; /* longest: blocks of the longest segment */
    bool any_short;                /* a segment has elements but no blocks */
};

/* How a list is checked and cut. `min_length` must be at most GF_MAX_ELEMENTS. */
struct gf_cuda_segment_rules {
    uint64_t elements; /* of a channel */
    bool covers_all;   /* no element may be left out */
    bool may_narrow;   /* the kernels read u32, too, of which a copy takes half the time */
    uint64_t min_length, block;
};

/* Checks the list, cuts it and copies the tables in the main stream. *ret must be 0 at first. The caller must call
 * gf_cuda_segments_free, also after an error. BAD_PARAM, NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_segments_cut(struct gf_cuda_call *call, const struct gf_cuda_segment_rules *rules,
                                    struct gf_cuda_segments *ret, struct gf_error *err);
void gf_cuda_segments_free(struct gf_cuda_call *call, struct gf_cuda_segments *segments);

#ifdef __cplusplus
}
#endif
#endif
