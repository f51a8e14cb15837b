/* SPDX-License-Identifier: MIT */
/*
 * Built-in masks of 3 x 3 without their zeros, one chain or the magnitude of two, docs/numerics.md 6. Planned by
 * mask_plan.c for sharpen, emboss, laplacian, sobel, scharr and prewitt, where samples as they are stored have no
 * kernel.
 *
 * Threads own 4 x 8 outputs as in mask.cu, here for each of the chains; a row of the tile is read from shared memory
 * once for the three mask rows it belongs to. Of a gradient the compiler knows which taps there are; of one chain they
 * are the same for the whole grid, and their tests are predicates, not branches that part a warp.
 */
#include "gradient.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf;

template <int N> struct stencil {
    struct gf_cuda_chain chains[N];
};

template <int C> struct stencil_tile {
    static constexpr int lead = quad; /* a mask reaches C samples to each side; whole quads are aligned */
    static constexpr int pitch = warp_span + 2 * lead;
    static constexpr int rows = tile_rows + 2;
    static constexpr int skip = lead - C; /* from the quad a window starts in to its first sample */
    static constexpr int window = round_up(skip + quad + 2 * C, quad);
};

/* Tiles inside the image with their halo: no border, aligned quads. */
template <int C>
__device__ __forceinline__ void fill_inside(float *tile, const struct gf_cuda_source &src, int y0, int flat0)
{
    using geometry = stencil_tile<C>;
    constexpr int quads = geometry::pitch / quad;
    gf_dispatch(src.dtype, [&](auto tag) {
        using T = decltype(tag);
        const T *corner = row_of<T>(src.data, src.pitch, y0) + flat0;
#pragma unroll 6
        for (int i = threadIdx.x; i < geometry::rows * quads; i += threads) {
            const T *from = row_of<T>(corner, src.pitch, i / quads) + i % quads * quad;
            reinterpret_cast<float4 *>(tile)[i] = load_prepared_quad<C, T>(src, from);
        }
    });
}

/* Adds row t of a thread's part of the tile to the outputs of one chain that it belongs to. */
template <int C, int N>
__device__ __forceinline__ void add_row(float (&acc)[rows_per_thread][quad], const float (&v)[stencil_tile<C>::window],
                                        const struct gf_cuda_chain &chain, int n, int t)
{
#pragma unroll
    for (int ky = 0; ky < 3; ky++) {
        const int r = t - ky;
        if (r < 0 || r >= rows_per_thread)
            continue;
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            if (N == 2 ? !is_gradient_tap(n, ky, kx) : (chain.present >> (3 * ky + kx) & 1u) == 0)
                continue;
#pragma unroll
            for (int j = 0; j < quad; j++)
                acc[r][j] = __fmaf_rn(v[stencil_tile<C>::skip + j + kx * C], chain.weight[3 * ky + kx], acc[r][j]);
        }
    }
}

template <int C, int N>
__global__ void __launch_bounds__(threads, 4)
    stencil_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
                   const __grid_constant__ stencil<N> mask, struct gf_cuda_row_chunk row_chunk)
{
    using geometry = stencil_tile<C>;
    __shared__ __align__(16) float tile[geometry::pitch * geometry::rows];

    const int x0 = blockIdx.x * warp_span, y0 = row_chunk.first + blockIdx.y * tile_rows;
    const int flat0 = x0 - geometry::lead, top = y0 - 1;
    const bool inside =
        flat0 >= 0 && flat0 + geometry::pitch <= src.width * C && top >= 0 && top + geometry::rows <= src.height;
    if (inside)
        fill_inside<C>(tile, src, top, flat0);
    else
        fill_tile<C>(tile, geometry::pitch, geometry::rows, geometry::pitch, src, top, flat0);
    gf_sync_block();

    const int lane = threadIdx.x % warp_lanes, first_row = threadIdx.x / warp_lanes * rows_per_thread;
    const float *base = tile + first_row * geometry::pitch + lane * quad;
    float acc[N][rows_per_thread][quad] = {};
#pragma unroll
    for (int t = 0; t < rows_per_thread + 2; t++) {
        alignas(sizeof(float4)) float v[geometry::window];
#pragma unroll
        for (int i = 0; i < geometry::window; i += quad)
            *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(base + t * geometry::pitch + i);
#pragma unroll
        for (int n = 0; n < N; n++)
            add_row<C, N>(acc[n], v, mask.chains[n], n, t);
    }
    if (N == 2) {
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++)
            magnitudes(acc[0][r], acc[N - 1][r], acc[0][r]);
    }
    gf_sync_block();
    finish_rows(dst, y0 + first_row, row_chunk.end, x0 + lane * quad, acc[0], tile);
}

template <int C, int N>
cudaError_t launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    stencil<N> mask;
    for (int n = 0; n < N; n++)
        mask.chains[n] = pass->stencil.chains[n];
    const dim3 grid((pass->dst.samples + warp_span - 1) / warp_span,
                    (rows.end - rows.first + tile_rows - 1) / tile_rows);
    stencil_kernel<C, N><<<grid, threads, 0, stream>>>(pass->src, pass->dst, mask, rows);
    return cudaPeekAtLastError();
}

template <int N>
cudaError_t launch_of(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    return pass->src.channels == 1   ? launch<1, N>(pass, rows, stream)
           : pass->src.channels == 2 ? launch<2, N>(pass, rows, stream)
           : pass->src.channels == 3 ? launch<3, N>(pass, rows, stream)
                                     : launch<4, N>(pass, rows, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_stencil_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                              cudaStream_t stream)
{
    return pass->stencil.n_chains == 2 ? launch_of<2>(pass, rows, stream) : launch_of<1>(pass, rows, stream);
}
