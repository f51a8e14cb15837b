/* SPDX-License-Identifier: MIT */
/*
 * Parts of pictures: pixels of foreground that neighbours connect, by union-find (union_find.cuh) over indices of
 * pixels, row after row: first within tiles, in shared memory, then across their borders. Included by label.cu and
 * canny.cu, which hand their arguments A to the kernels:
 *
 *   is_foreground(x, y)       of a pixel, the same in all calls
 *   width, height, tiles_across, tiles_down, diagonal (8 neighbours)
 *   links                     of each pixel: a smaller index of the same part, or its own; `background`
 *
 * Kernels loop over their units, so a launch may have any number of blocks; launches are cut so that the host can look
 * for a stop in between. What one kernel writes the next one reads: they follow each other in one stream.
 */
#ifndef GF_CUDA_PARTS_CUH
#define GF_CUDA_PARTS_CUH

#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/launches.cuh"
#include "union_find.cuh"

namespace gf::region
{

constexpr uint32_t threads = 256, lanes = 32, warps = threads / lanes;
constexpr uint32_t tile_width = lanes, tile_height = 64, tile_pixels = tile_width * tile_height;
constexpr uint32_t background = UINT32_MAX; /* the link of what is no foreground */

/* The first lane of the run of ones that ends in this lane's bit, which is 1. */
__device__ __forceinline__ uint32_t run_start(uint32_t bits, uint32_t lane)
{
    const uint32_t zeros = ~bits & ((1u << lane) - 1);
    return 32 - __clz(static_cast<int>(zeros)); /* __clz(0) is 32 */
}

/*
 * What a pixel of a row, `bits`, has to be joined to in the row above: of the joins that its neighbours do not make
 * anyway, those to x - 1, x and x + 1. The pixel above is joined by the first of neighbours in both rows; a diagonal
 * one only where neither the pixel above nor the one beside it, which join it too, is foreground.
 */
struct Above {
    uint32_t left, straight, right; /* masks of lanes */
};

__device__ __forceinline__ Above joins_above(uint32_t bits, uint32_t above, bool diagonal)
{
    Above j;
    j.straight = bits & above & ~(bits << 1 & above << 1);
    j.left = diagonal ? bits & ~above & above << 1 & ~(bits << 1) : 0;
    j.right = diagonal ? bits & ~above & above >> 1 & ~(bits >> 1) : 0;
    return j;
}

/* Shared by the threads of a block, which write it, then have a barrier, then read it, for each tile. */
struct Tile {
    uint32_t links[tile_pixels];
    uint32_t rows[tile_height];
};

/* Sets within tiles: links become the global index of the least pixel that is joined in the tile. */
template <class A>
__global__ void __launch_bounds__(threads) tile_kernel(const __grid_constant__ A a, const Range range)
{
    __shared__ Tile tile;
    const uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    const SharedLinks links = {tile.links};
    for (uint64_t t = range.first + blockIdx.x; t < range.end; t += gridDim.x) {
        const uint32_t x0 = static_cast<uint32_t>(t % a.tiles_across) * tile_width, x = x0 + lane;
        const uint32_t y0 = static_cast<uint32_t>(t / a.tiles_across) * tile_height;
        for (uint32_t r = warp; r < tile_height; r += warps) {
            const uint32_t bits = gf_ballot(x < a.width && y0 + r < a.height && a.is_foreground(x, y0 + r));
            const bool foreground = (bits >> lane & 1) != 0;
            tile.links[r * lanes + lane] = r * lanes + (foreground ? run_start(bits, lane) : lane);
            if (lane == 0)
                tile.rows[r] = bits;
        }
        gf_sync_block(); /* rows and first links are there */
        for (uint32_t r = warp; r < tile_height; r += warps) {
            if (r == 0)
                continue;
            const Above j = joins_above(tile.rows[r], tile.rows[r - 1], a.diagonal != 0);
            const uint32_t i = r * lanes + lane;
            if ((j.straight >> lane & 1) != 0)
                join(links, i, i - lanes);
            if ((j.left >> lane & 1) != 0)
                join(links, i, i - lanes - 1); /* lane > 0: bit 0 of above << 1 is 0 */
            if ((j.right >> lane & 1) != 0)
                join(links, i, i - lanes + 1); /* lane < 31 likewise */
        }
        gf_sync_block(); /* all joins are through */
        for (uint32_t r = warp; r < tile_height; r += warps) {
            if (x >= a.width || y0 + r >= a.height)
                continue;
            const uint32_t root = climb(links, r * lanes + lane);
            const bool foreground = (tile.rows[r] >> lane & 1) != 0;
            a.links[static_cast<uint64_t>(y0 + r) * a.width + x] =
                foreground ? (y0 + root / lanes) * a.width + x0 + root % lanes : background;
        }
        gf_sync_block(); /* all have read the tile before the next one is written */
    }
}

/* Whether pixel (x, y), which may lie outside, is foreground; links change meanwhile, but not between these two. */
template <class A> __device__ __forceinline__ bool has_link(const A &a, uint32_t x, uint32_t y)
{
    return x < a.width && y < a.height && gf_look(a.links + static_cast<uint64_t>(y) * a.width + x) != background;
}

/* Joins what meets between the first row of a tile and the row above, at x; cf. joins_above(). What is left to
 * neighbours relies on both rows being joined along themselves, which tiles and join_columns() do without this. */
template <class A> __device__ __forceinline__ void join_rows(const A &a, uint32_t x, uint32_t y)
{
    const GlobalLinks links = {a.links};
    if (!has_link(a, x, y))
        return;
    const uint32_t i = y * a.width + x;
    const bool above = has_link(a, x, y - 1), left = has_link(a, x - 1, y), above_left = has_link(a, x - 1, y - 1);
    if (above && !(left && above_left))
        join(links, i, i - a.width);
    if (above || a.diagonal == 0)
        return;
    if (above_left && !left)
        join(links, i, i - a.width - 1);
    if (has_link(a, x + 1, y - 1) && !has_link(a, x + 1, y))
        join(links, i, i - a.width + 1);
}

/* Joins what meets between the first column of a tile and the one before, at y: neighbours in the row, but for those
 * that their tiles have joined to neighbours in the row above, which is not so in the first row of a tile, where
 * join_rows() relies on this; diagonals where nothing else joins them. */
template <class A> __device__ __forceinline__ void join_columns(const A &a, uint32_t x, uint32_t y)
{
    const GlobalLinks links = {a.links};
    const uint32_t i = y * a.width + x;
    const bool own = has_link(a, x, y), left = has_link(a, x - 1, y);
    const bool above = has_link(a, x, y - 1), above_left = has_link(a, x - 1, y - 1); /* y - 1 wraps: outside */
    if (own && left && !(above && above_left && y % tile_height != 0))
        join(links, i, i - 1);
    if (a.diagonal == 0)
        return;
    if (own && above_left && !left && !above)
        join(links, i, i - a.width - 1);
    if (left && above && !own && !above_left)
        join(links, i - 1, i - a.width);
}

template <class A>
__global__ void __launch_bounds__(threads) border_kernel(const __grid_constant__ A a, const Range range)
{
    const uint64_t in_rows = static_cast<uint64_t>(a.tiles_down - 1) * a.width;
    for (uint64_t i = range.first + blockIdx.x * threads + threadIdx.x; i < range.end; i += gridDim.x * threads) {
        /* both have fewer than 2^32 */
        const uint32_t k = static_cast<uint32_t>(i < in_rows ? i : i - in_rows);
        if (i < in_rows)
            join_rows(a, k % a.width, (1 + k / a.width) * tile_height);
        else
            join_columns(a, (1 + k / a.height) * tile_width, k % a.height);
    }
}

} // namespace gf::region

#endif
