/* SPDX-License-Identifier: MIT */
/*
 * How the CPU cuts the result of a step into tiles, and the workspace of its threads. The CPU backend runs the tiles
 * (kernels/cpu/device/tiles.h); the front charges their memory (protocol/ops/footprint.c).
 */
#ifndef GF_PROTOCOL_TILES_H
#define GF_PROTOCOL_TILES_H

#include "protocol/base/base.h"

/* Lines start at multiples of this many floats and have room for their samples rounded up to it. */
#define GF_LINE_ALIGN 16u

/* The sides may count any unit: pixels, samples, blocks. The last tiles of both directions may be smaller. */
struct gf_tiles {
    uint64_t width, height; /* of the whole result */
    uint64_t tile_width, tile_height;
    uint64_t room; /* bytes of scratch memory per thread; 0: none */
};

/* Tiles of whole rows, about `task` units each. */
static inline struct gf_tiles gf_whole_rows(uint64_t width, uint64_t height, uint64_t task)
{
    return (struct gf_tiles){width, height, width, width < task ? task / width : 1, 0};
}

/* As gf_whole_rows, but rows of more than `task` units are cut into pieces of that length. */
static inline struct gf_tiles gf_cut_rows(uint64_t width, uint64_t height, uint64_t task)
{
    struct gf_tiles tiles = gf_whole_rows(width, height, task);
    tiles.tile_width = width < task ? width : task;
    return tiles;
}

static inline uint64_t gf_tiles_across(const struct gf_tiles *tiles)
{
    return gf_divide_up(tiles->width, tiles->tile_width);
}

static inline uint64_t gf_tiles_down(const struct gf_tiles *tiles)
{
    return gf_divide_up(tiles->height, tiles->tile_height);
}

/* The scratch memory of `threads` threads, 0 for a GPU; a single tile takes the memory of one thread. UINT64_MAX if the
 * size overflows. */
static inline uint64_t gf_tiles_scratch(const struct gf_tiles *tiles, uint32_t threads)
{
    const bool single = gf_tiles_across(tiles) * gf_tiles_down(tiles) == 1;
    uint64_t slots = single && threads > 1 ? 1 : threads, room, all;
    return gf_align_u64(tiles->room, 64, &room) && gf_mul_u64(room, slots, &all) ? all : UINT64_MAX;
}

/* Places `bytes` at offset *end, moves *end to the next cache line behind them, and returns their offset. */
static inline size_t gf_layout_add(size_t *end, uint64_t bytes)
{
    const size_t at = *end;
    *end = at + (size_t)gf_round_up(bytes, 64);
    return at;
}

#endif
