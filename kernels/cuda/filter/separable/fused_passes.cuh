/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of separable_fused.cu: the row pass over a row of the tile, and the column pass over columns of the
 * ring. Taps are kernel arguments and the same for all threads. Where the compiler proves that, taps stay in uniform
 * registers, and an fma reads only two others. Included by separable_fused.cu.
 */
#ifndef GF_CUDA_FUSED_PASSES_CUH
#define GF_CUDA_FUSED_PASSES_CUH

#include "fused_tile.cuh"

namespace gf
{

/* Taps of a row at a time. With three channels, more taps would keep unneeded samples in registers. */
template <int C> constexpr int group = C == 1 ? 16 : 8;
/* Read ahead while the previous taps are added: quads of a row, rows of the ring. */
constexpr int ahead_quads = 3, ahead_rows = 4;

/*
 * Adds N taps to the outputs of a row, whose first sample under these taps is at `from`. It goes sample by sample, so
 * that each sample occupies a register only briefly. The first quads are in `ahead`; with More, the first quads of the
 * next taps are loaded there.
 */
template <int C, int N, bool More, int Part>
__device__ __forceinline__ void add_row_taps(float (&acc)[Part], float4 (&ahead)[ahead_quads], const float *from,
                                             const float *taps)
{
    constexpr int quads = (Part + (N - 1) * C + quad - 1) / quad;
    float w[N];
    float4 v[quads];
#pragma unroll
    for (int t = 0; t < N; t++)
        w[t] = taps[t];
#pragma unroll
    for (int q = 0; q < quads; q++)
        v[q] = q < ahead_quads ? ahead[q] : reinterpret_cast<const float4 *>(from)[q];
    if (More)
#pragma unroll
        for (int q = 0; q < ahead_quads; q++)
            ahead[q] = reinterpret_cast<const float4 *>(from + N * C)[q];
#pragma unroll
    for (int i = 0; i < quads * quad; i++) {
        const float s = i % quad == 0   ? v[i / quad].x
                        : i % quad == 1 ? v[i / quad].y
                        : i % quad == 2 ? v[i / quad].z
                                        : v[i / quad].w;
#pragma unroll
        for (int j = 0; j < Part; j++)
            if (i >= j && (i - j) % C == 0 && (i - j) / C < N)
                acc[j] = __fmaf_rn(s, w[(i - j) / C], acc[j]);
    }
}

/* Adds the last taps, n of them, an odd number. */
template <int C, int N, int Part>
__device__ __forceinline__ void add_last_taps(float (&acc)[Part], float4 (&ahead)[ahead_quads], const float *from,
                                              const float *taps, int n)
{
    if (n == N)
        add_row_taps<C, N, false>(acc, ahead, from, taps);
    else if constexpr (N > 1)
        add_last_taps<C, N - 2>(acc, ahead, from, taps, n);
}

/* Computes Part adjacent outputs. With Many, a loop adds all but the last taps. */
template <int C, int Part, bool Many>
__device__ __forceinline__ void pass_part(const float *from, float *to, const float *taps, int n)
{
    float acc[Part] = {};
    float4 ahead[ahead_quads];
#pragma unroll
    for (int q = 0; q < ahead_quads; q++)
        ahead[q] = reinterpret_cast<const float4 *>(from)[q];
    int k = 0;
    if (Many)
#pragma unroll 1
        for (; k + group<C> + 1 < n; k += group<C>, from += group<C> * C)
            add_row_taps<C, group<C>, true>(acc, ahead, from, taps + k);
    const int odd = (n - k - 1) | 1;
    add_last_taps<C, group<C> + 1>(acc, ahead, from, taps + k, odd);
    if (k + odd < n) {
        const float w = taps[n - 1];
        from += odd * C;
#pragma unroll
        for (int j = 0; j < Part; j++)
            acc[j] = __fmaf_rn(from[j], w, acc[j]);
    }
#pragma unroll
    for (int j = 0; j < Part; j += quad)
        *reinterpret_cast<float4 *>(to + j) = make_float4(acc[j], acc[j + 1], acc[j + 2], acc[j + 3]);
}

/* The row pass: a lane takes a row of the tile, a warp a quarter of its outputs. With few taps it computes half of the
 * outputs at a time: a short loop that runs twice stalls less for instructions than unrolled code of twice the size,
 * and that outweighs reading the shared samples twice. */
template <int C> __device__ __forceinline__ void pass_row(const float *from, float *to, const float *taps, int n)
{
    if constexpr (C == 1)
        if (n <= group<C> + 1) {
#pragma unroll 1
            for (int j = 0; j < run; j += run / 2)
                pass_part<C, run / 2, false>(from + j, to + j, taps, n);
            return;
        }
    pass_part<C, run, true>(from, to, taps, n);
}

__device__ __forceinline__ void add_quad(float (&acc)[quad], const float4 &v, float w)
{
    acc[0] = __fmaf_rn(v.x, w, acc[0]);
    acc[1] = __fmaf_rn(v.y, w, acc[1]);
    acc[2] = __fmaf_rn(v.z, w, acc[2]);
    acc[3] = __fmaf_rn(v.w, w, acc[3]);
}

/*
 * Adds eight rows of the ring to eight output rows, four adjacent outputs each. Row j and output r meet at tap j - r,
 * counted from `taps`; taps before From do not exist. The first rows are in `v`; the first of the next eight rows are
 * loaded there.
 */
template <int C, int From>
__device__ __forceinline__ void add_columns(float (&acc)[rows_per_thread][quad], float4 (&v)[rows_per_thread],
                                            const float *rows, const float *next, const float *taps)
{
    float w[2 * rows_per_thread];
#pragma unroll
    for (int d = From; d < rows_per_thread; d++)
        w[rows_per_thread + d] = taps[d];
#pragma unroll
    for (int j = 0; j < rows_per_thread; j++) {
        const int a = (j + ahead_rows) % rows_per_thread;
        const float4 now = v[j];
        v[a] = *reinterpret_cast<const float4 *>((j + ahead_rows < rows_per_thread ? rows : next) + a * ring_pitch<C>);
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++)
            if (j - r >= From)
                add_quad(acc[r], now, w[rows_per_thread + j - r]);
    }
}

/* Adds the last rows, with N taps from `taps` on: the eight, and up to six of the next eight. */
template <int C, int From, int N>
__device__ __forceinline__ void add_last_columns(float (&acc)[rows_per_thread][quad], float4 (&v)[rows_per_thread],
                                                 const float *rows, const float *next, const float *taps)
{
    constexpr int n_rows = rows_per_thread - 1 + N;
    float w[2 * rows_per_thread];
#pragma unroll
    for (int d = From; d < N; d++)
        w[rows_per_thread + d] = taps[d];
#pragma unroll
    for (int j = 0; j < n_rows; j++) {
        const int a = (j + ahead_rows) % rows_per_thread;
        const float4 now = v[j % rows_per_thread];
        if (j + ahead_rows < n_rows)
            v[a] =
                *reinterpret_cast<const float4 *>((j + ahead_rows < rows_per_thread ? rows : next) + a * ring_pitch<C>);
#pragma unroll
        for (int r = 0; r < rows_per_thread; r++)
            if (j - r >= From && j - r < N)
                add_quad(acc[r], now, w[rows_per_thread + j - r]);
    }
}

/* Adds the last rows with n taps, First to Last, by bisection to a constant. */
template <int C, int From, int First, int Last>
__device__ __forceinline__ void add_last_columns(float (&acc)[rows_per_thread][quad], float4 (&v)[rows_per_thread],
                                                 const float *rows, const float *next, const float *taps, int n)
{
    constexpr int middle = (First + Last) / 2;
    if constexpr (First == Last)
        add_last_columns<C, From, First>(acc, v, rows, next, taps);
    else if (n <= middle)
        add_last_columns<C, From, First, middle>(acc, v, rows, next, taps, n);
    else
        add_last_columns<C, From, middle + 1, Last>(acc, v, rows, next, taps, n);
}

/* The column pass, from row `row` of the ring on. */
template <int C>
__device__ __forceinline__ void pass_columns(float (&acc)[rows_per_thread][quad], const float *ring, int row,
                                             int ring_rows, const float *taps, int n)
{
    const auto after = [&](int at) {
        return at + rows_per_thread < ring_rows ? at + rows_per_thread : at + rows_per_thread - ring_rows;
    };
    float4 v[rows_per_thread];
#pragma unroll
    for (int j = 0; j < ahead_rows; j++)
        v[j] = *reinterpret_cast<const float4 *>(ring + (row + j) * ring_pitch<C>);
    const auto at = [&](int first) { return ring + first * ring_pitch<C>; };
    if (n < rows_per_thread) {
        add_last_columns<C, 0, 1, rows_per_thread - 1>(acc, v, at(row), at(after(row)), taps, n);
        return;
    }
    add_columns<C, 0>(acc, v, at(row), at(after(row)), taps);
    row = after(row);
    int k = rows_per_thread;
#pragma unroll 1
    for (; k + rows_per_thread <= n; k += rows_per_thread) {
        add_columns<C, 1 - rows_per_thread>(acc, v, at(row), at(after(row)), taps + k);
        row = after(row);
    }
    add_last_columns<C, 1 - rows_per_thread, 0, rows_per_thread - 1>(acc, v, at(row), at(after(row)), taps + k, n - k);
}

} // namespace gf

#endif
