/* SPDX-License-Identifier: MIT */
/*
 * Built-in 3 x 3 masks without their zero taps, gradients and their magnitude, docs/numerics.md, "Built-in masks".
 * Included by stencil.cu and roots.cu.
 *
 * A thread owns 4 x 8 outputs as in mask.cu. It reads a tile row from shared memory once for the three output rows that
 * use it. The taps of a mask are the same for the whole grid, and the tests for them become predicates, not divergent
 * branches.
 */
#ifndef GF_CUDA_STENCIL_CUH
#define GF_CUDA_STENCIL_CUH

#include "gradient.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "window.cuh"

namespace gf
{

constexpr int stencil_tile_rows = tile_rows + 2; /* of a tile */
template <int C> using stencil_tile = quad_tile<C, 3>;

/* Reads a tile row as far as the outputs of a thread reach. */
template <int C> __device__ __forceinline__ void read_row(float (&v)[stencil_tile<C>::window], const float *row)
{
#pragma unroll
    for (int i = 0; i < stencil_tile<C>::window; i += quad) {
        const float4 s = *reinterpret_cast<const float4 *>(row + i);
        v[i] = s.x;
        v[i + 1] = s.y;
        v[i + 2] = s.z;
        v[i + 3] = s.w;
    }
}

/* Adds row t of a thread's part of the tile to the outputs that use it. */
template <int C>
__device__ __forceinline__ void add_row(float (&acc)[rows_per_thread][quad], const float (&v)[stencil_tile<C>::window],
                                        const struct gf_cuda_chain &chain, int t)
{
#pragma unroll
    for (int ky = 0; ky < 3; ky++) {
        const int r = t - ky;
        if (r < 0 || r >= rows_per_thread)
            continue;
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            if ((chain.present >> (3 * ky + kx) & 1u) == 0)
                continue;
#pragma unroll
            for (int j = 0; j < quad; j++)
                acc[r][j] = __fmaf_rn(v[stencil_tile<C>::skip + j + kx * C], chain.weight[3 * ky + kx], acc[r][j]);
        }
    }
}

template <int C>
__device__ __forceinline__ void add_rows(float (&acc)[rows_per_thread][quad], const float *base,
                                         const struct gf_cuda_chain &chain)
{
    for_each_value(acc, [](float) { return 0.0f; });
#pragma unroll
    for (int t = 0; t < rows_per_thread + 2; t++) {
        float v[stencil_tile<C>::window];
        read_row<C>(v, base + t * stencil_tile<C>::pitch);
        add_row<C>(acc, v, chain, t);
    }
}

/* Sets a thread's outputs to pixel(top, middle, bottom, at), where `at` is the place of the left tap in three rows of
 * the tile. */
template <int C, class Pixel>
__device__ __forceinline__ void from_three_rows(float (&acc)[rows_per_thread][quad], const float *base, Pixel &&pixel)
{
    float v[3][stencil_tile<C>::window];
#pragma unroll
    for (int t = 0; t < rows_per_thread + 2; t++) {
        read_row<C>(v[t % 3], base + t * stencil_tile<C>::pitch);
        if (t >= 2)
#pragma unroll
            for (int j = 0; j < quad; j++)
                acc[t - 2][j] = pixel(v[(t - 2) % 3], v[(t - 1) % 3], v[t % 3], stencil_tile<C>::skip + j);
    }
}

/* Computes the sums of squares of a thread's outputs. With Unit the outer weights are 1. */
template <int C, bool Unit>
__device__ __forceinline__ void add_squares(float (&acc)[rows_per_thread][quad], const float *base,
                                            const struct gf_cuda_gradient &gradient)
{
    from_three_rows<C>(acc, base, [&](auto &top, auto &middle, auto &bottom, int at) {
        return sum_of_squares(slope_across<Unit, C>(top, middle, bottom, at, gradient),
                              slope_down<Unit, C>(top, bottom, at, gradient));
    });
}

template <int C>
__device__ __forceinline__ void add_rows(float (&acc)[rows_per_thread][quad], const float *base,
                                         const struct gf_cuda_gradient &gradient)
{
    if (gradient.outer == 1.0f)
        add_squares<C, true>(acc, base, gradient);
    else
        add_squares<C, false>(acc, base, gradient);
    take_roots(acc);
}

/* One gradient. */
struct slope {
    struct gf_cuda_gradient weights;
    bool across;
};

template <int C>
__device__ __forceinline__ void add_rows(float (&acc)[rows_per_thread][quad], const float *base,
                                         const struct slope &slope)
{
    if (slope.across)
        from_three_rows<C>(acc, base, [&](auto &top, auto &middle, auto &bottom, int at) {
            return slope_across<false, C>(top, middle, bottom, at, slope.weights);
        });
    else
        from_three_rows<C>(acc, base, [&](auto &top, auto &, auto &bottom, int at) {
            return slope_down<false, C>(top, bottom, at, slope.weights);
        });
}

template <int C, class Mask>
__global__ void __launch_bounds__(threads, 4)
    stencil_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
                   const __grid_constant__ Mask mask, struct gf_cuda_row_chunk row_chunk)
{
    using geometry = stencil_tile<C>;
    __shared__ __align__(16) float tile[geometry::pitch * stencil_tile_rows];

    const int x0 = blockIdx.x * warp_span, y0 = row_chunk.first + blockIdx.y * tile_rows;
    fill_quads<C>(tile, geometry::pitch, stencil_tile_rows, src, y0 - 1, x0 - geometry::lead);
    gf_sync_block();

    const int lane = threadIdx.x % warp_lanes, first_row = threadIdx.x / warp_lanes * rows_per_thread;
    float acc[rows_per_thread][quad];
    add_rows<C>(acc, tile + first_row * geometry::pitch + lane * quad, mask);
    gf_sync_block();
    finish_rows(dst, y0 + first_row, row_chunk.end, x0 + lane * quad, acc, tile);
}

template <int C, class Mask>
cudaError_t launch_stencil(const struct gf_cuda_filter_pass *pass, const Mask &mask, struct gf_cuda_row_chunk rows,
                           cudaStream_t stream)
{
    const dim3 grid = grid_over(pass->dst.samples, rows, warp_span, tile_rows);
    stencil_kernel<C><<<grid, threads, 0, stream>>>(pass->src, pass->dst, mask, rows);
    return cudaPeekAtLastError();
}

template <class Mask>
cudaError_t launch_stencil_of(const struct gf_cuda_filter_pass *pass, const Mask &mask, struct gf_cuda_row_chunk rows,
                              cudaStream_t stream)
{
    return gf_dispatch_channels(pass->src.channels,
                                [&](auto c) { return launch_stencil<c.value>(pass, mask, rows, stream); });
}

} // namespace gf

#endif
