/* SPDX-License-Identifier: MIT */
/* Code that both kernels for windows that move by two pixels share: the layout of a block's lines, f32 chains along
 * columns, chains along rows. Included by resize_by_two.cu and resize_by_two_bytes.cu. */
#ifndef GF_CUDA_RESIZE_BY_TWO_CUH
#define GF_CUDA_RESIZE_BY_TWO_CUH

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/filter/tile.cuh"
#include "resize.h"

namespace gf
{

constexpr int by_two_threads = 256, by_two_warps = by_two_threads / warp_lanes;
constexpr int chunk_lines = GF_BY_TWO_CHUNK; /* lines of sums per chunk */
constexpr int pairs_at_once = 4;             /* pairs of rows whose loads are in flight together */
constexpr int group_pixels = GF_RESIZE_GROUP;
constexpr int line_pitch = by_two_threads * quad + quad;
constexpr int lane_groups = warp_lanes / chunk_lines, block_groups = by_two_warps * lane_groups;

static_assert(line_pitch % warp_lanes == quad, "quads of eight lines must be in different banks");

/* The layout of a block's samples in its lines, for windows of 2m pixels of C channels. */
template <int m, int C> struct span_of {
    static constexpr int lead = round_up((m - 1) * C, quad); /* samples of a line before the samples of result x0 */
    static constexpr int skip = lead - (m - 1) * C;          /* leading samples that precede the first window */
    static constexpr int reads = round_up(skip + (2 * group_pixels - 2 + 2 * m) * C, quad); /* samples per group */
    static constexpr int groups = (by_two_threads * quad - reads) / (2 * group_pixels * C) + 1;
    static constexpr int out_pitch = round_up(groups * C, warp_lanes) + group_pixels * C;
    static constexpr int blocks = m * C > 12 || m > 4 ? 2 : 3; /* per multiprocessor, which limits the registers */
};

/* A quad of samples as it is loaded; it is converted only when it is used. */
template <class T>
using words = std::conditional_t<sizeof(T) == 1, uint32_t, std::conditional_t<sizeof(T) == 2, uint2, float4>>;

/* Reinterprets the bits of samples as floats; see resize_by_two.h. */
__device__ __forceinline__ void widen(uint32_t w, float (&v)[quad])
{
    v[0] = __uint_as_float(__byte_perm(w, 0, 0x4404));
    v[1] = __uint_as_float(__byte_perm(w, 0, 0x4414));
    v[2] = __uint_as_float(__byte_perm(w, 0, 0x4424));
    v[3] = __uint_as_float(__byte_perm(w, 0, 0x4434));
}

__device__ __forceinline__ void widen(uint2 w, float (&v)[quad])
{
    v[0] = __uint_as_float(w.x & 0xFFFF);
    v[1] = __uint_as_float(w.x >> 16);
    v[2] = __uint_as_float(w.y & 0xFFFF);
    v[3] = __uint_as_float(w.y >> 16);
}

__device__ __forceinline__ void widen(float4 w, float (&v)[quad])
{
    v[0] = w.x;
    v[1] = w.y;
    v[2] = w.z;
    v[3] = w.w;
}

/* Loads the thread's quad of n rows from row y on; rows outside the picture are 0. Rows of device images have whole
 * quads. */
template <class T, int n>
__device__ __forceinline__ void load_rows(const struct gf_cuda_source &src, int y, int flat, bool inside,
                                          words<T> (&rows)[n])
{
    if (inside && y >= 0 && y + n <= src.height) {
        const char *from = row_of<char>(src.data, src.pitch, y) + flat * static_cast<int>(sizeof(T));
#pragma unroll
        for (int i = 0; i < n; i++, from += src.pitch)
            rows[i] = __ldg(reinterpret_cast<const words<T> *>(from));
        return;
    }
#pragma unroll
    for (int i = 0; i < n; i++) {
        rows[i] = words<T>{};
        if (inside && static_cast<unsigned>(y + i) < static_cast<unsigned>(src.height))
            rows[i] = __ldg(reinterpret_cast<const words<T> *>(row_of<T>(src.data, src.pitch, y + i) + flat));
    }
}

__device__ __forceinline__ int set_of(const struct gf_by_two_inner &inner, int i)
{
    return i <= inner.first ? i : i < inner.end ? inner.first : i - inner.end + inner.first + 1;
}

/* Adds `n` pairs of rows, from pair j on, to the chains of a thread's quad. If `lines` is not NULL, each pair completes
 * a line of sums. acc[k] belongs to the result m - 1 - k before the pair's own. */
template <int m, int n, class T>
__device__ __forceinline__ void add_pairs(const struct gf_cuda_resizing &r, int j, int flat, bool inside, int left,
                                          float (&acc)[m][quad], float *lines)
{
    words<T> rows[2 * n];
    load_rows<T>(r.src, 2 * j + 1 - m, flat, inside, rows);
#pragma unroll
    for (int i = 0; i < n; i++) {
        const float(&w)[GF_BY_TWO_MAX_TAPS] = r.by_two.pairs[set_of(r.by_two.y, j + i)];
        float v[2][quad];
        widen(rows[2 * i], v[0]);
        widen(rows[2 * i + 1], v[1]);
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
            for (int k = 0; k < m; k++)
#pragma unroll
                for (int q = 0; q < quad; q++)
                    acc[k][q] = __fmaf_rn(v[e][q], w[2 * k + e], acc[k][q]);
        if (lines != nullptr) {
            float4 sums = make_float4(acc[0][0], acc[0][1], acc[0][2], acc[0][3]);
            if (sizeof(T) == sizeof(float) && left < quad) { /* samples past the row's end may be infinite or NaN */
                sums.y = left > 1 ? sums.y : 0.0f;
                sums.z = left > 2 ? sums.z : 0.0f;
                sums.w = left > 3 ? sums.w : 0.0f;
            }
            reinterpret_cast<float4 *>(lines + i * line_pitch)[threadIdx.x] = sums;
        }
#pragma unroll
        for (int k = 0; k < m; k++)
#pragma unroll
            for (int q = 0; q < quad; q++)
                acc[k][q] = k + 1 < m ? acc[k + 1][q] : 0.0f;
    }
}

/* Sums four pixels of a line. `from` is `skip` samples before the first pixel's window; weight(p, t) is the weight of
 * tap t of pixel p. */
template <int m, int C, class F>
__device__ __forceinline__ void go_along(const float *from, F &&weight, float (&acc)[group_pixels][C])
{
    using of = span_of<m, C>;
    float v[of::reads];
#pragma unroll
    for (int i = 0; i < of::reads; i += quad) {
        const float4 q = *reinterpret_cast<const float4 *>(from + i);
        v[i] = q.x;
        v[i + 1] = q.y;
        v[i + 2] = q.z;
        v[i + 3] = q.w;
    }
#pragma unroll
    for (int p = 0; p < group_pixels; p++)
#pragma unroll
        for (int c = 0; c < C; c++)
            acc[p][c] = 0.0f;
#pragma unroll
    for (int k = 0; k < 2 * (group_pixels - 1 + m); k++)
#pragma unroll
        for (int p = 0; p < group_pixels; p++) {
            if (k < 2 * p || k >= 2 * (p + m))
                continue;
            const float w = weight(p, k - 2 * p);
#pragma unroll
            for (int c = 0; c < C; c++)
                acc[p][c] = __fmaf_rn(v[of::skip + k * C + c], w, acc[p][c]);
        }
}

/* Sums four pixels, from column x of the result on. */
template <int m, int C>
__device__ __forceinline__ void make_sums(const struct gf_cuda_resizing &r, int x, const float *from,
                                          float (&acc)[group_pixels][C])
{
    const struct gf_resize_by_two &by_two = r.by_two;
    if (x >= by_two.x.first && x + group_pixels <= by_two.x.end) {
        go_along<m, C>(
            from, [&](int, int t) { return by_two.columns[m / 2][t]; }, acc);
        return;
    }
    const int last = r.dst.samples / C - 1;
    int set[group_pixels];
#pragma unroll
    for (int p = 0; p < group_pixels; p++)
        set[p] = set_of(by_two.x, min(x + p, last));
    go_along<m, C>(
        from, [&](int p, int t) { return by_two.columns[set[p]][t]; }, acc);
}

} // namespace gf

#endif
