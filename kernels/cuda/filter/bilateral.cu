/* SPDX-License-Identifier: MIT */
/*
 * The bilateral filter, docs/numerics.md 23. Planned by filter_plan.c, launched through filter_pass.h.
 *
 * A block has the pixels of a tile and those around it in shared memory as f32, channels interleaved: all rows that the
 * disc needs, or `chunk` rows of the disc at a time. A thread owns a pixel, and lanes next to each other read pixels
 * next to each other.
 */
#include "filter_pass.h"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/shared/filter.h"
#include "tile.cuh"

namespace
{

using namespace gf;

constexpr int disc_columns = warp_lanes, disc_rows = 8, disc_threads = disc_rows * warp_lanes; /* of a tile */
constexpr int shared_floats = 48 * 1024 / sizeof(float); /* that any device gives to a block */

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

/* The first F of the C samples of a pixel; those of two or four lie in one access. */
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

/* What a thread adds up. */
template <int F> struct mean {
    float own[F], sum[F], weight;
};

/* Adds taps `first` to before `end`, the same in all threads; (0, 0) of the disc lies at `corner`. A pixel that differs
 * by no number, or too much, does not count. */
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
        const bool counts = e >= GF_EXP2_LEAST;
        const float w = counts ? weight_of(e) : 0.0f;
        m.weight = __fadd_rn(m.weight, w);
#pragma unroll
        for (int c = 0; c < F; c++)
            m.sum[c] = __fmaf_rn(w, counts ? v[c] : 0.0f, m.sum[c]);
    }
}

/* The first tap from `t` on that is in disc row `row` or below. */
__device__ __forceinline__ int taps_before(const struct gf_cuda_disc &disc, int t, int row)
{
    while (t < disc.n && disc.taps[t].row < row)
        t++;
    return t;
}

/* Of C channels F are filtered; F < C: alpha is copied. Results go through shared memory, since the samples that are
 * finished together belong to several threads. */
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
    /* Each thread's own pixel, of a tile without what is around it. */
    fill_tile<C>(tile, disc.pitch, disc_rows, disc_columns * C, src, y0, x0 * C);
    gf_sync_block(); /* the pixels are there before their threads read them */
    read_pixel<C, F>(tile + warp * disc.pitch + lane * C, m.own);
    for (int row = 0, tap = 0; row < side; row += disc.chunk) {
        const int n = min(disc.chunk, side - row);
        const int end = row + n == side ? disc.n : taps_before(disc, tap, row + n);
        gf_sync_block(); /* all have read what was in the tile, here or in the last round, before it is filled again */
        fill_tile<C>(tile, disc.pitch, disc_rows + n - 1, width, src, y0 - disc.radius + row, (x0 - disc.radius) * C);
        gf_sync_block(); /* the tile is there before any thread reads it */
        add_taps<C, F>(m, disc, tap, end, tile + (warp - row) * disc.pitch + lane * C);
        tap = end;
    }
    gf_sync_block();                          /* all have read the tile before results take its place */
    constexpr int samples = disc_columns * C; /* of a row of results, whole quads */
#pragma unroll
    for (int c = 0; c < C; c++)
        tile[warp * samples + lane * C + c] =
            c < F ? __fadd_rn(m.own[c < F ? c : 0], __fdiv_rn(m.sum[c < F ? c : 0], m.weight)) : 0.0f;
    gf_sync_block(); /* all results are there before any is read; nothing is written after */
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
    const dim3 grid((pass->src.width + disc_columns - 1) / disc_columns,
                    (rows.end - rows.first + disc_rows - 1) / disc_rows);
    const size_t bytes = static_cast<size_t>(pass->disc.pitch) * (disc_rows + pass->disc.chunk - 1) * sizeof(float);
    bilateral_kernel<C, F><<<grid, disc_threads, bytes, stream>>>(pass->src, pass->dst, pass->disc, rows);
    return cudaPeekAtLastError();
}

} // namespace

/* A row of the tile is longer than one of results, so that those have room, and even four channels and the largest
 * radius leave three rows of the disc at a time. */
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
    const bool copies = pass->dst.alpha == GF_ALPHA_IGNORE;
    switch (pass->src.channels) {
    case 1:
        return launch<1, 1>(pass, rows, stream);
    case 2:
        return copies ? launch<2, 1>(pass, rows, stream) : launch<2, 2>(pass, rows, stream);
    case 3:
        return launch<3, 3>(pass, rows, stream);
    default:
        return copies ? launch<4, 3>(pass, rows, stream) : launch<4, 4>(pass, rows, stream);
    }
}
