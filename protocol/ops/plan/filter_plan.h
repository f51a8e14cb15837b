/* SPDX-License-Identifier: MIT */
/* The tiles of linear filters and of bilateral on the CPU, their lines of floats, and what a thread works in. */
#ifndef GF_PROTOCOL_FILTER_PLAN_H
#define GF_PROTOCOL_FILTER_PLAN_H

#include "protocol/ops/program.h"
#include "tiles.h"

/* Floats by which lines of bilateral are longer, for what vectors read past their last pixel. */
#define GF_DISC_SPARE 64u

struct gf_filter_plan {
    uint32_t width, height; /* of the mask; taps at both ends that round to zero count */
    uint32_t channels;
    struct gf_tiles tiles; /* of pixels of the result */
    size_t line;           /* floats from one line of a tile's width to the next */
    size_t wide_line;      /* the same with the halo of the mask's width */
    size_t ring;           /* lines that the columns' part keeps */
    size_t ring_line;      /* floats of one of them, where they are not of a box */
    size_t head;           /* bytes of a pointer and a row's number for each, whole lines of the cache */
    size_t plane;          /* floats of one channel of a line of bilateral */
};

/* How a tile is computed, kernels/cpu/filter/linear.h. */
enum gf_filter_engine {
    GF_ENGINE_TAPS,
    GF_ENGINE_BOX,       /* by doubling */
    GF_ENGINE_BOX_SUMS,  /* running sums of whole numbers */
    GF_ENGINE_BOX_BYTES, /* those of bytes in 16 bits */
    GF_ENGINE_DISC
};

/* `mask` is looked at where the op has one. */
struct gf_filter_plan gf_filter_plan(const struct gf_step *step, const struct gf_view *mask, uint32_t threads);
/* Bytes that a thread works in; `channels` of a pixel are filtered. */
uint64_t gf_filter_room(const struct gf_filter_plan *plan, enum gf_filter_engine engine, uint32_t channels);

/* Lengths of 1, 2, 4 ... of which a box of n is put together; lines that the ring of sums of 2^level needs so that none
 * is overwritten before its last use; samples of a line of bytes, with what vectors read and write past its end. */
static inline uint32_t gf_box_levels(uint32_t n)
{
    return 32 - (uint32_t)__builtin_clz(n);
}

static inline size_t gf_box_depth(uint32_t n, uint32_t level)
{
    const uint32_t m = 1u << level;
    return level + 1 == gf_box_levels(n) ? n - m + 1 : m + 1;
}

static inline size_t gf_box_line(const struct gf_filter_plan *plan)
{
    return plan->wide_line + plan->width * (size_t)plan->channels + 64;
}

#endif
