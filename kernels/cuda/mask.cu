/* SPDX-License-Identifier: MIT */
/*
 * The chain of a full mask, docs/numerics.md 4. Called by linear_filter.c for correlate and convolve.
 *
 * Rows are taken as flat samples: a tap to the right is C samples further, so that channels need no unpacking. Every
 * thread owns 4 x 8 outputs, four side by side (one 16-byte access, a warp's lie without gaps) and eight below each
 * other; it walks down the input rows it needs and adds each to all outputs it belongs to, so that a row is read from
 * shared memory once for up to eight mask rows. The 32 chains are independent, each in the order of the contract.
 */
#include <cuda_pipeline.h>

#include "tile.cuh"

namespace
{

using namespace gf;

/* Masks of 3x3, 5x5 and 7x7 with the anchor in the centre, everything unrolled, coefficients in the launch itself. */
template <int K> struct small_coefs {
    float w[K * K];
};

template <int C, int K> struct small_tile {
    static constexpr int reach = K / 2 * C;            /* samples the mask reaches to each side */
    static constexpr int lead = round_up(reach, quad); /* the same in whole quads, so that global quads are aligned */
    static constexpr int pitch = strip + 2 * lead;
    static constexpr int rows = tile_rows + K - 1;
    static constexpr int skip = lead - reach; /* from the quad a window starts in to its first sample */
    static constexpr int window = round_up(skip + quad + (K - 1) * C, quad);
};

/* Tiles that lie inside the image with their halo: no border, aligned quads; plain f32 goes to shared memory without
 * passing through registers. */
template <int C, int K>
__device__ __forceinline__ void fill_inside(float *tile, const struct gf_cuda_source &src, int y0, int flat0)
{
    using geometry = small_tile<C, K>;
    constexpr int quads = geometry::pitch / quad;
    const bool plain = src.decode == nullptr && !src.premultiply;
    gf_dispatch(src.dtype, [&](auto tag) {
        using T = decltype(tag);
        const T *corner = row_of<T>(src.data, src.pitch, y0) + flat0;
        if (sizeof(T) == sizeof(float) && plain) {
#pragma unroll 4
            for (int i = threadIdx.x; i < geometry::rows * quads; i += threads) {
                const T *from = row_of<T>(corner, src.pitch, i / quads) + i % quads * quad;
                __pipeline_memcpy_async(tile + i * quad, from, quad * sizeof(float));
            }
            __pipeline_commit();
            __pipeline_wait_prior(0);
        } else {
#pragma unroll 6
            for (int i = threadIdx.x; i < geometry::rows * quads; i += threads) {
                const T *from = row_of<T>(corner, src.pitch, i / quads) + i % quads * quad;
                reinterpret_cast<float4 *>(tile)[i] = load_prepared_quad<C, T>(src, from);
            }
        }
    });
}

template <int C, int K>
__global__ void __launch_bounds__(threads, 5)
    small_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
                 const __grid_constant__ small_coefs<K> coefs, struct gf_cuda_band band)
{
    using geometry = small_tile<C, K>;
    __shared__ __align__(16) float tile[geometry::pitch * geometry::rows];

    const int x0 = blockIdx.x * strip, y0 = band.first + blockIdx.y * tile_rows;
    const int flat0 = x0 - geometry::lead, top = y0 - K / 2;
    const bool inside =
        flat0 >= 0 && flat0 + geometry::pitch <= src.width * C && top >= 0 && top + geometry::rows <= src.height;
    if (inside)
        fill_inside<C, K>(tile, src, top, flat0);
    else
        fill_tile<C>(tile, geometry::pitch, geometry::rows, geometry::pitch, src, top, flat0);
    __syncthreads();

    const int lane = threadIdx.x % warp_lanes, first_row = threadIdx.x / warp_lanes * rows_per_thread;
    const float *base = tile + first_row * geometry::pitch + lane * quad;
    float acc[rows_per_thread][quad] = {};
#pragma unroll
    for (int t = 0; t < rows_per_thread + K - 1; t++) {
        float v[geometry::window];
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
    __syncthreads();
    finish_rows(dst, y0 + first_row, band.end, x0 + lane * quad, acc, tile);
}

template <int C, int K>
cudaError_t launch_small(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                         const struct gf_cuda_mask *mask, struct gf_cuda_band band, cudaStream_t stream)
{
    small_coefs<K> coefs;
    for (int i = 0; i < K * K; i++)
        coefs.w[i] = mask->coefs[i];
    const dim3 grid((dst->samples + strip - 1) / strip, (band.end - band.first + tile_rows - 1) / tile_rows);
    small_kernel<C, K><<<grid, threads, 0, stream>>>(*src, *dst, coefs, band);
    return cudaPeekAtLastError();
}

template <int C>
cudaError_t launch_small_of(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                            const struct gf_cuda_mask *mask, struct gf_cuda_band band, cudaStream_t stream)
{
    if (mask->width == 3)
        return launch_small<C, 3>(src, dst, mask, band, stream);
    if (mask->width == 5)
        return launch_small<C, 5>(src, dst, mask, band, stream);
    return launch_small<C, 7>(src, dst, mask, band, stream);
}

/*
 * Any mask. The block keeps `chunk` mask rows and the input rows they need in shared memory and goes through the mask
 * chunk by chunk. Warps are stacked (across = 1) or, where the mask is so large that a tall tile would not fit, side by
 * side (across = 4).
 */
struct any_geometry {
    int32_t width, height, shift_x, shift_y;
    int32_t across, chunk;
    int32_t pitch;       /* of the tile, floats */
    int32_t coefs_pitch; /* of the mask rows, floats */
    const float *coefs;
};

constexpr int block_taps = 8; /* taps of a mask row taken together */

/* Adds N taps of one input row to the outputs in `rows` (bit r: output r uses it). `w` points at the coefficients for
 * output 0; those for output r lie r mask rows before. Both pointers are at multiples of 16 bytes. */
template <int C, int N>
__device__ __forceinline__ void add_taps(float (&acc)[rows_per_thread][quad], const float *row, const float *w,
                                         int coefs_pitch, unsigned rows)
{
    constexpr int window = round_up(quad + (N - 1) * C, quad); /* samples that N taps need */
    float v[window];
#pragma unroll
    for (int i = 0; i < window; i += quad)
        *reinterpret_cast<float4 *>(v + i) = *reinterpret_cast<const float4 *>(row + i);
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
            for (int j = 0; j < quad; j++)
                acc[r][j] = __fmaf_rn(v[j + q * C], taps[q], acc[r][j]);
    }
}

/* The same for the last N taps or fewer, `left` of them. */
template <int C, int N>
__device__ __forceinline__ void add_last_taps(float (&acc)[rows_per_thread][quad], const float *row, const float *w,
                                              int coefs_pitch, unsigned rows, int left)
{
    if (left == N)
        add_taps<C, N>(acc, row, w, coefs_pitch, rows);
    else if constexpr (N > 1)
        add_last_taps<C, N - 1>(acc, row, w, coefs_pitch, rows, left);
}

/* Adds one input row, all taps of it. */
template <int C>
__device__ __forceinline__ void add_row(float (&acc)[rows_per_thread][quad], const float *row, const float *w,
                                        int coefs_pitch, int width, unsigned rows)
{
    int kx = 0;
    for (; kx + block_taps <= width; kx += block_taps)
        add_taps<C, block_taps>(acc, row + kx * C, w + kx, coefs_pitch, rows);
    add_last_taps<C, block_taps - 1>(acc, row + kx * C, w + kx, coefs_pitch, rows, width - kx);
}

template <int C>
__global__ void __launch_bounds__(threads, 5)
    any_kernel(const __grid_constant__ struct gf_cuda_source src, const __grid_constant__ struct gf_cuda_target dst,
               const __grid_constant__ struct any_geometry mask, struct gf_cuda_band band)
{
    extern __shared__ __align__(16) float shared[];
    const int tile_height = tile_rows / mask.across;
    float *coefs = shared;
    float *tile = shared + mask.chunk * mask.coefs_pitch;

    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int first_row = warp / mask.across * rows_per_thread;
    const int first_sample = warp % mask.across * strip + lane * quad;
    const int x0 = blockIdx.x * strip * mask.across, y0 = band.first + blockIdx.y * tile_height;
    float acc[rows_per_thread][quad] = {};
    for (int ky0 = 0; ky0 < mask.height; ky0 += mask.chunk) {
        const int n = min(mask.chunk, mask.height - ky0);
        __syncthreads();
        for (int r = warp; r < n; r += warps)
            for (int i = lane; i < mask.width; i += warp_lanes)
                coefs[r * mask.coefs_pitch + i] = __ldg(mask.coefs + (ky0 + r) * mask.width + i);
        fill_tile<C>(tile, mask.pitch, tile_height + n - 1, strip * mask.across + (mask.width - 1) * C, src,
                     y0 + mask.shift_y + ky0, x0 + mask.shift_x * C);
        __syncthreads();

        const float *row = tile + first_row * mask.pitch + first_sample;
        for (int t = 0; t < n + rows_per_thread - 1; t++) {
            /* Output r uses this row by mask row t - r, where there is one: r from t - n + 1 to t. */
            const int lo = max(t - n + 1, 0), hi = min(t, rows_per_thread - 1);
            const unsigned rows = (2u << hi) - (1u << lo);
            add_row<C>(acc, row + t * mask.pitch, coefs + t * mask.coefs_pitch, mask.coefs_pitch, mask.width, rows);
        }
    }
    __syncthreads();
    finish_rows(dst, y0 + first_row, band.end, x0 + first_sample, acc, tile);
}

/* What every device from compute capability 7.5 on gives to one block. */
constexpr int shared_limit = 64 * 1024;

int any_pitch(int across, int width, int channels)
{
    /* Whole groups of four taps are read, and one quad beyond; what lies there is not used. */
    return strip * across + round_up(width, quad) * channels + quad;
}

int any_shared_bytes(const struct any_geometry *g)
{
    const int rows = tile_rows / g->across + g->chunk - 1;
    return (rows * g->pitch + g->chunk * g->coefs_pitch) * static_cast<int>(sizeof(float));
}

struct any_geometry any_plan(const struct gf_cuda_mask *mask, int channels)
{
    struct any_geometry g = {};
    g.width = mask->width;
    g.height = mask->height;
    g.shift_x = mask->shift_x;
    g.shift_y = mask->shift_y;
    g.coefs = mask->device_coefs;
    g.coefs_pitch = round_up(mask->width, quad);
    g.chunk = mask->height;
    g.across = 1;
    g.pitch = any_pitch(g.across, mask->width, channels);
    if (any_shared_bytes(&g) <= shared_limit)
        return g;
    g.across = warps;
    g.pitch = any_pitch(g.across, mask->width, channels);
    while (any_shared_bytes(&g) > shared_limit)
        g.chunk--;
    return g;
}

template <int C>
cudaError_t launch_any(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                       const struct gf_cuda_mask *mask, struct gf_cuda_band band, cudaStream_t stream)
{
    const struct any_geometry g = any_plan(mask, C);
    const int width = strip * g.across, height = tile_rows / g.across;
    const dim3 grid((dst->samples + width - 1) / width, (band.end - band.first + height - 1) / height);
    any_kernel<C><<<grid, threads, any_shared_bytes(&g), stream>>>(*src, *dst, g, band);
    return cudaPeekAtLastError();
}

template <int C> cudaError_t prepare_any()
{
    return cudaFuncSetAttribute(any_kernel<C>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit);
}

} // namespace

extern "C" cudaError_t gf_cuda_mask_prepare(void)
{
    cudaError_t error = prepare_any<1>();
    if (error == cudaSuccess)
        error = prepare_any<2>();
    if (error == cudaSuccess)
        error = prepare_any<3>();
    if (error == cudaSuccess)
        error = prepare_any<4>();
    return error;
}

extern "C" bool gf_cuda_mask_is_small(const struct gf_cuda_mask *mask, int32_t channels)
{
    const int k = mask->width;
    return channels != 2 && (k == 3 || k == 5 || k == 7) && mask->height == k && mask->shift_x == -(k / 2) &&
           mask->shift_y == -(k / 2);
}

extern "C" cudaError_t gf_cuda_mask_launch(const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                           const struct gf_cuda_mask *mask, struct gf_cuda_band band,
                                           cudaStream_t stream)
{
    if (gf_cuda_mask_is_small(mask, src->channels)) {
        if (src->channels == 1)
            return launch_small_of<1>(src, dst, mask, band, stream);
        if (src->channels == 3)
            return launch_small_of<3>(src, dst, mask, band, stream);
        return launch_small_of<4>(src, dst, mask, band, stream);
    }
    if (src->channels == 1)
        return launch_any<1>(src, dst, mask, band, stream);
    if (src->channels == 2)
        return launch_any<2>(src, dst, mask, band, stream);
    if (src->channels == 3)
        return launch_any<3>(src, dst, mask, band, stream);
    return launch_any<4>(src, dst, mask, band, stream);
}
