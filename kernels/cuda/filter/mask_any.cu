/* SPDX-License-Identifier: MIT */
/*
 * The chain of a full mask, docs/numerics.md, "correlate, convolve", for masks that are not passed as kernel arguments.
 * Planned and launched through filter_pass.h.
 */

#include "filter_pass.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "window.cuh"

namespace
{

using namespace gf;

/*
 * A mask of any size. The block keeps `chunk` mask rows and the input rows that they need in shared memory, and goes
 * through the mask chunk by chunk. The bandwidth from shared memory to registers is the limit: a coefficient costs as
 * much as a sample. Register blocking therefore gives each thread H = 2 spans, 8 x 8 outputs, where the tile fits.
 * Otherwise H = 1 and the warps lie side by side (across = warps) instead of being stacked.
 */

/* Taps of a mask row taken together, and warps per block. With several channels, registers suffice for neither more
 * taps nor more warps. */
template <int C> constexpr int block_taps = C == 1 ? 16 : 8;
template <int C> constexpr int max_warps = C == 1 ? 2 * warps : warps;

/* Blocks that should be resident on a multiprocessor. */
constexpr int blocks_of(int n_warps)
{
    return n_warps > warps ? 2 : 3;
}

/* Adds N taps of one input row to the outputs in `rows` (bit r: output r uses the row). `w` points to the coefficients
 * of output 0; the coefficients of output r lie r mask rows before. Both pointers are 16-byte aligned. */
template <int C, int H, int N>
__device__ __forceinline__ void add_taps(float (&acc)[H][rows_per_thread][quad], const float *row, const float *w,
                                         int coefs_pitch, unsigned rows)
{
    constexpr int window = round_up(quad + (N - 1) * C, quad); /* samples that N taps need */
    alignas(sizeof(float4)) float v[H][window];
#pragma unroll
    for (int h = 0; h < H; h++)
#pragma unroll
        for (int i = 0; i < window; i += quad)
            *reinterpret_cast<float4 *>(v[h] + i) = *reinterpret_cast<const float4 *>(row + h * warp_span + i);
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++, w -= coefs_pitch) {
        if ((rows >> r & 1u) == 0)
            continue;
        alignas(sizeof(float4)) float taps[round_up(N, quad)];
#pragma unroll
        for (int q = 0; q < N; q += quad)
            *reinterpret_cast<float4 *>(taps + q) = *reinterpret_cast<const float4 *>(w + q);
#pragma unroll
        for (int q = 0; q < N; q++)
#pragma unroll
            for (int h = 0; h < H; h++)
#pragma unroll
                for (int j = 0; j < quad; j++)
                    acc[h][r][j] = __fmaf_rn(v[h][j + q * C], taps[q], acc[h][r][j]);
    }
}

/* Adds the last `left` taps, at most N. */
template <int C, int H, int N>
__device__ __forceinline__ void add_last_taps(float (&acc)[H][rows_per_thread][quad], const float *row, const float *w,
                                              int coefs_pitch, unsigned rows, int left)
{
    if (left == N)
        add_taps<C, H, N>(acc, row, w, coefs_pitch, rows);
    else if constexpr (N > 1)
        add_last_taps<C, H, N - 1>(acc, row, w, coefs_pitch, rows, left);
}

/* Adds all taps of one input row. */
template <int C, int H>
__device__ __forceinline__ void add_row(float (&acc)[H][rows_per_thread][quad], const float *row, const float *w,
                                        int coefs_pitch, int width, unsigned rows)
{
    int kx = 0;
#pragma unroll 1
    for (; kx + block_taps<C> <= width; kx += block_taps<C>)
        add_taps<C, H, block_taps<C>>(acc, row + kx * C, w + kx, coefs_pitch, rows);
    add_last_taps<C, H, block_taps<C> - 1>(acc, row + kx * C, w + kx, coefs_pitch, rows, width - kx);
}

template <int C, int H>
__global__ void __launch_bounds__(max_warps<C> *warp_lanes,
                                  max_warps<C> > warps || H == 2 ? blocks_of(max_warps<C>) : 5)
    any_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
               const __grid_constant__ struct gf_cuda_any_mask mask, struct gf_cuda_row_chunk row_chunk)
{
    extern __shared__ __align__(16) float shared[];
    const int tile_height = mask.warps / mask.across * rows_per_thread, tile_width = warp_span * H * mask.across;
    float *coefs = shared, *tile = coefs + mask.chunk * mask.coefs_pitch;

    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int first_row = warp / mask.across * rows_per_thread;
    const int first_sample = warp % mask.across * warp_span * H + lane * quad;
    const int x0 = blockIdx.x * tile_width, y0 = row_chunk.first + blockIdx.y * tile_height;
    float acc[H][rows_per_thread][quad] = {};
    for (int ky0 = 0; ky0 < mask.height; ky0 += mask.chunk) {
        const int n = min(mask.chunk, mask.height - ky0);
        gf_sync_block();
        for (int r = warp; r < n; r += mask.warps)
            for (int i = lane; i < mask.width; i += warp_lanes)
                coefs[r * mask.coefs_pitch + i] = __ldg(mask.coefs + (ky0 + r) * mask.width + i);
        const int height = tile_height + n - 1, width = tile_width + (mask.width - 1) * C;
        const int top = y0 + mask.shift_y + ky0, left = x0 + mask.shift_x * C;
        fill_tile<C>(tile, mask.pitch, height, width, src, top, left);
        gf_sync_block();

        const float *row = tile + first_row * mask.pitch + first_sample;
        for (int t = 0; t < n + rows_per_thread - 1; t++) {
            /* Output r uses this row through mask row t - r, where that exists: r from t - n + 1 to t. */
            const int lo = max(t - n + 1, 0), hi = min(t, rows_per_thread - 1);
            const unsigned rows = (2u << hi) - (1u << lo);
            add_row<C, H>(acc, row + t * mask.pitch, coefs + t * mask.coefs_pitch, mask.coefs_pitch, mask.width, rows);
        }
    }
    gf_sync_block();
#pragma unroll
    for (int h = 0; h < H; h++)
        finish_rows(dst, y0 + first_row, row_chunk.end, x0 + first_sample + h * warp_span, acc[h], tile);
}

/* Returns the shared memory that a block may use: its share of a multiprocessor's, but at least the 64 KiB that every
 * device of compute capability 7.5 and above grants a block. */
int shared_limit(struct gf_cuda_shared_memory shared, int n_warps)
{
    return max(static_cast<int>(shared.all / blocks_of(n_warps) - shared.reserved), 64 * 1024);
}

/* The fewest mask rows at a time for which two spans per thread pay; with fewer, filling the tile dominates. */
constexpr int min_chunk = 6;

/* Lays out the tile for `spans` spans per thread in `limit` bytes. Returns false where not even one mask row fits. */
bool set_tile(struct gf_cuda_any_mask *mask, int channels, int spans, int n_warps, int across, int limit)
{
    mask->coefs_pitch = round_up(mask->width, quad);
    mask->spans = spans;
    mask->warps = n_warps;
    mask->across = across;
    /* Taps are read in groups of four, plus one quad; samples past the last tap are not used. */
    mask->pitch = warp_span * spans * across + round_up(mask->width, quad) * channels + quad;
    const int floats = limit / static_cast<int>(sizeof(float)) - (n_warps / across * rows_per_thread - 1) * mask->pitch;
    mask->chunk = min(floats / (mask->pitch + mask->coefs_pitch), mask->height);
    return mask->chunk > 0;
}

int shared_bytes(const struct gf_cuda_any_mask *mask)
{
    const int rows = mask->warps / mask->across * rows_per_thread + mask->chunk - 1;
    return max(rows * mask->pitch + mask->chunk * mask->coefs_pitch,
               mask->warps * warp_lanes * rows_per_thread * quad) *
           static_cast<int>(sizeof(float));
}

dim3 grid_of(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows)
{
    const struct gf_cuda_any_mask *mask = &pass->any_mask;
    return grid_over(pass->dst.samples, rows, warp_span * mask->spans * mask->across,
                     mask->warps / mask->across * rows_per_thread);
}

/* Tall blocks read less halo per output, but pay only where each multiprocessor still gets this many blocks. */
constexpr unsigned enough_blocks = 4;

template <int C> void plan_tile(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared, int rows)
{
    struct gf_cuda_any_mask *mask = &pass->any_mask;
    const int limit = shared_limit(shared, warps), tall_limit = shared_limit(shared, max_warps<C>);
    const int min_rows = min(min_chunk, mask->height);
    if (max_warps < C >> warps && set_tile(mask, C, 2, max_warps<C>, 1, tall_limit) && mask->chunk >= min_rows) {
        const dim3 grid = grid_of(pass, {0, rows});
        if (grid.x * grid.y >= gf_cuda_grid(enough_blocks * gf_cuda_units()))
            return;
    }
    if (set_tile(mask, C, 2, warps, 1, limit) && mask->chunk >= min_rows)
        return;
    if (!set_tile(mask, C, 1, warps, 1, limit) || mask->chunk < mask->height)
        set_tile(mask, C, 1, warps, warps, limit);
}

template <int C, int H>
cudaError_t launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    const struct gf_cuda_any_mask *mask = &pass->any_mask;
    any_kernel<C, H><<<grid_of(pass, rows), mask->warps * warp_lanes, shared_bytes(mask), stream>>>(
        pass->src, pass->dst, *mask, rows);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_any_mask_prepare(void)
{
    return raise_shared_limit(gf_cuda_shared_memory_max(), any_kernel<1, 1>, any_kernel<1, 2>, any_kernel<2, 1>,
                              any_kernel<2, 2>, any_kernel<3, 1>, any_kernel<3, 2>, any_kernel<4, 1>, any_kernel<4, 2>);
}

extern "C" void gf_cuda_any_mask_plan(struct gf_cuda_filter_pass *pass, struct gf_cuda_shared_memory shared,
                                      int32_t rows)
{
    gf_dispatch_channels(pass->src.channels, [&](auto c) { plan_tile<c.value>(pass, shared, rows); });
}

extern "C" cudaError_t gf_cuda_any_mask_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                               cudaStream_t stream)
{
    return gf_dispatch_channels(pass->src.channels, [&](auto c) {
        return pass->any_mask.spans == 2 ? launch<c.value, 2>(pass, rows, stream)
                                         : launch<c.value, 1>(pass, rows, stream);
    });
}
