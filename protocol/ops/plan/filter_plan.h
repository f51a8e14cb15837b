/* SPDX-License-Identifier: MIT */
/* The tiles of linear filters and of bilateral on the CPU, their lines of floats, and the threads' workspaces. */
#ifndef GF_PROTOCOL_FILTER_PLAN_H
#define GF_PROTOCOL_FILTER_PLAN_H

#include "protocol/ops/program.h"
#include "tiles.h"

/* Extra floats in lines of bilateral, because vectors read past the last pixel. */
#define GF_DISC_SPARE 64u

struct gf_filter_plan {
    uint32_t width, height; /* of the mask; taps at both ends that round to zero are included */
    uint32_t channels;
    struct gf_tiles tiles; /* of pixels of the result */
    size_t line;           /* floats from one line of a tile's width to the next */
    size_t wide_line;      /* the same for lines with the halo of the mask's width */
    size_t ring;           /* lines in the ring of the column pass */
    size_t kept;      /* lines of a box that is higher than the picture: sums of all its rows, and one of the border */
    size_t ring_line; /* floats of one such line; not used by boxes */
    size_t head;      /* bytes of a pointer and a row number per line of the ring, in whole cache lines */
    size_t plane;     /* floats of one channel in a line of bilateral */
};

/* How a tile is computed, kernels/cpu/filter/linear.h. */
enum gf_filter_engine {
    GF_ENGINE_TAPS,
    GF_ENGINE_BOX,       /* by binary doubling */
    GF_ENGINE_BOX_SUMS,  /* running sums of whole numbers */
    GF_ENGINE_BOX_BYTES, /* sums of bytes in 16 bits */
    GF_ENGINE_DISC
};

/* `mask` is read only if the op has one. */
struct gf_filter_plan gf_filter_plan(const struct gf_step *step, const struct gf_view *mask, uint32_t threads);
/* Bytes of a thread's workspace; `channels` is the number of filtered channels of a pixel. */
uint64_t gf_filter_scratch(const struct gf_filter_plan *plan, enum gf_filter_engine engine, uint32_t channels);

/* gf_box_levels: the lengths 1, 2, 4 ... from which a box of n is assembled. gf_box_depth: lines in the ring of sums of
 * 2^level, so that no line is overwritten before its last use. gf_box_line: samples of a line of bytes, including what
 * vectors read and write past its end. */
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
