/* SPDX-License-Identifier: MIT */
/*
 * Segments of a reduction, alike on every backend. Those of one chunk are done at once. The chunks of the long ones
 * have places in a row, segment after segment; so have, level by level, the parts that 4096 of them make each time, of
 * which not every place is taken. C and CUDA read this header.
 */
#ifndef GF_KERNELS_REDUCE_CUT_H
#define GF_KERNELS_REDUCE_CUT_H

#include "reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_CUT_SHIFT 12u /* GF_TREE_CHUNK is 2^12 */

/* The tables lie behind one another in memory. */
struct gf_reduce_cut {
    uint64_t *offsets;           /* n + 1 */
    uint64_t *longs;             /* which segments have more than one chunk */
    uint64_t *starts;            /* n_longs + 1: chunks of the long ones before */
    uint64_t n, n_longs, chunks; /* segments, long ones, chunks of all long ones */
    uint64_t max;                /* chunks of the longest segment, at least 1 */
    uint32_t span;               /* elements of a chunk */
};

GF_EVERYWHERE uint64_t gf_cut_length(const struct gf_reduce_cut *cut, uint64_t segment)
{
    return cut->offsets[segment + 1] - cut->offsets[segment];
}

/* The first place of long segment j among the chunks, level 0, or the parts of a level; of n_longs: all places. */
GF_EVERYWHERE uint64_t gf_cut_base(const struct gf_reduce_cut *cut, uint64_t j, uint32_t level)
{
    return level == 0 ? cut->starts[j] : (cut->starts[j] >> (GF_CUT_SHIFT * level)) + j;
}

/* How many places of a level long segment j takes. */
GF_EVERYWHERE uint64_t gf_cut_partials(const struct gf_reduce_cut *cut, uint64_t j, uint32_t level)
{
    return ((cut->starts[j + 1] - cut->starts[j] - 1) >> (GF_CUT_SHIFT * level)) + 1;
}

/* The long segment that has a place of a level. */
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

/* Places of a level. */
static inline uint64_t gf_cut_places(const struct gf_reduce_cut *cut, uint32_t level)
{
    return cut->n_longs == 0 ? 0 : level == 0 ? cut->chunks : (cut->chunks >> (GF_CUT_SHIFT * level)) + cut->n_longs;
}

/* Numbers in all tables. */
static inline uint64_t gf_cut_words(const struct gf_reduce_cut *cut)
{
    return cut->n + 1 + cut->n_longs + cut->n_longs + 1;
}

/* The same tables at another place. */
static inline struct gf_reduce_cut gf_cut_at_words(const struct gf_reduce_cut *cut, uint64_t *words)
{
    struct gf_reduce_cut other = *cut;
    other.offsets = words;
    other.longs = words + cut->n + 1;
    other.starts = other.longs + cut->n_longs;
    return other;
}

/* Checks the list `segments` of a step for channels of so many elements and makes the tables. BAD_PARAM, NO_MEMORY. */
enum gf_status gf_reduce_cut_init(const struct gf_step *step, const struct gf_buf *list, uint64_t elements,
                                  uint32_t span, struct gf_reduce_cut *ret_cut, struct gf_error *err);
void gf_reduce_cut_deinit(struct gf_reduce_cut *cut);

#ifdef __cplusplus
}
#endif
#endif
