/* SPDX-License-Identifier: MIT */
/* The tiles of median, rank and percentile on the CPU, and what a thread works in. */
#ifndef GF_PROTOCOL_RANK_PLAN_H
#define GF_PROTOCOL_RANK_PLAN_H

#include "protocol/ops/program.h"
#include "tiles.h"

/* Bytes behind the last key of a row of a tile, of keys or of results, that are read or written. */
#define GF_RANK_SLACK 128u
/* Columns of a tile of keys of 1 byte, at most, where windows slide. */
#define GF_RANK_COLUMNS 512u
/* Lines of keys of a band of medians of 3 x 3, by the row's number; one more is of a constant border. */
#define GF_RANK_RING 4u

enum gf_rank_way {
    GF_RANK_BY_ROWS,    /* medians of 3 x 3 */
    GF_RANK_BY_NETWORK, /* medians of 5 x 5 */
    GF_RANK_BY_COUNTING,
    GF_RANK_BY_SLIDING
};

struct gf_rank_plan {
    enum gf_rank_way way;
    struct gf_tiles tiles;   /* of pixels */
    size_t pitch, out_pitch; /* bytes of a row of keys, and of results */
    size_t keys, results;    /* bytes of those of a tile; what the loop works in follows */
};

/* Sides of the window, and the number of the sample that is wanted in it, from the least one. */
struct gf_rank_window {
    uint32_t width, height, index;
};

/* The rank of the sample at a percentile: rounded down, as scipy's. */
static inline uint32_t gf_rank_of_percent(double percent, uint32_t n)
{
    double at = (double)n * percent / 100.0;
    return at < (double)n ? (uint32_t)at : n - 1;
}

struct gf_rank_window gf_rank_window_of(const struct gf_step *step);
struct gf_rank_plan gf_rank_plan(const struct gf_step *step);

/* What small windows of `height` rows work in: sorted columns of rows of so many bytes of keys. */
static inline uint64_t gf_rank_network_work(uint64_t row, uint32_t height)
{
    return height * (row + GF_RANK_SLACK + 64);
}

/* What windows that slide over across x down pixels work in: for each column a counter of every key and of 16 keys
 * each; or of each sample of a channel twice its key with its place, its place in the order, a bit, and counters. */
static inline uint64_t gf_rank_sliding_work(uint64_t across, uint64_t down, size_t key)
{
    const uint64_t n = across * down;
    return key == 1 ? across * (256 + 16)
                    : n * (2 * sizeof(uint64_t) + sizeof(uint32_t)) + (n / 1024 + 1) * (128 + sizeof(uint32_t));
}

#endif
