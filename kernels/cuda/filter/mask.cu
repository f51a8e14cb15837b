/* SPDX-License-Identifier: MIT */
/*
 * The chain of a full mask, docs/numerics.md, "correlate, convolve", planned by mask_plan.c for correlate and convolve.
 * Masks over stored samples are in mask_u8.cu, mask_u16.cu and mask_f32.cu. This file serves the remaining masks: with
 * light, with alpha, with a result of another type, with two or four channels, and large masks over 16 bits.
 *
 * A row is a sequence of flat samples: the next tap to the right is C samples away, so channels need no unpacking. Each
 * thread owns 4 x 8 outputs: four adjacent outputs (one 16-byte access, coalesced across the warp) in eight consecutive
 * rows. It walks down its input rows and adds each row to every output that uses it, so that a row is read from shared
 * memory once for up to eight mask rows. The 32 chains are independent, each in the order of the contract.
 */

#include "filter_pass.h"
#include "kernels/cuda/device/launch_bounds.cuh"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "window.cuh"

namespace
{

using namespace gf;

/* Masks of 3x3, 5x5 and 7x7 with the anchor in the centre: fully unrolled, coefficients in the kernel arguments. */
template <int K> struct small_coefs {
    float w[K * K];
};

template <int C, int K>
__global__ void __launch_bounds__(threads, 5)
    small_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
                 const __grid_constant__ small_coefs<K> coefs, struct gf_cuda_row_chunk row_chunk)
{
    using geometry = quad_tile<C, K>;
    constexpr int tile_height = tile_rows + K - 1;
    __shared__ __align__(16) float tile[geometry::pitch * tile_height];

    const int x0 = blockIdx.x * warp_span, y0 = row_chunk.first + blockIdx.y * tile_rows;
    fill_quads<C>(tile, geometry::pitch, tile_height, src, y0 - K / 2, x0 - geometry::lead);
    gf_sync_block();

    const int lane = threadIdx.x % warp_lanes, first_row = threadIdx.x / warp_lanes * rows_per_thread;
    const float *base = tile + first_row * geometry::pitch + lane * quad;
    float acc[rows_per_thread][quad] = {};
#pragma unroll
    for (int t = 0; t < rows_per_thread + K - 1; t++) {
        alignas(sizeof(float4)) float v[geometry::window];
#pragma unroll
        for (int i = 0; i < geometry::window; i += quad)
            *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(base + t * geometry::pitch + i);
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++) {
            const int ky = t - r;
            if (ky < 0 || ky >= K)
                continue;
#pragma unroll
            for (int kx = 0; kx < K; kx++)
#pragma unroll
                for (int j = 0; j < quad; j++)
                    acc[r][j] = __fmaf_rn(v[geometry::skip + j + kx * C], coefs.w[ky * K + kx], acc[r][j]);
        }
    }
    gf_sync_block();
    finish_rows(dst, y0 + first_row, row_chunk.end, x0 + lane * quad, acc, tile);
}

template <int K> small_coefs<K> coefs_of(const struct gf_cuda_filter_pass *pass)
{
    small_coefs<K> coefs;
    for (int i = 0; i < K * K; i++)
        coefs.w[i] = pass->mask.weights.chain[i];
    return coefs;
}

template <int C, int K>
cudaError_t launch_small(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    const dim3 grid = grid_over(pass->dst.samples, rows, warp_span, tile_rows);
    small_kernel<C, K><<<grid, threads, 0, stream>>>(pass->src, pass->dst, coefs_of<K>(pass), rows);
    return cudaPeekAtLastError();
}

/*
 * Masks of 9x9, 11x11 and 15x15 with the anchor in the centre. Fully unrolled, they would not fit the instruction
 * cache, so a thread loops over its rows and keeps one accumulator per mask row: input row t contributes to output t -
 * ky through mask row ky. After each row, every sum moves on to the next mask row. The move is free, because the first
 * fma of a mask row reads the previous mask row's accumulator.
 */
constexpr int rolling_rows = 16; /* consecutive output rows of a thread */
constexpr int rolling_tile_rows = warps * rolling_rows;

template <int C, int K> constexpr int rolling_shared_bytes()
{
    return quad_tile<C, K>::pitch * (rolling_tile_rows + K - 1) * static_cast<int>(sizeof(float));
}

/* Before sm_90, shared memory holds at most two tiles of a 15x15 mask over four channels. */
template <int C, int K> constexpr unsigned rolling_blocks = blocks_by_architecture(4, C == 4 && K == 15 ? 2 : 4);

template <int C, int K>
__global__ void __launch_bounds__(threads, rolling_blocks<C, K>)
    rolling_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
                   const __grid_constant__ small_coefs<K> coefs, struct gf_cuda_row_chunk row_chunk)
{
    using geometry = quad_tile<C, K>;
    constexpr int tile_height = rolling_tile_rows + K - 1;
    extern __shared__ __align__(16) float tile[];

    const int x0 = blockIdx.x * warp_span, y0 = row_chunk.first + blockIdx.y * rolling_tile_rows;
    fill_quads<C>(tile, geometry::pitch, tile_height, src, y0 - K / 2, x0 - geometry::lead);
    gf_sync_block();

    const int lane = threadIdx.x % warp_lanes, first_row = threadIdx.x / warp_lanes * rolling_rows;
    const float *row = tile + first_row * geometry::pitch + lane * quad;
    float acc[K][quad] = {};
#pragma unroll 1
    for (int t = 0; t < rolling_rows + K - 1; t++, row += geometry::pitch) {
        alignas(sizeof(float4)) float v[geometry::window];
#pragma unroll
        for (int i = 0; i < geometry::window; i += quad)
            *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(row + i);
#pragma unroll
        for (int ky = K - 1; ky >= 0; ky--) {
            if (static_cast<unsigned>(t - ky) >= rolling_rows)
                continue;
#pragma unroll
            for (int kx = 0; kx < K; kx++)
#pragma unroll
                for (int j = 0; j < quad; j++) {
                    const float sum = kx > 0 ? acc[ky][j] : ky > 0 ? acc[ky - 1][j] : 0.0f;
                    acc[ky][j] = __fmaf_rn(v[geometry::skip + j + kx * C], coefs.w[ky * K + kx], sum);
                }
        }
        const int y = y0 + first_row + t - (K - 1);
        if (t >= K - 1 && y < row_chunk.end)
            finish_row(dst, y, x0 + lane * quad, acc[K - 1]);
    }
}

template <int C, int K>
cudaError_t launch_rolling(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    const dim3 grid = grid_over(pass->dst.samples, rows, warp_span, rolling_tile_rows);
    rolling_kernel<C, K>
        <<<grid, threads, rolling_shared_bytes<C, K>(), stream>>>(pass->src, pass->dst, coefs_of<K>(pass), rows);
    return cudaPeekAtLastError();
}

template <int C>
cudaError_t launch_centred(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    const int side = pass->mask.side;
    if (side == 3)
        return launch_small<C, 3>(pass, rows, stream);
    if (side == 5)
        return launch_small<C, 5>(pass, rows, stream);
    if constexpr (C == 2)
        return cudaErrorInvalidDeviceFunction; /* excluded by is_in_launch() of mask_plan.c */
    else
        return side == 7    ? launch_small<C, 7>(pass, rows, stream)
               : side == 9  ? launch_rolling<C, 9>(pass, rows, stream)
               : side == 11 ? launch_rolling<C, 11>(pass, rows, stream)
                            : launch_rolling<C, 15>(pass, rows, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_mask_prepare(void)
{
    return raise_shared_limit(rolling_shared_bytes<4, 15>(), rolling_kernel<1, 9>, rolling_kernel<1, 11>,
                              rolling_kernel<1, 15>, rolling_kernel<3, 9>, rolling_kernel<3, 11>, rolling_kernel<3, 15>,
                              rolling_kernel<4, 9>, rolling_kernel<4, 11>, rolling_kernel<4, 15>);
}

extern "C" cudaError_t gf_cuda_mask_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                           cudaStream_t stream)
{
    return gf_dispatch_channels(pass->src.channels,
                                [&](auto c) { return launch_centred<c.value>(pass, rows, stream); });
}
