/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of canny, compiled once per instruction set (simd_canny.c). Called by canny.c.
 *
 * Numbers are as wide as their range requires (docs/numerics.md, "canny"). Parts of gradients have 16 bits for u8,
 * otherwise
 * 32. Magnitudes have the same width; with l2 they have 32 bits for u8, otherwise they are f64, in which they are
 * exact.
 */
#ifndef GF_KERNELS_CPU_SIMD_CANNY_H
#define GF_KERNELS_CPU_SIMD_CANNY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/base/dtype.h"
#include "protocol/ops/plan/canny_plan.h"

#define GF_CANNY_RADIUS 3 /* radius of the largest mask */

/* Gradients of the samples of a row, or of its pixels. For pixels, magnitudes of 0 lie before and after the row. */
struct gf_canny_line {
    void *dx, *dy, *magnitudes;
};

/* Temporary lines for a row's gradients: sums along columns, with room for the radius in pixels before and after; and
 * with several channels, the gradients of all samples. */
struct gf_canny_workspace {
    void *smooth, *slope;
    struct gf_canny_line samples;
};

struct gf_simd_canny {
    /* Computes the gradients of a row of n pixels from the row and `radius` rows above and below it, at any address. */
    void (*gradients)(const struct gf_canny_kind *kind, const void *const *rows, size_t n,
                      const struct gf_canny_workspace *room, const struct gf_canny_line *line);
    /* Finds the ridges of lines[1], between the rows above and below: bits in `weak` if a ridge is above `low`, in
     * `strong` if it is above `high` too. Writes n / 64 + 1 words of each; bits from n on are 0. */
    void (*ridges)(const struct gf_canny_kind *kind, const struct gf_canny_line *lines, size_t n,
                   const int64_t thresholds[2], uint64_t *weak, uint64_t *strong);
    /* Writes a row of n bytes at any address: 255 where a bit is 1, otherwise 0. */
    void (*paint)(const uint64_t *words, uint8_t *row, size_t n);
};

#endif
