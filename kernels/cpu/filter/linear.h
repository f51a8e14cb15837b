/* SPDX-License-Identifier: MIT */
/* Linear filters on the CPU: one engine for masks, separable filters, boxes and the named filters made of
 * them. */
#ifndef GF_KERNELS_CPU_LINEAR_H
#define GF_KERNELS_CPU_LINEAR_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/filter.h"
#include "simd_filter.h"

/* Powers of two up to the longest box. */
#define GF_BOX_LEVELS 12

/* A filter laid out in tiles. Read by all threads, written by none but `stop`. Pixels of the result; a "line" is a
 * row of interleaved samples as f32. */
struct gf_cpu_linear {
    const struct gf_filter *f;
    const struct gf_simd *simd;
    struct gf_buf src, dst;
    struct gf_cpu_source source; /* how source samples become f32 */
    struct gf_cpu_target target; /* how sums become result samples */
    uint32_t channels;
    uint32_t tile_width, tile_height; /* pixels */
    uint32_t tiles_x, tiles_y;
    size_t line;      /* floats from one line of tile_width pixels to the next */
    size_t wide_line; /* likewise with the halo of the mask's width */
    size_t ring;      /* lines the columns' part keeps */
    unsigned char *scratch;
    size_t slot_size; /* bytes of scratch per thread */
    struct gf_cpu_stop stop;
};

/* A tile and the room to compute it. */
struct gf_cpu_tile {
    int64_t x0, y0; /* first pixel of the result */
    uint32_t width, height;
    unsigned char *workspace;
};

/* Whether sums of the box are to be taken in integers: exact, and not surely exact in f32. */
bool gf_cpu_box_in_integers(const struct gf_filter *f, uint32_t dtype);

/* Whether the box is one over bytes whose sums fit 16 bits. */
bool gf_cpu_box_of_bytes(const struct gf_filter *f, const struct gf_cpu_linear *p);

/* Source line for result line y of mask row 0 plus `ky`: in source rows, before the border. */
static inline int64_t gf_cpu_source_y(const struct gf_cpu_linear *p, int64_t y, int64_t ky)
{
    return y + ky + p->f->origin_y - p->f->anchor_y;
}

/* Loads source row y (anywhere; borders are resolved) of the tile and its halo as f32 into `line`, which has
 * wide_line floats. */
void gf_cpu_load_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *line);
/* Turns the sums of result row y into samples and stores them; acc is overwritten. */
void gf_cpu_store_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *acc);

/* Bytes of room that a tile of each kind needs; the layout is the file's own. */
uint64_t gf_cpu_fir_workspace(const struct gf_cpu_linear *p);
uint64_t gf_cpu_box_workspace(const struct gf_cpu_linear *p);
uint64_t gf_cpu_box_sum_workspace(const struct gf_cpu_linear *p);
uint64_t gf_cpu_box_bytes_workspace(const struct gf_cpu_linear *p);
uint64_t gf_cpu_bilateral_workspace(const struct gf_cpu_linear *p);
/* Compute one tile: MASK and SEPARABLE; BOX by the rule for f32; BOX by exact sums; BOX over bytes; DISC. */
void gf_cpu_fir_tile(struct gf_cpu_linear *p, const struct gf_cpu_tile *tile);
void gf_cpu_box_tile(struct gf_cpu_linear *p, const struct gf_cpu_tile *tile);
void gf_cpu_box_sum_tile(struct gf_cpu_linear *p, const struct gf_cpu_tile *tile);
void gf_cpu_box_bytes_tile(struct gf_cpu_linear *p, const struct gf_cpu_tile *tile);
void gf_cpu_bilateral_tile(struct gf_cpu_linear *p, const struct gf_cpu_tile *tile);

#endif
