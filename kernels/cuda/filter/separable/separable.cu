/* SPDX-License-Identifier: MIT */
/*
 * Row taps, then column taps, docs/numerics.md, "Separable filters": two passes by way of an f32 image in device
 * memory, for gaussian, unsharp and log with more taps than separable_fused.cu has room for. In both passes a thread
 * owns 4 x 8 outputs as in mask.cu. Launched through filter_pass.h.
 */
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/filter/window.cuh"
#include "kernels/shared/filter.h"
#include "separable.cuh"

namespace
{

using namespace gf;

struct row_geometry {
    const float *taps;
    int32_t n, anchor;
    int32_t chunk; /* taps per tile, a multiple of four */
    int32_t pitch; /* of the tile, in floats */
    struct gf_cuda_row_chunk row_chunk;
    float *out;
    size_t out_pitch;
};

/* Samples carried in registers from window to window: the last samples of one are the first samples of the next. */
template <int C> constexpr int carried = C == 4 ? 0 : quad;

/* Adds N taps to all eight rows of a thread. `base` points to the first window; `carry` holds its first samples. */
template <int C, int N>
__device__ __forceinline__ void add_group(float (&acc)[rows_per_thread][quad], float (&carry)[rows_per_thread][quad],
                                          const float *base, int pitch, const float *taps)
{
    constexpr int advance = N * C, window = advance + carried<C>;
    alignas(sizeof(float4)) float w[N];
#pragma unroll
    for (int q = 0; q < N; q += quad)
        *reinterpret_cast<float4 *>(w + q) = *reinterpret_cast<const float4 *>(taps + q);
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++) {
        alignas(sizeof(float4)) float v[window];
#pragma unroll
        for (int i = 0; i < carried<C>; i++)
            v[i] = carry[r][i];
#pragma unroll
        for (int i = carried<C>; i < window; i += quad)
            *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(base + r * pitch + i);
#pragma unroll
        for (int q = 0; q < N; q++)
#pragma unroll
            for (int j = 0; j < quad; j++)
                acc[r][j] = __fmaf_rn(v[j + q * C], w[q], acc[r][j]);
#pragma unroll
        for (int i = 0; i < carried<C>; i++)
            carry[r][i] = v[i + advance];
    }
}

/* The row pass: a block loads 32 rows with the halo that `chunk` taps need. The next tap to the right is C samples
 * away. */
template <int C>
__global__ void __launch_bounds__(threads, 4)
    rows_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct row_geometry g)
{
    constexpr int group = C == 1 ? 8 : 4; /* as many as registers allow */
    extern __shared__ __align__(16) float shared[];
    float *taps = shared, *tile = shared + g.chunk;

    const int lane = threadIdx.x % warp_lanes, first_row = threadIdx.x / warp_lanes * rows_per_thread;
    const int x0 = blockIdx.x * warp_span, y0 = g.row_chunk.first + blockIdx.y * tile_rows;
    float acc[rows_per_thread][quad] = {};
    for (int k0 = 0; k0 < g.n; k0 += g.chunk) {
        const int n = min(g.chunk, g.n - k0);
        gf_sync_block();
        for (int i = threadIdx.x; i < n; i += threads)
            taps[i] = __ldg(g.taps + k0 + i);
        fill_tile<C>(tile, g.pitch, tile_rows, warp_span + (n - 1) * C, src, y0, x0 + (k0 - g.anchor) * C);
        gf_sync_block();

        const float *base = tile + first_row * g.pitch + lane * quad;
        alignas(sizeof(float4)) float carry[rows_per_thread][quad];
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++)
            *reinterpret_cast<float4 *>(carry[r]) = *reinterpret_cast<const float4 *>(base + r * g.pitch);
        int k = 0;
        for (; k + group <= n; k += group)
            add_group<C, group>(acc, carry, base + k * C, g.pitch, taps + k);
        if (group > quad && k + quad <= n) {
            add_group<C, quad>(acc, carry, base + k * C, g.pitch, taps + k);
            k += quad;
        }
        for (; k < n; k++) {
            const float w = taps[k];
#pragma unroll
            for (int r = 0; r < rows_per_thread; r++)
#pragma unroll
                for (int j = 0; j < quad; j++)
                    acc[r][j] = __fmaf_rn(base[r * g.pitch + k * C + j], w, acc[r][j]);
        }
    }
    const int x = x0 + lane * quad;
    if (x >= src.width * C)
        return;
#pragma unroll
    for (int r = 0; r < rows_per_thread; r++)
        if (y0 + first_row + r < g.row_chunk.end)
            store_quad(row_of<float>(g.out, g.out_pitch, y0 + first_row + r) + x, acc[r]);
}

constexpr int rows_shared_limit = 48 * 1024;

/* Returns how many taps fit into one tile, if possible all. */
int rows_chunk(int n, int channels)
{
    const int chunk_limit = rows_shared_limit / static_cast<int>(sizeof(float)) / (tile_rows + 1) - warp_span - quad;
    return min(round_up(n, quad), chunk_limit / channels / quad * quad);
}

template <int C>
cudaError_t launch_rows(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    const struct gf_cuda_taps *taps = &pass->taps;
    struct row_geometry g = {};
    g.row_chunk = rows;
    g.taps = taps->taps;
    g.n = taps->n;
    g.anchor = taps->anchor;
    g.chunk = rows_chunk(taps->n, C);
    g.pitch = warp_span + g.chunk * C + quad;
    g.out = taps->sums;
    g.out_pitch = taps->sums_pitch;
    const size_t shared = (static_cast<size_t>(tile_rows) * g.pitch + g.chunk) * sizeof(float);
    const dim3 grid = grid_over(pass->src.width * C, rows, warp_span, tile_rows);
    rows_kernel<C><<<grid, threads, shared, stream>>>(pass->src, g);
    return cudaPeekAtLastError();
}

struct column_geometry {
    const float *rows;
    size_t pitch;
    int32_t samples, height, channels;
    struct gf_cuda_row_chunk row_chunk;
    uint32_t border;
    float outside[GF_MAX_CHANNELS];
    const float *taps;
    int32_t n, anchor;
};

/*
 * The column pass: a warp walks down its column, eight input rows at a time, straight from the cache (adjacent warps of
 * the block read nearly the same rows). Input row j of a group and output r meet at tap 8m + j - r, so a group needs 15
 * taps, each loaded once. In the first and last groups some taps do not exist and are skipped, uniformly across the
 * warp.
 */
constexpr int column_warps = 8;

__device__ __forceinline__ float4 column_quad(const struct column_geometry &g, int y, int x)
{
    const int row = border_index(g.border, y, g.height);
    if (row >= 0)
        return __ldg(reinterpret_cast<const float4 *>(row_of<float>(g.rows, g.pitch, row) + x));
    return make_float4(g.outside[x % g.channels], g.outside[(x + 1) % g.channels], g.outside[(x + 2) % g.channels],
                       g.outside[(x + 3) % g.channels]);
}

__global__ void __launch_bounds__(column_warps *warp_lanes, 2)
    columns_kernel(const __grid_constant__ struct column_geometry g, const __grid_constant__ struct gf_cuda_target dst,
                   const __grid_constant__ struct gf_cuda_source src,
                   const __grid_constant__ struct gf_cuda_after after)
{
    __shared__ float taps[GF_MAX_TAPS];
    __shared__ __align__(16) float spare[column_warps * warp_lanes * rows_per_thread * quad];
    for (int i = threadIdx.x; i < g.n; i += blockDim.x)
        taps[i] = __ldg(g.taps + i);
    gf_sync_block();

    const int x = blockIdx.x * warp_span + threadIdx.x % warp_lanes * quad;
    const int y0 = g.row_chunk.first + (blockIdx.y * column_warps + threadIdx.x / warp_lanes) * rows_per_thread;
    if (x >= g.samples || y0 >= g.row_chunk.end)
        return;
    float4 *own = reinterpret_cast<float4 *>(spare) + threadIdx.x; /* this thread's part */
    float acc[rows_per_thread][quad] = {};
    for (int k0 = 0; k0 < g.n + rows_per_thread - 1; k0 += rows_per_thread) {
        float4 v[rows_per_thread];
        const int top = y0 + k0 - g.anchor;
        if (top >= 0 && top + rows_per_thread <= g.height) {
            const float *first = row_of<float>(g.rows, g.pitch, top) + x;
#pragma unroll
            for (int j = 0; j < rows_per_thread; j++)
                v[j] = load_quad(row_of<float>(first, g.pitch, j));
        } else {
#pragma unroll 1
            for (int j = 0; j < rows_per_thread; j++)
                own[j * blockDim.x] = column_quad(g, top + j, x);
#pragma unroll
            for (int j = 0; j < rows_per_thread; j++)
                v[j] = own[j * blockDim.x];
        }
#pragma unroll
        for (int d = 1 - rows_per_thread; d < rows_per_thread; d++) {
            if (static_cast<unsigned>(k0 + d) >= static_cast<unsigned>(g.n))
                continue;
            const float w = taps[k0 + d];
#pragma unroll
            for (int r = 0; r < rows_per_thread; r++) {
                const int j = r + d;
                if (j < 0 || j >= rows_per_thread)
                    continue;
                acc[r][0] = __fmaf_rn(v[j].x, w, acc[r][0]);
                acc[r][1] = __fmaf_rn(v[j].y, w, acc[r][1]);
                acc[r][2] = __fmaf_rn(v[j].z, w, acc[r][2]);
                acc[r][3] = __fmaf_rn(v[j].w, w, acc[r][3]);
            }
        }
    }
    if (after.what != GF_AFTER_NOTHING) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++) {
            if (y0 + r >= g.row_chunk.end)
                continue;
            if (after.what == GF_AFTER_SUM)
                apply_sum(after, y0 + r, x, acc[r]);
            else
                apply_unsharp(after, src, y0 + r, x, acc[r]);
        }
    }
    finish_rows(dst, y0, g.row_chunk.end, x, acc, spare);
}

} // namespace

extern "C" cudaError_t gf_cuda_rows_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                           cudaStream_t stream)
{
    return gf_dispatch_channels(pass->src.channels, [&](auto c) { return launch_rows<c.value>(pass, rows, stream); });
}

extern "C" cudaError_t gf_cuda_columns_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                              cudaStream_t stream)
{
    const struct gf_cuda_source &src = pass->src;
    const struct gf_cuda_target &dst = pass->dst;
    const struct gf_cuda_taps *taps = &pass->taps;
    struct column_geometry g = {};
    g.row_chunk = rows;
    g.rows = taps->sums;
    g.pitch = taps->sums_pitch;
    g.samples = dst.samples;
    g.height = dst.height;
    g.channels = src.channels;
    g.border = src.border;
    for (unsigned c = 0; c < GF_MAX_CHANNELS; c++)
        g.outside[c] = taps->sums_outside[c];
    g.taps = taps->taps;
    g.n = taps->n;
    g.anchor = taps->anchor;
    const dim3 grid = grid_over(dst.samples, rows, warp_span, column_warps * rows_per_thread);
    constexpr int block = column_warps * warp_lanes;
    columns_kernel<<<grid, block, 0, stream>>>(g, dst, src, pass->after);
    return cudaPeekAtLastError();
}
