/* SPDX-License-Identifier: MIT */
/* Scratch memory of canny on the CPU: pixels as bits, and gradients of a few rows per thread. */
#ifndef GF_PROTOCOL_CANNY_PLAN_H
#define GF_PROTOCOL_CANNY_PLAN_H

#include "protocol/ops/params/canny.h"
#include "protocol/ops/program.h"
#include "tiles.h"

struct gf_canny_kind {
    uint32_t dtype, channels, radius;
    bool l2;
};

static inline size_t gf_canny_part_size(const struct gf_canny_kind *kind)
{
    return kind->dtype == GF_U8 ? sizeof(int16_t) : sizeof(int32_t);
}

static inline size_t gf_canny_magnitude_size(const struct gf_canny_kind *kind)
{
    return gf_canny_part_size(kind) * (kind->l2 ? 2 : 1);
}

/* Offsets of the gradients of a row of samples or pixels. One magnitude lies before the first and one after the last.
 */
struct gf_canny_offsets {
    size_t dx, dy, magnitudes;
};

struct gf_canny_plan {
    struct gf_canny_kind kind;
    size_t words;        /* of 64 pixels in a row; the last bit of a row's last word is not a pixel */
    size_t weak, strong; /* offsets of the pixels as bits */
    size_t stack, waits; /* offsets of the indices of words, and of a byte per word */
    size_t rooms, room;  /* offset of the threads' rooms, and the bytes of each */
    /* Offsets in a room: sums along columns, with room for the radius before and after them; the gradients of all
     * samples, only with several channels; and the gradients of three rows of pixels. */
    size_t smooth, slope;
    struct gf_canny_offsets samples, rows[3];
};

struct gf_canny_plan gf_canny_plan(const struct gf_step *step, const struct gf_view *in);

static inline uint64_t gf_canny_scratch(const struct gf_canny_plan *plan, uint32_t threads)
{
    return plan->rooms + (uint64_t)threads * plan->room;
}

#endif
