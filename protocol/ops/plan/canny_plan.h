/* SPDX-License-Identifier: MIT */
/* Scratch memory of canny on the CPU: pixels as bits, and gradients of a few rows per thread. */
#ifndef GF_PROTOCOL_CANNY_PLAN_H
#define GF_PROTOCOL_CANNY_PLAN_H

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

static inline struct gf_canny_kind gf_canny_kind_of(const struct gf_step *step, const struct gf_view *in)
{
    const struct gf_canny_params *p = &step->params.canny;
    return (struct gf_canny_kind){in->dtype, in->channels, p->aperture / 2, p->l2 != 0};
}

/* Each part of a room takes whole cache lines. */
static inline size_t gf_canny_align(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Bytes of the sums along columns of n samples, with room for the radius before and after them. */
static inline size_t gf_canny_sums_bytes(const struct gf_canny_kind *kind, size_t n)
{
    return gf_canny_align((n + 2 * (size_t)kind->radius * kind->channels) * gf_canny_part_size(kind));
}

/* Bytes of the gradients of n samples or pixels, with one magnitude before and one after them. */
static inline size_t gf_canny_line_bytes(const struct gf_canny_kind *kind, size_t n)
{
    return 2 * gf_canny_align(n * gf_canny_part_size(kind)) + gf_canny_align((n + 2) * gf_canny_magnitude_size(kind));
}

/* Bytes of a thread's room for rows of n pixels. */
static inline size_t gf_canny_room_bytes(const struct gf_canny_kind *kind, size_t n)
{
    const size_t samples = n * kind->channels, sums = 2 * gf_canny_sums_bytes(kind, samples);
    return sums + (kind->channels > 1 ? gf_canny_line_bytes(kind, samples) : 0) + 3 * gf_canny_line_bytes(kind, n);
}

/* The words of 64 pixels in a row; the last bit of a row's last word is not a pixel. */
static inline size_t gf_canny_words(const struct gf_view *in)
{
    return (size_t)in->width / 64 + 1;
}

/* Bytes of the weak and the strong pixels, a stack of words, a flag per word that is on it, and the threads' rooms. */
static inline uint64_t gf_canny_scratch(const struct gf_canny_kind *kind, const struct gf_view *in, uint32_t threads)
{
    const size_t words = (size_t)in->height * gf_canny_words(in);
    return 2 * gf_canny_align(words * sizeof(uint64_t)) + gf_canny_align(words * sizeof(uint32_t)) +
           gf_canny_align(words * sizeof(uint8_t)) + threads * gf_canny_room_bytes(kind, (size_t)in->width);
}

#endif
