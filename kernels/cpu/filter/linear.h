/* SPDX-License-Identifier: MIT */
/* Linear filters on the CPU: one engine for masks, separable filters, boxes and the named filters made of them. */
#ifndef GF_KERNELS_CPU_LINEAR_H
#define GF_KERNELS_CPU_LINEAR_H

#include "kernels/cpu/device/border.h"
#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/filter.h"
#include "protocol/ops/plan/filter_plan.h"
#include "simd_filter.h"

/* The number of powers of two up to the longest box. */
#define GF_BOX_LEVELS 12

/* A filter and its tiling. A "line" is a row of interleaved samples as f32. */
struct gf_cpu_linear {
    const struct gf_filter *f;
    const struct gf_simd *simd;
    struct gf_buf src, dst;
    struct gf_cpu_source source; /* how source samples are converted to f32 */
    struct gf_cpu_target target; /* how sums are converted to result samples */
    struct gf_cpu_border border; /* source rows as f32, before premultiplying */
    uint32_t channels;
    struct gf_filter_plan plan;
};

/* Whether the box must be summed in integers: its sums are exact there, and may not be exact in f32. */
bool gf_cpu_box_in_integers(const struct gf_filter *f, uint32_t dtype);

/* Whether the box is over bytes and its sums fit in 16 bits. */
bool gf_cpu_box_of_bytes(const struct gf_filter *f, const struct gf_cpu_linear *p);

/* The first column and the first row that a tile reads; either may lie outside the picture. */
static inline int64_t gf_cpu_source_x(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile)
{
    return (int64_t)tile->x + p->f->origin_x - p->f->anchor_x;
}

static inline int64_t gf_cpu_source_y(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile)
{
    return (int64_t)tile->y + p->f->origin_y - p->f->anchor_y;
}

/* The width of a tile's row with its halo, in pixels. */
static inline int64_t gf_cpu_wide(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile)
{
    return (int64_t)tile->width + p->f->width - 1;
}

/* The number of source row y among the lines that a box keeps; the last one is that of a constant border. */
static inline size_t gf_cpu_kept_line(const struct gf_cpu_linear *p, int64_t y)
{
    const int64_t from = gf_border_index(p->f->border, y, (int64_t)p->src.view.height);
    return from < 0 ? p->plan.kept - 1 : (size_t)from;
}

/* The source row of kept line k. */
static inline int64_t gf_cpu_kept_row(const struct gf_cpu_linear *p, size_t k)
{
    return k < p->plan.kept - 1 ? (int64_t)k : -1;
}

/* Loads source row y of the tile with its halo as f32 into `line`, which has room for wide_line floats. The row may lie
 * outside the picture; the border is resolved. */
void gf_cpu_load_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *line);
/* Converts the sums of row y of the tile to samples and stores them. Overwrites acc. */
void gf_cpu_store_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *acc);

/* Each computes one tile of a struct gf_cpu_linear: MASK, STENCIL and SEPARABLE; BOX by the rule for f32; BOX by exact
 * integer sums; BOX over bytes; DISC. */
gf_cpu_tile_fn gf_cpu_fir_tile, gf_cpu_box_tile, gf_cpu_box_sum_tile, gf_cpu_box_bytes_tile, gf_cpu_bilateral_tile;

#endif
