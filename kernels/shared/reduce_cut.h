/* SPDX-License-Identifier: MIT */
/*
 * Segments of a reduction, alike on every backend. A segment of one chunk is reduced at once. The chunks of the long
 * segments are numbered in one row, segment after segment. At each further level 4096 of them make one part; the parts
 * are numbered in the same way, with some places unused. Read by C and CUDA.
 */
#ifndef GF_KERNELS_REDUCE_CUT_H
#define GF_KERNELS_REDUCE_CUT_H

#include "reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_CUT_SHIFT 12u /* GF_TREE_CHUNK is 2^12 */

/* The tables are contiguous in memory. */
struct gf_reduce_cut {
    uint64_t *offsets;           /* n + 1 */
    uint64_t *longs;             /* indices of the segments with more than one chunk */
    uint64_t *starts;            /* n_longs + 1: chunks of all long segments before each */
    uint64_t n, n_longs, chunks; /* number of segments, of long ones, and of chunks of all long ones */
    uint64_t max;                /* chunks of the longest segment, at least 1 */
    uint32_t span;               /* elements of a chunk */
};

GF_EVERYWHERE uint64_t gf_cut_length(const struct gf_reduce_cut *cut, uint64_t segment)
{
    return cut->offsets[segment + 1] - cut->offsets[segment];
}

/* The first place of long segment j at a level: among the chunks at level 0, otherwise among the parts. For j = n_longs
 * the number of all places. */
GF_EVERYWHERE uint64_t gf_cut_base(const struct gf_reduce_cut *cut, uint64_t j, uint32_t level)
{
    return level == 0 ? cut->starts[j] : (cut->starts[j] >> (GF_CUT_SHIFT * level)) + j;
}

/* The number of places that long segment j takes at a level. */
GF_EVERYWHERE uint64_t gf_cut_partials(const struct gf_reduce_cut *cut, uint64_t j, uint32_t level)
{
    return ((cut->starts[j + 1] - cut->starts[j] - 1) >> (GF_CUT_SHIFT * level)) + 1;
}

/* The long segment that owns a place at a level. */
GF_EVERYWHERE uint64_t gf_cut_at(const struct gf_reduce_cut *cut, uint64_t place, uint32_t level)
{
    uint64_t low = 0, high = cut->n_longs;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (gf_cut_base(cut, middle, level) <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The number of places at a level. */
static inline uint64_t gf_cut_partial_count(const struct gf_reduce_cut *cut, uint32_t level)
{
    return cut->n_longs == 0 ? 0 : level == 0 ? cut->chunks : (cut->chunks >> (GF_CUT_SHIFT * level)) + cut->n_longs;
}

/* The number of words in all tables. */
static inline uint64_t gf_cut_words(const struct gf_reduce_cut *cut)
{
    return cut->n + 1 + cut->n_longs + cut->n_longs + 1;
}

/* The same tables at another address. */
static inline struct gf_reduce_cut gf_cut_at_words(const struct gf_reduce_cut *cut, uint64_t *words)
{
    struct gf_reduce_cut other = *cut;
    other.offsets = words;
    other.longs = words + cut->n + 1;
    other.starts = other.longs + cut->n_longs;
    return other;
}

/* Checks the list `segments` of a step for channels of this many elements and makes the tables. BAD_PARAM,
 * NO_MEMORY. */
enum gf_status gf_reduce_cut_init(const struct gf_step *step, const struct gf_buf *list, uint64_t elements,
                                  uint32_t span, struct gf_reduce_cut *ret_cut, struct gf_error *err);
void gf_reduce_cut_deinit(struct gf_reduce_cut *cut);

#ifdef __cplusplus
}
#endif
#endif
