/* SPDX-License-Identifier: MIT */
/*
 * Connected components of foreground pixels, called parts: union-find (union_find.cuh) over pixel indices in row-major
 * order, first within tiles in shared memory, then across the tiles' borders. Included by label.cu and canny.cu, whose
 * kernel arguments A must have:
 *
 *   is_foreground(x, y)       of a pixel, the same in all calls
 *   width, height, tiles_across, tiles_down, diagonal (8 neighbours)
 *   links                     per pixel: its own or a smaller index of the same part; `background` for background
 *
 * Kernels have grid-stride loops, so a launch may have any number of blocks; launches are split so that the host can
 * stop a job between them. A kernel reads what earlier kernels wrote, because all are in one stream.
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
constexpr uint32_t background = UINT32_MAX; /* the link of a background pixel */

/* The first lane of the run of ones that ends at this lane's bit, which must be 1. */
__device__ __forceinline__ uint32_t run_start(uint32_t bits, uint32_t lane)
{
    const uint32_t zeros = ~bits & ((1u << lane) - 1);
    return 32 - __clz(static_cast<int>(zeros)); /* __clz(0) is 32 */
}

/*
 * The joins to the row above that the pixels of a row, `bits`, need beyond the joins that neighbours imply: to pixels
 * x - 1, x and x + 1. Of adjacent pixels that are foreground in both rows, only the first joins the pixel above. A
 * diagonal join is needed only if neither the pixel above nor the pixel beside, which would imply it, is foreground.
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

/* The block's tile in shared memory. For each tile the threads write it, pass a barrier, then read it. */
struct Tile {
    uint32_t links[tile_pixels];
    uint32_t rows[tile_height];
};

/* Finds the sets within tiles: each link becomes the global index of the least pixel joined within the tile. */
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
        gf_sync_block(); /* rows and initial links are written */
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
                join(links, i, i - lanes + 1); /* lane < 31: bit 31 of above >> 1 is 0 */
        }
        gf_sync_block(); /* all joins are complete */
        for (uint32_t r = warp; r < tile_height; r += warps) {
            if (x >= a.width || y0 + r >= a.height)
                continue;
            const uint32_t root = climb(links, r * lanes + lane);
            const bool foreground = (tile.rows[r] >> lane & 1) != 0;
            a.links[static_cast<uint64_t>(y0 + r) * a.width + x] =
                foreground ? (y0 + root / lanes) * a.width + x0 + root % lanes : background;
        }
        gf_sync_block(); /* all threads have read the tile before the next one overwrites it */
    }
}

/* Whether pixel (x, y), which may be outside, is foreground. Concurrent joins never change a link to or from
 * `background`. */
template <class A> __device__ __forceinline__ bool has_link(const A &a, uint32_t x, uint32_t y)
{
    return x < a.width && y < a.height &&
           gf_load_published(a.links + static_cast<uint64_t>(y) * a.width + x) != background;
}

/* Makes the joins between the first row of a tile and the row above, at x, as joins_above() does. It skips implied
 * joins, which requires that both rows are joined along themselves; tile_kernel and join_columns() do that
 * independently. */
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

/* Makes the joins between the first column of a tile and the column before, at y. Pixels in the same row are joined
 * unless their tiles have joined both to adjacent pixels in the row above. In the first row of a tile they are always
 * joined, because tiles have no such joins there and join_rows() relies on this one. Diagonals are joined if nothing
 * else implies the join. */
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
        /* Both axes have fewer than 2^32 border pixels. */
        const uint32_t k = static_cast<uint32_t>(i < in_rows ? i : i - in_rows);
        if (i < in_rows)
            join_rows(a, k % a.width, (1 + k / a.width) * tile_height);
        else
            join_columns(a, (1 + k / a.height) * tile_width, k % a.height);
    }
}

} // namespace gf::region

#endif
