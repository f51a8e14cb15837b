/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of rank_filter, compiled once per instruction set (simd_convert.c, simd_windows.c, simd_columns.c,
 * simd_ordered.c, simd_rows.c). All of them find the same sample; rank_filter.c chooses by window and type, and
 * median3.c uses simd_rows.c. They work on keys (kernels/shared/rank/rank.h) of 1, 2 or 4 bytes.
 */
#ifndef GF_KERNELS_CPU_SIMD_RANK_H
#define GF_KERNELS_CPU_SIMD_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/ops/plan/rank_plan.h"

/* Windows within a tile. Sample i of row r of the result depends on rows r .. r + height - 1 of the keys, at i, i +
 * channels, .. i + (width - 1) * channels. */
struct gf_rank_tile {
    const unsigned char *keys;
    size_t pitch; /* bytes */
    unsigned char *out;
    size_t out_pitch; /* bytes */
    uint32_t width, height, index;
    uint32_t channels;
    uint32_t columns, rows; /* of the result, in pixels */
    void *work;             /* 64-byte aligned; its size is in the plan */
    /* Called before a row of slow windows, whose tile may take seconds. If it returns true, the remaining results stay
     * unset. NULL: never stop. */
    bool (*is_stopped)(void *context);
    void *context;
};

/* One or two rows of medians of 3 x 3 from three or four source rows: keys for floats, samples for integers. Result i
 * depends on i, i + step and i + 2 * step. n must be at least GF_RANK_MIN. Nothing beyond these samples is read or
 * written. */
struct gf_rank_rows {
    const void *in[4];
    void *out[2]; /* samples; the second is NULL if one row is computed */
    size_t n, step;
    uint32_t dtype;
};

#define GF_RANK_MIN 64u

typedef void gf_rank_tile_fn(const struct gf_rank_tile *tile);

struct gf_simd_rank {
    /* Converts n samples at any address to keys, and back. Every NaN becomes the one that is stored. */
    void (*to_keys)(uint32_t dtype, const void *src, void *keys, size_t n);
    void (*from_keys)(uint32_t dtype, const void *keys, void *dst, size_t n);
    /* Medians of 3 x 3 from samples to samples. For floats, returns whether the source rows may have been plain floats
     * instead of keys: no key was negative or above infinity. */
    bool (*median3)(const struct gf_rank_rows *rows);
    /* Medians of 5 x 5, by bytes per key (1, 2, 4: index 0, 1, 2). */
    gf_rank_tile_fn *median5[3];
    /* Any rank of at most 127 samples: counts the samples below a bound, bit by bit. Needs no work memory. */
    gf_rank_tile_fn *counting[3];
    /* Any rank in any window: 1-byte keys by column histograms, other keys by sorting all samples of the tile. */
    gf_rank_tile_fn *sliding[3];
};

#endif
