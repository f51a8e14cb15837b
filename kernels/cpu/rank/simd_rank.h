/* SPDX-License-Identifier: MIT */
/*
 * The inner loops of rank_filter, compiled once per instruction set (simd_convert.c, simd_windows.c, simd_columns.c,
 * simd_ordered.c). All of them find the same sample; rank_filter.c chooses by window and type; median3.c has
 * simd_rows.c. They work on keys
 * (kernels/shared/rank/rank.h) of 1, 2 or 4 bytes.
 */
#ifndef GF_KERNELS_CPU_SIMD_RANK_H
#define GF_KERNELS_CPU_SIMD_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/ops/plan/rank_plan.h"

/* Windows within a tile. Sample i of row r of the result is made of rows r .. r + height - 1 of the keys, there of i,
 * i + channels, .. i + (width - 1) * channels. */
struct gf_rank_tile {
    const unsigned char *keys;
    size_t pitch; /* bytes */
    unsigned char *out;
    size_t out_pitch; /* bytes */
    uint32_t width, height, index;
    uint32_t channels;
    uint32_t columns, rows; /* of the result, in pixels */
    void *work;             /* 64-byte aligned; as much as the plan says */
    /* Asked before a row of windows that take long: a tile of them may take seconds. Where it says true, the rest of
     * the result stays as it is. NULL: nobody is asked. */
    bool (*is_stopped)(void *context);
    void *context;
};

/* Two rows of medians of 3 x 3, or one, from the four or three rows that they are made of: those of floats as keys,
 * others as they are. Result i is made of i, i + step and i + 2 * step; n is at least GF_RANK_LEAST. Nothing beyond is
 * read or written. */
struct gf_rank_rows {
    const void *in[4];
    void *out[2]; /* samples; the second is NULL where one row is made */
    size_t n, step;
    uint32_t dtype;
};

#define GF_RANK_LEAST 64u

typedef void gf_rank_tile_fn(const struct gf_rank_tile *tile);

struct gf_simd_rank {
    /* n samples at any address to keys, and back; any NaN becomes the one that is stored. */
    void (*to_keys)(uint32_t dtype, const void *src, void *keys, size_t n);
    void (*from_keys)(uint32_t dtype, const void *keys, void *dst, size_t n);
    /* Medians of 3 x 3, straight from samples to samples. Whether what it took for keys of floats may have been floats
     * that are their own keys: none was negative or above infinity. */
    bool (*median3)(const struct gf_rank_rows *rows);
    /* Medians of 5 x 5, by the bytes of a key (1, 2, 4: place 0, 1, 2). */
    gf_rank_tile_fn *median5[3];
    /* Any rank of at most 127 samples: counts those below a bound, bit by bit. No work. */
    gf_rank_tile_fn *counting[3];
    /* Any rank in any window: of keys of 1 byte by counters of columns, of others by the order of all samples of the
     * tile. */
    gf_rank_tile_fn *sliding[3];
};

#endif
