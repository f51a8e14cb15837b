/* SPDX-License-Identifier: MIT */
/*
 * resize in one kernel, for narrow windows: a block makes 32 rows of some groups of four columns. First each warp makes
 * four lines of column sums, as wide as the tile's windows reach. Then each lane stands for one of the 32 rows, and a
 * warp makes one group after another. Launched by resize.c.
 *
 * Sample s of line r is at (s / 4) * 129 + (s % 4) * 32 + r in shared memory: quads of adjacent lanes are 129 words
 * apart, lines of adjacent lanes one word, so neither writes nor reads have bank conflicts. The lanes write their
 * results to `out`, with an odd number of words per row, from where whole quads go to the picture.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "resize_taps.cuh"

namespace
{

using namespace gf;

constexpr int tile_threads = 256, tile_warps = tile_threads / warp_lanes;
constexpr int tile_lines = tile_warps * GF_RESIZE_GROUP; /* 32, one per lane */
constexpr int quad_pitch = GF_RESIZE_QUAD_PITCH;

static_assert(tile_lines == warp_lanes && tile_lines == GF_RESIZE_TILE_ROWS, "each lane must have one line");

/* Makes the four lines of a warp, group `group` of rows. */
template <int C>
__device__ __forceinline__ void make_lines(const struct gf_cuda_resizing &r, int group, struct gf_resize_span span,
                                           float *lines)
{
    const int lane = threadIdx.x % warp_lanes, line = threadIdx.x / warp_lanes * GF_RESIZE_GROUP;
    gf_dispatch(r.src.dtype, [&](auto tag) {
        using T = decltype(tag);
        for (int q = lane; q < span.quads; q += warp_lanes) {
            float acc[GF_RESIZE_GROUP][quad];
            go_down<C, T>(r.src, r.y, group, span.flat + q * quad, acc);
#pragma unroll
            for (int j = 0; j < quad; j++)
#pragma unroll
                for (int i = 0; i < GF_RESIZE_GROUP; i++)
                    lines[q * quad_pitch + j * tile_lines + line + i] = acc[i][j];
        }
    });
}

/* Makes group `group` of columns, in the line of each lane. `at` is the group's number in the tile. */
template <int C, bool guarded>
__device__ __forceinline__ void make_group(const struct gf_cuda_resizing &r, int group, int at,
                                           struct gf_resize_span span, const float *lines, float *out)
{
    const int lane = threadIdx.x % warp_lanes, begin = __ldg(r.x.first + group) * C - span.flat;
    float acc[GF_RESIZE_GROUP][C];
    go_across<C, guarded>(
        r.x, group,
        [&](int k, int c) {
            const int s = begin + k * C + c;
            return lines[s / quad * quad_pitch + s % quad * tile_lines + lane];
        },
        acc);
    float *to = out + lane * GF_RESIZE_OUT_PITCH(r.tile_groups, C) + at * GF_RESIZE_GROUP * C;
#pragma unroll
    for (int p = 0; p < GF_RESIZE_GROUP; p++)
#pragma unroll
        for (int c = 0; c < C; c++)
            to[p * C + c] = acc[p][c];
}

/*
 * Blocks walk over tiles in a grid-stride loop. All threads of a block pass both barriers once per tile. (1) orders the
 * warps' writes of the lines before the lanes' reads. (2) orders the lanes' writes to `out` before the reads by other
 * threads. The next tile's lines are written after (2), which comes after all reads of the current lines. The next tile
 * writes `out` after its own (1), which comes after all reads of `out` for the current tile.
 */
template <int C>
__global__ void __launch_bounds__(tile_threads, 3) tiles_kernel(const __grid_constant__ struct gf_cuda_resizing r)
{
    extern __shared__ __align__(16) float shared[];
    float *lines = shared, *out = shared + r.quads * quad_pitch;
    const int across = (r.x.n + r.tile_groups - 1) / r.tile_groups, warp = threadIdx.x / warp_lanes;
    const int tiles = across * ((r.end - r.first + tile_warps - 1) / tile_warps);
    const int pitch = GF_RESIZE_OUT_PITCH(r.tile_groups, C);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int column = tile % across, y = r.first + tile / across * tile_warps, x = column * r.tile_groups;
        const int groups = min(r.tile_groups, r.x.n - x), rows = min(tile_warps, r.end - y);
        const struct gf_resize_span span = {__ldg(&r.spans[column].flat), __ldg(&r.spans[column].quads)};
        if (warp < rows)
            make_lines<C>(r, y + warp, span, lines);
        gf_sync_block(); /* (1) */
        for (int g = warp; g < groups; g += tile_warps)
            if (sums_may_be_infinite(r.src.dtype))
                make_group<C, true>(r, x + g, g, span, lines, out);
            else
                make_group<C, false>(r, x + g, g, span, lines, out);
        gf_sync_block(); /* (2) */
        const int quads = groups * C, first = y * GF_RESIZE_GROUP;
        for (int i = threadIdx.x; i < rows * GF_RESIZE_GROUP * quads; i += tile_threads) {
            const int line = i / quads, q = i - line * quads;
            float acc[quad];
#pragma unroll
            for (int j = 0; j < quad; j++)
                acc[j] = out[line * pitch + q * quad + j];
            if (first + line < r.dst.height)
                finish_row(r.dst, first + line, (x * C + q) * quad, acc);
        }
    }
}

template <int C> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    const uint64_t across = (r->x.n + r->tile_groups - 1) / r->tile_groups;
    const uint64_t down = (r->end - r->first + tile_warps - 1) / tile_warps;
    const size_t shared = gf_resize_tile_bytes(r->tile_groups, r->quads, C);
    tiles_kernel<C><<<gf_cuda_grid(across * down), tile_threads, shared, stream>>>(*r);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_resize_tiles(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return gf_dispatch_channels(r->src.channels, [&](auto c) { return launch<c.value>(r, stream); });
}
