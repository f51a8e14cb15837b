/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of canny, compiled once per instruction set (simd_canny.c). Called by canny.c.
 *
 * Numbers are as wide as the greatest need (docs/numerics.md 21): parts of gradients 16 bits for u8, else 32;
 * magnitudes 16 or 32 bits likewise, with l2 32 bits for u8, else f64, in which they are exact.
 */
#ifndef GF_KERNELS_CPU_SIMD_CANNY_H
#define GF_KERNELS_CPU_SIMD_CANNY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/base/dtype.h"
#include "protocol/ops/plan/canny_plan.h"

#define GF_CANNY_RADIUS 3 /* of the largest mask */

/* Gradients of the samples of a row, or of its pixels; in these one place before and one behind the row are magnitudes
 * of 0. */
struct gf_canny_line {
    void *dx, *dy, *magnitudes;
};

/* Where a row's gradients are made: sums along columns, with room for the radius in pixels before and behind; with
 * several channels, gradients of all samples. */
struct gf_canny_room {
    void *smooth, *slope;
    struct gf_canny_line samples;
};

struct gf_simd_canny {
    /* The gradients of a row of n pixels, from it and `radius` rows above and below it, at any address. */
    void (*gradients)(const struct gf_canny_kind *kind, const void *const *rows, size_t n,
                      const struct gf_canny_room *room, const struct gf_canny_line *line);
    /* Bits of the pixels of lines[1], between the row above and the one below: in `weak`, where a ridge is above `low`,
     * in `strong` where it is above `high`, too; n / 64 + 1 words of each, bits from n on are 0. */
    void (*ridges)(const struct gf_canny_kind *kind, const struct gf_canny_line *lines, size_t n,
                   const int64_t thresholds[2], uint64_t *weak, uint64_t *strong);
    /* A row of n bytes, at any address: 255 where a bit is 1, else 0. */
    void (*paint)(const uint64_t *words, uint8_t *row, size_t n);
};

#endif
