/* SPDX-License-Identifier: MIT */
/* The tiles of median, rank and percentile on the CPU, and the threads' workspaces. */
#ifndef GF_PROTOCOL_RANK_PLAN_H
#define GF_PROTOCOL_RANK_PLAN_H

#include "protocol/ops/program.h"
#include "tiles.h"

/* Bytes after the last key of a tile's row, of keys or of results, that may be read or written. */
#define GF_RANK_SLACK 128u
/* Columns of a tile of 1-byte keys with sliding windows, at most. */
#define GF_RANK_COLUMNS 512u
/* Lines of keys of a band of medians of 3 x 3, indexed by the row's number; one more line holds a constant border. */
#define GF_RANK_RING 4u

enum gf_rank_method {
    GF_RANK_BY_ROWS,    /* medians of 3 x 3 */
    GF_RANK_BY_NETWORK, /* medians of 5 x 5 */
    GF_RANK_BY_COUNTING,
    GF_RANK_BY_SLIDING
};

struct gf_rank_plan {
    enum gf_rank_method way;
    struct gf_tiles tiles;   /* of pixels */
    size_t pitch, out_pitch; /* bytes per row of keys, and per row of results */
    size_t keys, results;    /* bytes of a tile's keys, and of its results; the loop's work memory follows */
};

/* The sides of the window, and the index of the wanted sample among its samples, from the least one. */
struct gf_rank_window {
    uint32_t width, height, index;
};

/* The rank of the sample at a percentile, rounded down as in scipy. */
static inline uint32_t gf_rank_of_percent(double percent, uint32_t n)
{
    double at = (double)n * percent / 100.0;
    return at < (double)n ? (uint32_t)at : n - 1;
}

struct gf_rank_window gf_rank_window_of(const struct gf_step *step);
struct gf_rank_plan gf_rank_plan(const struct gf_step *step);

/* Work memory of small windows of `height` rows: sorted columns of rows of `row` bytes of keys. */
static inline uint64_t gf_rank_network_work(uint64_t row, uint32_t height)
{
    return height * (row + GF_RANK_SLACK + 64);
}

/* Work memory of sliding windows over across x down pixels. 1-byte keys: per column a counter of each key and of each
 * 16 keys. Other keys: per sample of a channel twice its key with its index, its place in the order and a bit, plus
 * counters. */
static inline uint64_t gf_rank_sliding_work(uint64_t across, uint64_t down, size_t key)
{
    const uint64_t n = across * down;
    return key == 1 ? across * (256 + 16)
                    : n * (2 * sizeof(uint64_t) + sizeof(uint32_t)) + (n / 1024 + 1) * (128 + sizeof(uint32_t));
}

#endif
