/* SPDX-License-Identifier: MIT */
/*
 * Tables for rows of results whose windows are one or two pixels, as in linear without shrinking: they tell which
 * samples of a strip's lines each vector of results takes. Made by resize.c; simd_resize.c reads them.
 */
#ifndef GF_KERNELS_CPU_PAIRS_H
#define GF_KERNELS_CPU_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/shared/geometry/resize.h"

/* The tables of all strips, one after the other. Each strip has whole vectors; a vector begins with a pixel. */
struct gf_resize_pairs {
    uint32_t channels, lanes;
    uint32_t vectors;  /* vectors per strip */
    bool within;       /* all places of a vector lie in one vector of the line; otherwise in two */
    uint32_t *bases;   /* per vector: the sample of the line from which its places count */
    int32_t *places;   /* per lane: the left sample; the right one is one pixel further */
    float *weights[2]; /* per lane: 0 for a sample that does not exist */
    void *memory;      /* owned */
};

#define GF_RESIZE_PAIRS_NULL ((struct gf_resize_pairs){0})

/* Columns of the result, in strips. If `lefts` is given, lines hold the left and the right pixel of each column;
 * otherwise they hold all pixels from the first one of the strip on. */
struct gf_resize_strips {
    const struct gf_resize_axis *axis;
    uint32_t channels, strip, n_strips;
    const uint32_t *lefts;
};

/* Whether every vector of `lanes` results takes its samples from two vectors of a line that holds all pixels. */
bool gf_resize_pairs_are_near(const struct gf_resize_axis *axis, uint32_t channels, uint32_t lanes);
/* NO_MEMORY. On success the caller must call gf_resize_pairs_deinit. */
enum gf_status gf_resize_pairs_init(struct gf_resize_pairs *pairs, const struct gf_resize_strips *strips,
                                    uint32_t lanes, struct gf_error *err);
void gf_resize_pairs_deinit(struct gf_resize_pairs *pairs);

#endif
