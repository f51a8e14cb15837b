/* SPDX-License-Identifier: MIT */
/*
 * resize in one kernel where windows move by two pixels (resize_by_two.h). A block goes down a span of columns. A
 * thread has a quad of columns of the source and reads each of its rows once: a pair of rows is added to the chains of
 * all results that it is part of, and each pair ends one. After eight such lines of sums a thread has a line and makes
 * groups of four pixels of it; a warp has eight lines of four groups. Launched by resize.c.
 *
 * Shared memory. A line has a quad for each thread, and its pitch is a quad more than a multiple of all banks, so that
 * neither quads of neighbouring threads nor those of eight lines meet in a bank. Samples of 8 and 16 bits pass through
 * `out`, so that whole words of neighbouring pixels are stored; those of f32 go to the picture at once.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/filter/tile.cuh"
#include "resize.h"

namespace
{

using namespace gf;

constexpr int by_two_threads = 256, by_two_warps = by_two_threads / warp_lanes;
constexpr int chunk_lines = GF_BY_TWO_CHUNK; /* of sums */
constexpr int pairs_at_once = 4;             /* whose loads are in flight together */
constexpr int group_pixels = GF_RESIZE_GROUP;
constexpr int line_pitch = by_two_threads * quad + quad;
constexpr int lane_groups = warp_lanes / chunk_lines, block_groups = by_two_warps * lane_groups;

static_assert(line_pitch % warp_lanes == quad, "quads of eight lines lie in banks of their own");

/* How a block's samples lie in its lines, for windows of 2m pixels of C channels. */
template <int m, int C> struct span_of {
    static constexpr int lead = round_up((m - 1) * C, quad); /* samples of a line before those of its first result's */
    static constexpr int skip = lead - (m - 1) * C;          /* of these, before the first window */
    static constexpr int reads = round_up(skip + (2 * group_pixels - 2 + 2 * m) * C, quad); /* of a group */
    static constexpr int groups = (by_two_threads * quad - reads) / (2 * group_pixels * C) + 1;
    static constexpr int out_pitch = round_up(groups * C, warp_lanes) + group_pixels * C;
    static constexpr int blocks = m * C > 12 || m > 4 ? 2 : 3; /* that the registers of a multiprocessor hold */
};

/* Quads as they are stored. */
template <class T> struct alignas(sizeof(T) * quad) stored {
    T v[quad];
};

/* The same as words, which stay whole until samples are made of them. */
template <class T>
using words = std::conditional_t<sizeof(T) == 1, uint32_t, std::conditional_t<sizeof(T) == 2, uint2, float4>>;

/* Bits of samples as those of floats: see resize_by_two.h. */
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

/* A thread's quad of n rows from row y on, zeros where they are outside the picture. Rows of the device's images have
 * whole quads. */
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

/* Adds `n` pairs of rows from pair j on to the chains of a thread's quad. With `lines` each pair ends a line of sums.
 * acc[k] belongs to the result m - 1 - k before the pair's own. */
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
            if (sizeof(T) == sizeof(float) && left < quad) { /* behind the row's end there may be no number */
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

/* Four pixels of a line: `from` is where the window of the first one begins, less `skip`; weight(p, t) is that of tap t
 * of pixel p. */
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

/* The samples of four pixels, from column x of the result on. */
template <int m, int C, class T>
__device__ __forceinline__ void make_pixels(const struct gf_cuda_resizing &r, int x, const float *from,
                                            stored<T> (&made)[C])
{
    const struct gf_resize_by_two &by_two = r.by_two;
    float acc[group_pixels][C];
    if (x >= by_two.x.first && x + group_pixels <= by_two.x.end) {
        go_along<m, C>(
            from, [&](int, int t) { return by_two.columns[m / 2][t]; }, acc);
    } else {
        const int last = r.dst.samples / C - 1;
        int set[group_pixels];
#pragma unroll
        for (int p = 0; p < group_pixels; p++)
            set[p] = set_of(by_two.x, min(x + p, last));
        go_along<m, C>(
            from, [&](int p, int t) { return by_two.columns[set[p]][t]; }, acc);
    }
#pragma unroll
    for (int i = 0; i < C * quad; i++)
        made[i / quad].v[i % quad] = to_stored(T{}, __fadd_rn(acc[i / C][i % C], 0.0f)); /* no -0 */
}

/*
 * Rows y0 to y1 - 1 of a block's columns. Barriers, for each chunk of lines: (1) between the lines that all threads
 * write and those that they read; (2) between their reads and the next chunk's writes, and between what they write to
 * `out` and the rows of it that warps store. The next chunk's `out` is written after its own (1), which comes after all
 * reads of this one's. All threads of a block meet at both, as often as it has chunks.
 */
template <int m, int C, class T>
__device__ __forceinline__ void make_span(const struct gf_cuda_resizing &r, int x0, int groups, int y0, int y1,
                                          float *lines, stored<T> *out)
{
    using of = span_of<m, C>;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int flat = 2 * x0 * C - of::lead + static_cast<int>(threadIdx.x) * quad, left = r.src.width * C - flat;
    const bool inside = flat >= 0 && left > 0;
    float acc[m][quad] = {};
    add_pairs<m, m - 1, T>(r, y0, flat, inside, left, acc, nullptr);
#pragma unroll 1
    for (int y = y0; y < y1; y += chunk_lines) {
#pragma unroll
        for (int i = 0; i < chunk_lines; i += pairs_at_once)
            add_pairs<m, pairs_at_once, T>(r, y + m - 1 + i, flat, inside, left, acc, lines + i * line_pitch);
        gf_sync_block(); /* (1) */
        const int line = lane % chunk_lines;
        for (int g = warp * lane_groups + lane / chunk_lines; g < groups; g += block_groups) {
            stored<T> made[C];
            make_pixels<m, C>(r, x0 + g * group_pixels, lines + line * line_pitch + 2 * group_pixels * C * g, made);
#pragma unroll
            for (int q = 0; q < C; q++)
                if constexpr (sizeof(T) < sizeof(float))
                    out[line * of::out_pitch + g * C + q] = made[q];
                else if (y + line < y1)
                    store_values<T>(r.dst, y + line, (x0 + g * group_pixels) * C + q * quad, made[q].v);
        }
        gf_sync_block(); /* (2) */
        if constexpr (sizeof(T) < sizeof(float))
            if (y + warp < y1)
                for (int q = lane; q < groups * C; q += warp_lanes)
                    store_values<T>(r.dst, y + warp, x0 * C + q * quad, out[warp * of::out_pitch + q].v);
    }
}

static_assert(by_two_warps == chunk_lines, "a warp stores a line");

template <int m, int C>
__global__ void __launch_bounds__(by_two_threads, span_of<m, C>::blocks)
    by_two_kernel(const __grid_constant__ struct gf_cuda_resizing r, int tile_groups, int rows)
{
    __shared__ __align__(16) float lines[chunk_lines * line_pitch];
    __shared__ __align__(16) stored<uint16_t> out[chunk_lines * span_of<m, C>::out_pitch];
    const int all = (r.dst.samples / C + group_pixels - 1) / group_pixels, first = blockIdx.x * tile_groups;
    const int groups = min(tile_groups, all - first), x0 = first * group_pixels;
    const int end = min(r.end * GF_RESIZE_GROUP, r.dst.height), y0 = r.first * GF_RESIZE_GROUP + blockIdx.y * rows;
    const int y1 = min(y0 + rows, end);
    if (r.src.dtype == GF_U8)
        make_span<m, C>(r, x0, groups, y0, y1, lines, reinterpret_cast<stored<uint8_t> *>(out));
    else if (r.src.dtype == GF_U16)
        make_span<m, C>(r, x0, groups, y0, y1, lines, out);
    else
        make_span<m, C>(r, x0, groups, y0, y1, lines, static_cast<stored<float> *>(nullptr));
}

/* Tiles of even widths; spans as high as lets all blocks run at once, since each reads some rows that others read. */
template <int m, int C> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    const int all = (r->dst.samples / C + group_pixels - 1) / group_pixels;
    const int across = (all + span_of<m, C>::groups - 1) / span_of<m, C>::groups, groups = (all + across - 1) / across;
    const int height = (r->end - r->first) * GF_RESIZE_GROUP;
    const int slots = static_cast<int>(gf_cuda_units()) * span_of<m, C>::blocks,
              down = slots > across ? slots / across : 1;
    const int rows = round_up((height + down - 1) / down, chunk_lines);
    const dim3 grid(across, (height + rows - 1) / rows);
    by_two_kernel<m, C><<<grid, by_two_threads, 0, stream>>>(*r, groups, rows);
    return cudaPeekAtLastError();
}

template <int m> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return r->src.channels == 1   ? launch<m, 1>(r, stream)
           : r->src.channels == 2 ? launch<m, 2>(r, stream)
           : r->src.channels == 3 ? launch<m, 3>(r, stream)
                                  : launch<m, 4>(r, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_resize_by_two(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return r->by_two.taps == 4   ? launch<2>(r, stream)
           : r->by_two.taps == 8 ? launch<4>(r, stream)
                                 : launch<6>(r, stream);
}
