/* SPDX-License-Identifier: MIT */
/*
 * Rows of results whose windows are a pixel or two, as linear has them where no pixel is to be counted in: what each
 * vector of results takes from the lines of a strip. Called by resize.c; simd_resize.c reads it.
 */
#ifndef GF_KERNELS_CPU_PAIRS_H
#define GF_KERNELS_CPU_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/geometry/resize.h"

/* Tables of strips, one after the other, each of whole vectors, which begin with a pixel. */
struct gf_resize_pairs {
    uint32_t channels, lanes;
    uint32_t vectors;  /* of a strip */
    bool within;       /* all places of a vector are those of one vector of the line, else of two */
    uint32_t *bases;   /* of a vector: sample of the line that its places count from */
    int32_t *places;   /* of a lane: the left sample; the right one is a pixel further */
    float *weights[2]; /* of a lane: 0 for a sample that is not there */
    void *memory;      /* owned */
};

#define GF_RESIZE_PAIRS_NULL ((struct gf_resize_pairs){0})

/* Columns of the result, in strips; lines have the left and the right pixel of each, where `lefts` lists them, else all
 * from the first one of the strip on. */
struct gf_resize_strips {
    const struct gf_resize_axis *axis;
    uint32_t channels, strip, n_strips;
    const uint32_t *lefts;
};

/* Whether vectors of results, of so many lanes, are made of two vectors of a line that has all pixels. */
bool gf_resize_pairs_are_near(const struct gf_resize_axis *axis, uint32_t channels, uint32_t lanes);
/* NO_MEMORY. On success the caller calls gf_resize_pairs_deinit. */
enum gf_status gf_resize_pairs_init(struct gf_resize_pairs *pairs, const struct gf_resize_strips *strips,
                                    uint32_t lanes, struct gf_error *err);
void gf_resize_pairs_deinit(struct gf_resize_pairs *pairs);

#endif
