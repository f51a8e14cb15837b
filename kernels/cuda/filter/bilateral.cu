/* SPDX-License-Identifier: MIT */
/*
 * The bilateral filter, docs/numerics.md, "bilateral". filter_plan.c plans it; linear_filter.c launches it through
 * filter_pass.h.
 *
 * A block loads a tile of pixels and its halo into shared memory as f32, channels interleaved. The halo covers all rows
 * of the disc at once, or `chunk` rows of the disc at a time where shared memory is too small. Each thread owns one
 * pixel, and adjacent lanes read adjacent pixels.
 */
#include "filter_pass.h"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/shared/filter.h"
#include "window.cuh"

namespace
{

using namespace gf;

constexpr int disc_columns = warp_lanes, disc_rows = 8, disc_threads = disc_rows * warp_lanes; /* tile and block size */
constexpr int shared_floats = 48 * 1024 / sizeof(float); /* that every device grants a block */

__device__ __forceinline__ float weight_of(float e)
{
    const float rounded = __fadd_rn(e, GF_EXP2_WHOLE), f = __fsub_rn(e, __fsub_rn(rounded, GF_EXP2_WHOLE));
    float v = __fmaf_rn(GF_EXP2_C5, f, GF_EXP2_C4);
    v = __fmaf_rn(v, f, GF_EXP2_C3);
    v = __fmaf_rn(v, f, GF_EXP2_C2);
    v = __fmaf_rn(v, f, GF_EXP2_C1);
    v = __fmaf_rn(v, f, 1.0f);
    return __int_as_float(__float_as_int(v) + (__float_as_int(rounded) << 23));
}

/* Reads the first F of a pixel's C samples. With 2 or 4 channels one vector access reads the pixel. */
template <int C, int F> __device__ __forceinline__ void read_pixel(const float *at, float (&v)[F])
{
    if constexpr (C == 4) {
        const float4 all = *reinterpret_cast<const float4 *>(at);
        v[0] = all.x;
        v[1] = all.y;
        v[2] = all.z;
        if constexpr (F == 4)
            v[3] = all.w;
    } else if constexpr (C == 2) {
        const float2 all = *reinterpret_cast<const float2 *>(at);
        v[0] = all.x;
        if constexpr (F == 2)
            v[1] = all.y;
    } else {
#pragma unroll
        for (int c = 0; c < F; c++)
            v[c] = at[c];
    }
}

template <int F> struct mean {
    float own[F], sum[F], weight;
};

/* Adds the taps from `first` up to, not including, `end`; all threads add the same taps. `corner` points to the disc's
 * element (0, 0). A tap does not count where its difference is NaN or its weight underflows. */
template <int C, int F>
__device__ __forceinline__ void add_taps(mean<F> &m, const struct gf_cuda_disc &disc, int first, int end,
                                         const float *corner)
{
#pragma unroll 4
    for (int t = first; t < end; t++) {
        const uint2 raw = __ldg(reinterpret_cast<const uint2 *>(disc.taps) + t);
        float v[F], far = 0.0f;
        read_pixel<C, F>(corner + (raw.y & 0xFFFFu) * disc.pitch + (raw.y >> 16) * C, v);
#pragma unroll
        for (int c = 0; c < F; c++) {
            v[c] = __fsub_rn(v[c], m.own[c]);
            far = c == 0 ? fabsf(v[c]) : __fadd_rn(far, fabsf(v[c]));
        }
        const float e = __fmaf_rn(__fmul_rn(far, far), disc.range, __uint_as_float(raw.x));
        const bool counts = e >= GF_EXP2_MIN;
        const float w = counts ? weight_of(e) : 0.0f;
        m.weight = __fadd_rn(m.weight, w);
#pragma unroll
        for (int c = 0; c < F; c++)
            m.sum[c] = __fmaf_rn(w, counts ? v[c] : 0.0f, m.sum[c]);
    }
}

/* Returns the first tap from `t` on that lies in disc row `row` or below. */
__device__ __forceinline__ int taps_before(const struct gf_cuda_disc &disc, int t, int row)
{
    while (t < disc.n && disc.taps[t].row < row)
        t++;
    return t;
}

/* Filters F of C channels; where F < C, the last channel is alpha and is copied. Results pass through shared memory,
 * because the four samples that are finished together belong to different threads. */
template <int C, int F>
__global__ void __launch_bounds__(disc_threads)
    bilateral_kernel(const __grid_constant__ struct gf_cuda_source src,
                     const __grid_constant__ struct gf_cuda_target dst,
                     const __grid_constant__ struct gf_cuda_disc disc, struct gf_cuda_row_chunk row_chunk)
{
    extern __shared__ __align__(16) float tile[];
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes, side = 2 * disc.radius + 1;
    const int x0 = blockIdx.x * disc_columns, y0 = row_chunk.first + blockIdx.y * disc_rows;
    const int width = (disc_columns + side - 1) * C;
    mean<F> m = {};
    m.weight = 1.0f;
    /* A tile without halo: each thread reads its own pixel. */
    fill_tile<C>(tile, disc.pitch, disc_rows, disc_columns * C, src, y0, x0 * C);
    gf_sync_block(); /* the tile is written before threads read their pixels */
    read_pixel<C, F>(tile + warp * disc.pitch + lane * C, m.own);
    for (int row = 0, tap = 0; row < side; row += disc.chunk) {
        const int n = min(disc.chunk, side - row);
        const int end = row + n == side ? disc.n : taps_before(disc, tap, row + n);
        gf_sync_block(); /* all threads have read the previous tile before it is overwritten */
        fill_tile<C>(tile, disc.pitch, disc_rows + n - 1, width, src, y0 - disc.radius + row, (x0 - disc.radius) * C);
        gf_sync_block(); /* the tile is written before any thread reads it */
        add_taps<C, F>(m, disc, tap, end, tile + (warp - row) * disc.pitch + lane * C);
        tap = end;
    }
    gf_sync_block();                          /* all threads have read the tile before results overwrite it */
    constexpr int samples = disc_columns * C; /* samples in a row of results, a multiple of four */
#pragma unroll
    for (int c = 0; c < C; c++)
        tile[warp * samples + lane * C + c] =
            c < F ? __fadd_rn(m.own[c < F ? c : 0], __fdiv_rn(m.sum[c < F ? c : 0], m.weight)) : 0.0f;
    gf_sync_block(); /* all results are written before any is read; shared memory is not written again */
    for (int i = threadIdx.x; i < disc_rows * (samples / quad); i += disc_threads) {
        const int y = y0 + i / (samples / quad), x = i % (samples / quad) * quad;
        if (y >= row_chunk.end)
            continue;
        const float4 v = *reinterpret_cast<const float4 *>(tile + i * quad);
        const float one[quad] = {v.x, v.y, v.z, v.w};
        finish_row(dst, y, x0 * C + x, one);
    }
}

template <int C, int F>
cudaError_t launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows, cudaStream_t stream)
{
    const dim3 grid = grid_over(pass->src.width, rows, disc_columns, disc_rows);
    const size_t bytes = static_cast<size_t>(pass->disc.pitch) * (disc_rows + pass->disc.chunk - 1) * sizeof(float);
    bilateral_kernel<C, F><<<grid, disc_threads, bytes, stream>>>(pass->src, pass->dst, pass->disc, rows);
    return cudaPeekAtLastError();
}

} // namespace

/* A tile row is longer than a row of results, so the results fit into the tile. With four channels and the largest
 * radius there is still room for three rows of the disc at a time. */
extern "C" void gf_cuda_bilateral_plan(struct gf_cuda_filter_pass *pass)
{
    struct gf_cuda_disc *disc = &pass->disc;
    const int side = 2 * disc->radius + 1;
    disc->pitch = round_up((disc_columns + side - 1) * pass->src.channels, quad);
    disc->chunk = min(shared_floats / disc->pitch - disc_rows + 1, side);
    pass->launch = gf_cuda_bilateral_launch;
}

extern "C" cudaError_t gf_cuda_bilateral_launch(const struct gf_cuda_filter_pass *pass, struct gf_cuda_row_chunk rows,
                                                cudaStream_t stream)
{
    return gf_dispatch_channels(pass->src.channels, [&](auto c) {
        constexpr int C = c.value;
        if constexpr (C % 2 == 0)
            if (pass->dst.alpha == GF_ALPHA_IGNORE)
                return launch<C, C - 1>(pass, rows, stream);
        return launch<C, C>(pass, rows, stream);
    });
}
