/* SPDX-License-Identifier: MIT */
/*
 * The chain of a full mask, docs/numerics.md 4, for masks that mask.cu has no kernel of their own for. Called by
 * mask.cu.
 */

#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "tile.cuh"

namespace
{

using namespace gf;

/*
 * Any mask. The block keeps `chunk` mask rows and the input rows they need in shared memory and goes through the mask
 * chunk by chunk. What limits it is the way from shared memory to registers: a coefficient costs as much as a sample,
 * so every thread owns H = 2 spans, 8 x 8 outputs, where the tile allows it. Where it does not, H = 1 and the warps
 * lie side by side (across = warps) instead of stacked.
 */
struct any_geometry {
    int32_t width, height, shift_x, shift_y;
    int32_t warps, across, chunk;
    int32_t pitch;       /* of the tile, floats */
    int32_t coefs_pitch; /* of the mask rows, floats */
    const float *coefs;
};

/* Taps of a mask row taken together, and warps of a block: with several channels the samples of more taps, and with
 * those the registers of more warps, are not there. */
template <int C> constexpr int block_taps = C == 1 ? 16 : 8;
template <int C> constexpr int max_warps = C == 1 ? 2 * warps : warps;

/* Blocks that a multiprocessor should have room for. */
constexpr int blocks_of(int n_warps)
{
    return n_warps > warps ? 2 : 3;
}

/* Adds N taps of one input row to the outputs in `rows` (bit r: output r uses it). `w` points at the coefficients for
 * output 0; those for output r lie r mask rows before. Both pointers are at multiples of 16 bytes. */
template <int C, int H, int N>
__device__ __forceinline__ void add_taps(float (&acc)[H][rows_per_thread][quad], const float *row, const float *w,
                                         int coefs_pitch, unsigned rows)
{
    constexpr int window = round_up(quad + (N - 1) * C, quad); /* samples that N taps need */
    float v[H][window];
#pragma unroll
    for (int h = 0; h < H; h++)
#pragma unroll
        for (int i = 0; i < window; i += quad)
            *reinterpret_cast<float4 *>(v[h] + i) = *reinterpret_cast<const float4 *>(row + h * warp_span + i);
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++, w -= coefs_pitch) {
        if ((rows >> r & 1u) == 0)
            continue;
        float taps[round_up(N, quad)];
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

/* The same for the last N taps or fewer, `left` of them. */
template <int C, int H, int N>
__device__ __forceinline__ void add_last_taps(float (&acc)[H][rows_per_thread][quad], const float *row, const float *w,
                                              int coefs_pitch, unsigned rows, int left)
{
    if (left == N)
        add_taps<C, H, N>(acc, row, w, coefs_pitch, rows);
    else if constexpr (N > 1)
        add_last_taps<C, H, N - 1>(acc, row, w, coefs_pitch, rows, left);
}

/* Adds one input row, all taps of it. */
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

/* Tiles of plain f32 that lie inside the image: all loads are in flight at once. */
__device__ __forceinline__ void fill_plain(float *tile, int pitch, int rows, int cols, const struct gf_cuda_source &src,
                                           int y0, int flat0)
{
    const int lane = threadIdx.x % warp_lanes, step = blockDim.x / warp_lanes;
    for (int r = threadIdx.x / warp_lanes; r < rows; r += step) {
        const float *row = row_of<float>(src.data, src.pitch, y0 + r) + flat0;
#pragma unroll 4
        for (int i = lane; i < cols; i += warp_lanes)
            gf_copy_async(tile + r * pitch + i, row + i, sizeof(float));
    }
    gf_commit_copies();
    gf_wait_for_copies(0);
}

template <int C, int H>
__global__ void __launch_bounds__(max_warps<C> *warp_lanes,
                                  max_warps<C> > warps || H == 2 ? blocks_of(max_warps<C>) : 5)
    any_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
               const __grid_constant__ struct any_geometry mask, struct gf_cuda_row_chunk row_chunk)
{
    extern __shared__ __align__(16) float shared[];
    const int tile_height = mask.warps / mask.across * rows_per_thread, tile_width = warp_span * H * mask.across;
    float *coefs = shared, *tile = coefs + mask.chunk * mask.coefs_pitch;

    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int first_row = warp / mask.across * rows_per_thread;
    const int first_sample = warp % mask.across * warp_span * H + lane * quad;
    const int x0 = blockIdx.x * tile_width, y0 = row_chunk.first + blockIdx.y * tile_height;
    const bool plain = src.dtype == GF_F32 && src.decode == nullptr && !src.premultiply;
    float acc[H][rows_per_thread][quad] = {};
    for (int ky0 = 0; ky0 < mask.height; ky0 += mask.chunk) {
        const int n = min(mask.chunk, mask.height - ky0);
        gf_sync_block();
        for (int r = warp; r < n; r += mask.warps)
            for (int i = lane; i < mask.width; i += warp_lanes)
                coefs[r * mask.coefs_pitch + i] = __ldg(mask.coefs + (ky0 + r) * mask.width + i);
        const int height = tile_height + n - 1, width = tile_width + (mask.width - 1) * C;
        const int top = y0 + mask.shift_y + ky0, left = x0 + mask.shift_x * C;
        if (plain && left >= 0 && left + width <= src.width * C && top >= 0 && top + height <= src.height)
            fill_plain(tile, mask.pitch, height, width, src, top, left);
        else
            fill_tile<C>(tile, mask.pitch, height, width, src, top, left);
        gf_sync_block();

        const float *row = tile + first_row * mask.pitch + first_sample;
        for (int t = 0; t < n + rows_per_thread - 1; t++) {
            /* Output r uses this row by mask row t - r, where there is one: r from t - n + 1 to t. */
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

/* Shared memory that a block may have: its part of a multiprocessor's, or what every device from compute capability 7.5
 * on gives to one block, should that be more. */
cudaError_t shared_limit(int n_warps, int *ret_bytes)
{
    int device = 0, all = 0, kept = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&kept, cudaDevAttrReservedSharedMemoryPerBlock, device);
    *ret_bytes = max(all / blocks_of(n_warps) - kept, 64 * 1024);
    return error;
}

/* Fewest mask rows at a time with which two spans per thread are worth it: below, filling the tile takes over. */
constexpr int min_chunk = 6;

/* The geometry for H spans per thread in `limit` bytes. False where not even one mask row fits. */
bool any_plan(const struct gf_cuda_mask *mask, int channels, int warp_spans, int n_warps, int across, int limit,
              struct any_geometry *g)
{
    *g = {};
    g->width = mask->width;
    g->height = mask->height;
    g->shift_x = mask->shift_x;
    g->shift_y = mask->shift_y;
    g->coefs = mask->device_coefs;
    g->coefs_pitch = round_up(mask->width, quad);
    g->warps = n_warps;
    g->across = across;
    /* Whole groups of four taps are read, and one quad beyond; what lies there is not used. */
    g->pitch = warp_span * warp_spans * across + round_up(mask->width, quad) * channels + quad;
    const int floats = limit / static_cast<int>(sizeof(float)) - (n_warps / across * rows_per_thread - 1) * g->pitch;
    g->chunk = min(floats / (g->pitch + g->coefs_pitch), mask->height);
    return g->chunk > 0;
}

int any_shared_bytes(const struct any_geometry *g)
{
    const int rows = g->warps / g->across * rows_per_thread + g->chunk - 1;
    return max(rows * g->pitch + g->chunk * g->coefs_pitch, g->warps * warp_lanes * rows_per_thread * quad) *
           static_cast<int>(sizeof(float));
}

template <int H>
dim3 any_grid(const struct gf_cuda_target *dst, const struct any_geometry *g, struct gf_cuda_row_chunk row_chunk)
{
    const int width = warp_span * H * g->across, height = g->warps / g->across * rows_per_thread;
    return dim3((dst->samples + width - 1) / width, (row_chunk.end - row_chunk.first + height - 1) / height);
}

template <int C, int H>
cudaError_t launch_any(const struct gf_cuda_source *src, const struct gf_cuda_target *dst, const struct any_geometry *g,
                       struct gf_cuda_row_chunk row_chunk, cudaStream_t stream)
{
    const dim3 grid = any_grid<H>(dst, g, row_chunk);
    any_kernel<C, H><<<grid, g->warps * warp_lanes, any_shared_bytes(g), stream>>>(*src, *dst, *g, row_chunk);
    return cudaPeekAtLastError();
}

/* Blocks of which tall ones are worth it: they read less around their outputs, but each multiprocessor should have as
 * many. */
constexpr unsigned enough_blocks = 4;

template <int C>
cudaError_t plan_and_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                            const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk, cudaStream_t stream)
{
    struct any_geometry g;
    int limit = 0, tall_limit = 0;
    cudaError_t error = shared_limit(warps, &limit);
    if (error == cudaSuccess)
        error = shared_limit(max_warps<C>, &tall_limit);
    if (error != cudaSuccess)
        return error;
    const int min_rows = min(min_chunk, mask->height);
    if (max_warps < C >> warps && any_plan(mask, C, 2, max_warps<C>, 1, tall_limit, &g) && g.chunk >= min_rows) {
        const dim3 grid = any_grid<2>(dst, &g, row_chunk);
        if (grid.x * grid.y >= gf_cuda_grid(enough_blocks * gf_cuda_units()))
            return launch_any<C, 2>(src, dst, &g, row_chunk, stream);
    }
    if (any_plan(mask, C, 2, warps, 1, limit, &g) && g.chunk >= min_rows)
        return launch_any<C, 2>(src, dst, &g, row_chunk, stream);
    if (!any_plan(mask, C, 1, warps, 1, limit, &g) || g.chunk < mask->height)
        any_plan(mask, C, 1, warps, warps, limit, &g);
    return launch_any<C, 1>(src, dst, &g, row_chunk, stream);
}

template <int C> cudaError_t prepare()
{
    int limit = 0;
    cudaError_t error = shared_limit(max_warps<C>, &limit);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(any_kernel<C, 1>, cudaFuncAttributeMaxDynamicSharedMemorySize, limit);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(any_kernel<C, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, limit);
    return error;
}

} // namespace

extern "C" cudaError_t gf_cuda_any_mask_prepare(void)
{
    cudaError_t error = prepare<1>();
    if (error == cudaSuccess)
        error = prepare<2>();
    if (error == cudaSuccess)
        error = prepare<3>();
    if (error == cudaSuccess)
        error = prepare<4>();
    return error;
}

extern "C" cudaError_t gf_cuda_any_mask_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                               const struct gf_cuda_mask *mask, struct gf_cuda_row_chunk row_chunk,
                                               cudaStream_t stream)
{
    if (src->channels == 1)
        return plan_and_launch<1>(src, dst, mask, row_chunk, stream);
    if (src->channels == 2)
        return plan_and_launch<2>(src, dst, mask, row_chunk, stream);
    if (src->channels == 3)
        return plan_and_launch<3>(src, dst, mask, row_chunk, stream);
    return plan_and_launch<4>(src, dst, mask, row_chunk, stream);
}
