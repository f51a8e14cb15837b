/* SPDX-License-Identifier: MIT */
/*
 * Tiles of f32 values with the halo that windows reach: how a block fills them from an image, and from its border where
 * they reach outside. All threads of the block take part, and synchronise before they read the tile. Included by
 * mask.cu, mask_any.cu, stencil.cuh, bilateral.cu and separable.cu. raw_tile.cuh and fused_tile.cuh fill tiles of
 * stored samples.
 */
#ifndef GF_CUDA_WINDOW_CUH
#define GF_CUDA_WINDOW_CUH

#include "kernels/cuda/device/async_copy.cuh"
#include "tile.cuh"

namespace gf
{

/* Whether all rows x cols samples from (y0, flat0) on are inside the image. */
template <int C>
__device__ __forceinline__ bool is_inside(const struct gf_cuda_source &src, int y0, int flat0, int rows, int cols)
{
    return flat0 >= 0 && flat0 + cols <= src.width * C && y0 >= 0 && y0 + rows <= src.height;
}

/* Loads channel c of pixel x, which the border has mapped, -1 for the constant, and of row y, which may be outside. */
template <int C, class T>
__device__ __forceinline__ float load_bordered(const struct gf_cuda_source &src, int y, int x, int c)
{
    const int row = border_index(src.border, y, src.height);
    return (x | row) < 0 ? src.outside[c] : load_sample<T>(src, row_of<T>(src.data, src.pitch, row), x * C + c, c, C);
}

/*
 * Fills rows x cols values of a tile from source position (y0, flat0), both possibly outside. Correct for every
 * position and border. Warps take rows, and lanes take adjacent samples. Away from the image's edges whole rows are
 * copied, plain f32 asynchronously. Elsewhere a lane maps its column once and walks down the rows with many loads in
 * flight: small pictures offer nothing else to hide the latency.
 */
template <int C>
__device__ __forceinline__ void fill_tile(float *tile, int pitch, int rows, int cols, const struct gf_cuda_source &src,
                                          int y0, int flat0)
{
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes, step = blockDim.x / warp_lanes;
    const bool inside = is_inside<C>(src, y0, flat0, rows, cols), plain = is_plain(src);
    gf_dispatch(src.dtype, [&](auto tag) {
        using T = decltype(tag);
        if (inside) {
            for (int r = warp; r < rows; r += step) {
                const T *row = row_of<T>(src.data, src.pitch, y0 + r);
                float *out = tile + r * pitch;
                if (plain) {
#pragma unroll 4
                    for (int i = lane; i < cols; i += warp_lanes)
                        if constexpr (std::is_same_v<T, float>)
                            gf_copy_async(out + i, row + flat0 + i, sizeof(float));
                        else
                            out[i] = static_cast<float>(__ldg(row + flat0 + i));
                } else {
#pragma unroll 4
                    for (int i = lane; i < cols; i += warp_lanes)
                        out[i] = load_sample<T>(src, row, flat0 + i, (flat0 + i) % C, C);
                }
            }
            if (std::is_same_v<T, float>) {
                gf_commit_copies();
                gf_wait_for_copies(0);
            }
            return;
        }
#pragma unroll 1
        for (int i = lane; i < cols; i += warp_lanes) {
            const int px = pixel_of<C>(flat0 + i), c = flat0 + i - px * C, x = border_index(src.border, px, src.width);
#pragma unroll 8
            for (int r = warp; r < rows; r += step)
                tile[r * pitch + i] = load_bordered<C, T>(src, y0 + r, x, c);
        }
    });
}

/* A row of a tile of whole quads, for masks of side K: the samples of a warp, and the reach of the mask on both sides.
 */
template <int C, int K> struct quad_tile {
    static constexpr int reach = K / 2 * C;            /* samples that the mask reaches to each side */
    static constexpr int lead = round_up(reach, quad); /* reach in whole quads, which keeps global quads aligned */
    static constexpr int pitch = warp_span + 2 * lead;
    static constexpr int skip = lead - reach; /* from the start of a quad to the first sample of its window */
    static constexpr int window = round_up(skip + quad + (K - 1) * C, quad);
};

/* Fills a tile inside the image. Plain f32 is copied to shared memory asynchronously, without passing through
 * registers. */
template <int C>
__device__ __forceinline__ void fill_inner_quads(float *tile, int pitch, int rows, const struct gf_cuda_source &src,
                                                 int y0, int flat0)
{
    const int quads = pitch / quad;
    const bool plain = is_plain(src);
    gf_dispatch(src.dtype, [&](auto tag) {
        using T = decltype(tag);
        const T *corner = row_of<T>(src.data, src.pitch, y0) + flat0;
        if (sizeof(T) == sizeof(float) && plain) {
#pragma unroll 4
            for (int i = threadIdx.x; i < rows * quads; i += threads) {
                const T *from = row_of<T>(corner, src.pitch, i / quads) + i % quads * quad;
                gf_copy_async(tile + i * quad, from, quad * sizeof(float));
            }
            gf_commit_copies();
            gf_wait_for_copies(0);
        } else {
#pragma unroll 6
            for (int i = threadIdx.x; i < rows * quads; i += threads) {
                const T *from = row_of<T>(corner, src.pitch, i / quads) + i % quads * quad;
                reinterpret_cast<float4 *>(tile)[i] = load_prepared_quad<C, T>(src, from);
            }
        }
    });
}

template <int C> __device__ __forceinline__ float4 outside_quad(const struct gf_cuda_source &src, int flat)
{
    const int c = flat - pixel_of<C>(flat) * C;
    return make_float4(src.outside[c], src.outside[(c + 1) % C], src.outside[(c + 2) % C], src.outside[(c + 3) % C]);
}

/* Fills a tile at the edge of the image: aligned quads inside the row, then the single samples to the left and right of
 * them. Both loops keep many loads in flight: small pictures offer nothing else to hide the latency. */
template <int C>
__device__ __forceinline__ void fill_edge_quads(float *tile, int pitch, int rows, const struct gf_cuda_source &src,
                                                int y0, int flat0)
{
    const int samples = src.width * C;
    const int first = min(max(-flat0, 0), pitch) / quad;
    const int end = max(min(samples - flat0, pitch) / quad, first);
    const int beside = pitch - (end - first) * quad;
    gf_dispatch(src.dtype, [&](auto tag) {
        using T = decltype(tag);
#pragma unroll 6
        for (int i = threadIdx.x; i < rows * (end - first); i += threads) {
            const int r = i / (end - first), at = (first + i % (end - first)) * quad;
            const int y = border_index(src.border, y0 + r, src.height);
            const float4 v = y < 0 ? outside_quad<C>(src, flat0 + at)
                                   : load_prepared_quad<C, T>(src, row_of<T>(src.data, src.pitch, y) + flat0 + at);
            *reinterpret_cast<float4 *>(tile + r * pitch + at) = v;
        }
#pragma unroll 2
        for (int i = threadIdx.x; i < rows * beside; i += threads) {
            const int r = i / beside, left = i % beside;
            const int at = left < first * quad ? left : left + (end - first) * quad;
            const int px = pixel_of<C>(flat0 + at), x = border_index(src.border, px, src.width);
            tile[r * pitch + at] = load_bordered<C, T>(src, y0 + r, x, flat0 + at - px * C);
        }
    });
}

/* Fills a tile of whole quads: `pitch` and flat0 must be multiples of four. Any position and border, as fill_tile, for
 * blocks of `threads` threads. */
template <int C>
__device__ __forceinline__ void fill_quads(float *tile, int pitch, int rows, const struct gf_cuda_source &src, int y0,
                                           int flat0)
{
    if (is_inside<C>(src, y0, flat0, rows, pitch))
        fill_inner_quads<C>(tile, pitch, rows, src, y0, flat0);
    else
        fill_edge_quads<C>(tile, pitch, rows, src, y0, flat0);
}

} // namespace gf

#endif
