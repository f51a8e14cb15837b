/* SPDX-License-Identifier: MIT */
/*
 * 1-D kernels, docs/numerics.md 10. Called by convolve1d.cu and correlate1d.cu. A block has the elements under its
 * results and under a stretch of taps in shared memory; a thread has R results next to each other and a window of
 * elements in registers, from which every element that is read serves R taps. Each result is a chain over the taps in
 * order. Two ways to lay a block out: along long lines (all channels of one line), or across short or neighbouring
 * ones (32 lanes and more side by side).
 */
#include <type_traits>

#include "cuda_ops.h"
#include "cuda_status.h"
#include "dispatch.cuh"
#include "kernels/lines.h"
#include "kernels/matmul.h"
#include "protocol/enums.h"

namespace
{

constexpr int max_threads = 256;
constexpr int warp = 32;
constexpr int along_taps = 512;         /* of a stretch; a multiple of every R */
constexpr uint64_t short_line = 256;    /* samples; lines below go side by side */
constexpr uint64_t narrow = 16;         /* columns; fewer go one by one */
constexpr uint64_t few_tiles = 264;     /* two per multiprocessor of a large device: fewer make smaller blocks */
constexpr uint64_t launch_tiles = 1056; /* of one launch at least */
constexpr double launch_work = 0x1p34;  /* multiplications of one launch, about */

struct lines {
    const char *src, *taps;
    char *dst;
    /* Bytes from line to line, and from element to element of one. */
    uint64_t src_line, src_step, dst_line, dst_step;
    uint64_t n_lines, length, results;
    uint64_t tiles_along;
    int64_t shift;
    unsigned n_taps, channels;
    unsigned stretch; /* taps that are in shared memory at a time, a multiple of R */
    uint32_t border;
    bool flip, bounded;
    double outside;
};

/* In is an element in memory, Held one in shared memory, Acc a sum, Out a result. */
template <class In_, class Held_, class Acc_, class Out_, int R_> struct kind {
    using In = In_;
    using Held = Held_;
    using Acc = Acc_;
    using Out = Out_;
    static constexpr int R = R_;
};

__device__ __forceinline__ float multiply_add(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double multiply_add(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}
__device__ __forceinline__ int32_t multiply_add(int32_t a, int32_t b, int32_t c)
{
    return a * b + c;
}
__device__ __forceinline__ uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c)
{
    return a * b + c;
}
__device__ __forceinline__ uint64_t multiply_add(int32_t a, int32_t b, uint64_t c)
{
    return c + static_cast<uint64_t>(static_cast<int64_t>(a) * b);
}
__device__ __forceinline__ uint64_t multiply_add(uint32_t a, uint32_t b, uint64_t c)
{
    return c + static_cast<uint64_t>(a) * b;
}

template <class Out, class Acc> __device__ __forceinline__ Out stored(Acc v)
{
    if constexpr (std::is_same_v<Acc, float>)
        return v != v ? __int_as_float(0x7FC00000) : v;
    else if constexpr (std::is_same_v<Acc, double>)
        return v != v ? __longlong_as_double(0x7FF8000000000000ll) : v;
    else
        return static_cast<Out>(v);
}

/* The element that a border puts at i; -1 for the constant. */
__device__ __forceinline__ int64_t border_element(uint32_t border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (border == GF_BORDER_REPLICATE)
        return i < 0 ? 0 : n - 1;
    if (border == GF_BORDER_CONSTANT)
        return -1;
    const int64_t period = border == GF_BORDER_WRAP ? n : border == GF_BORDER_REFLECT ? 2 * n : 2 * n - 2;
    if (period == 0)
        return 0;
    int64_t m = i % period;
    if (m < 0)
        m += period;
    if (m < n)
        return m;
    return border == GF_BORDER_REFLECT ? 2 * n - 1 - m : period - m;
}

template <class K> __device__ __forceinline__ typename K::Held read(const char *at)
{
    return static_cast<typename K::Held>(__ldg(reinterpret_cast<const typename K::In *>(at)));
}

/* Element i of a line, wherever that is; where there is none, 0. */
template <class K> __device__ __forceinline__ typename K::Held read_outside(const lines &l, const char *line, int64_t i)
{
    const int64_t n = static_cast<int64_t>(l.length);
    if (l.bounded && (i < 0 || i >= n))
        return typename K::Held{0};
    const int64_t from = border_element(l.border, i, n);
    return from < 0 ? static_cast<typename K::Held>(static_cast<typename K::In>(l.outside))
                    : read<K>(line + static_cast<uint64_t>(from) * l.src_step);
}

template <class K>
__device__ __forceinline__ void fill_taps(const lines &l, unsigned first, unsigned n, typename K::Held *to)
{
    const auto *from = reinterpret_cast<const typename K::In *>(l.taps);
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x)
        to[k] = static_cast<typename K::Held>(__ldg(from + (l.flip ? l.n_taps - 1 - first - k : first + k)));
}

template <class T> constexpr int per_quad = static_cast<int>(16 / sizeof(T));

template <class T> union quad {
    uint4 raw;
    T v[per_quad<T>];
};

/* Lines in shared memory for threads of R elements each: 16 bytes between the parts of two threads keep these from
 * meeting in a bank. */
template <class T, int R> __host__ __device__ __forceinline__ unsigned padded(unsigned i)
{
    return i + i / R * per_quad<T>;
}

/* A thread's elements, from the one under its first result and the first tap of the stretch on. */
template <class K> struct along_window {
    const typename K::Held *mine;

    __device__ __forceinline__ void block(int b, typename K::Held (&v)[K::R]) const
    {
        using Quad = quad<typename K::Held>;
        constexpr int n = per_quad<typename K::Held>;
        const auto *from = reinterpret_cast<const uint4 *>(mine + b * (K::R + n));
#pragma unroll
        for (int q = 0; q < K::R / n; q++) {
            Quad quad;
            quad.raw = from[q];
#pragma unroll
            for (int i = 0; i < n; i++)
                v[q * n + i] = quad.v[i];
        }
    }
    __device__ __forceinline__ typename K::Held one(int i) const
    {
        return mine[padded<typename K::Held, K::R>(static_cast<unsigned>(i))];
    }
};

template <class K> struct across_window {
    const typename K::Held *mine;
    int pitch;

    __device__ __forceinline__ void block(int b, typename K::Held (&v)[K::R]) const
    {
#pragma unroll
        for (int i = 0; i < K::R; i++)
            v[i] = mine[(b * K::R + i) * pitch];
    }
    __device__ __forceinline__ typename K::Held one(int i) const
    {
        return mine[i * pitch];
    }
};

/* R taps, or the first n of them, on the elements a and b. */
template <class K, bool All>
__device__ __forceinline__ void multiply_block(const typename K::Held *taps, int n, const typename K::Held (&a)[K::R],
                                               const typename K::Held (&b)[K::R], typename K::Acc (&acc)[K::R])
{
    constexpr int quads = per_quad<typename K::Held>;
#pragma unroll
    for (int q = 0; q < K::R / quads; q++) {
        quad<typename K::Held> tap;
        if (!All && q * quads >= n)
            break;
        tap.raw = reinterpret_cast<const uint4 *>(taps)[q];
#pragma unroll
        for (int u = 0; u < quads; u++) {
            const int k = q * quads + u;
            if (!All && k >= n)
                break;
#pragma unroll
            for (int i = 0; i < K::R; i++)
                acc[i] = multiply_add(i + k < K::R ? a[(i + k) % K::R] : b[(i + k) % K::R], tap.v[u], acc[i]);
        }
    }
}

/* The taps first ... end of a stretch; first is a multiple of R. */
template <class K, class Window>
__device__ __forceinline__ void multiply(const Window &window, const typename K::Held *taps, int first, int end,
                                         typename K::Acc (&acc)[K::R])
{
    typename K::Held a[K::R], b[K::R];
    if (first >= end)
        return;
    window.block(first / K::R, a);
    int k = first;
#pragma unroll 2
    for (; k + K::R <= end; k += K::R) {
        window.block(k / K::R + 1, b);
        multiply_block<K, true>(taps + k, K::R, a, b, acc);
#pragma unroll
        for (int i = 0; i < K::R; i++)
            a[i] = b[i];
    }
    if (k < end) {
        window.block(k / K::R + 1, b);
        multiply_block<K, false>(taps + k, end - k, a, b, acc);
    }
}

/* The same, one by one, for the elements lo ... hi of the window alone. */
template <class K, class Window>
__device__ void multiply_few(const Window &window, const typename K::Held *taps, int first, int end, int lo, int hi,
                             typename K::Acc (&acc)[K::R])
{
    for (int k = max(first, lo - (K::R - 1)); k < min(end, hi); k++) {
        const typename K::Held tap = taps[k];
#pragma unroll
        for (int i = 0; i < K::R; i++)
            if (k + i >= lo && k + i < hi)
                acc[i] = multiply_add(window.one(k + i), tap, acc[i]);
    }
}

/* The taps 0 ... n of a stretch where only the elements lo ... hi of the window are there: in the middle all results
 * have all taps of a block. */
template <class K, class Window>
__device__ __forceinline__ void multiply_bounded(const Window &window, const typename K::Held *taps, int n, int lo,
                                                 int hi, typename K::Acc (&acc)[K::R])
{
    constexpr int R = K::R;
    int begin = lo <= 0 ? 0 : (lo + R - 1) / R * R, end = min(n / R * R, hi < 2 * R - 1 ? 0 : (hi - (R - 1)) / R * R);
    if (begin >= end)
        begin = end = 0;
    multiply_few<K>(window, taps, 0, begin, lo, hi, acc);
    multiply<K>(window, taps, begin, end, acc);
    multiply_few<K>(window, taps, end, n, lo, hi, acc);
}

/* How the elements of a stretch lie to the line: element `first` is the first in shared memory. */
struct extent {
    int64_t first;
    bool inside;     /* all n are in the line */
    bool absent;     /* bounded, and none is */
    unsigned lo, hi; /* those that are there */
};

__device__ __forceinline__ extent extent_of(const lines &l, int64_t first, unsigned n)
{
    const int64_t length = static_cast<int64_t>(l.length), end = first + n;
    extent e = {};
    e.first = first;
    e.inside = first >= 0 && end <= length;
    e.absent = l.bounded && (end <= 0 || first >= length);
    e.lo = static_cast<unsigned>(min(max(-first, static_cast<int64_t>(0)), static_cast<int64_t>(n)));
    e.hi = static_cast<unsigned>(max(min(end, length) - first, static_cast<int64_t>(0)));
    return e;
}

template <class K, class Window>
__device__ __forceinline__ void multiply_stretch(const lines &l, const extent &e, const Window &window,
                                                 const typename K::Held *taps, int n, int at,
                                                 typename K::Acc (&acc)[K::R])
{
    if (!l.bounded || e.inside)
        multiply<K>(window, taps, 0, n, acc);
    else
        multiply_bounded<K>(window, taps, n, static_cast<int>(e.lo) - at, static_cast<int>(e.hi) - at, acc);
}

extern __shared__ uint4 shared[];

/* Along: threads that share the results of one channel, and what a block holds. */
struct along_shape {
    unsigned per_channel; /* threads */
    unsigned results;     /* per channel */
};

__host__ __device__ __forceinline__ along_shape along_of(unsigned threads, unsigned channels, int r)
{
    const unsigned per_channel = threads / channels;
    return {per_channel, per_channel * r};
}

/* Which pixel and channel sample s is. */
__device__ __forceinline__ void split(unsigned s, unsigned channels, unsigned inverse, unsigned *pixel,
                                      unsigned *channel)
{
    *pixel = channels == 1 ? s : __umulhi(s, inverse);
    *channel = s - *pixel * channels;
}

/* Elements whose channels lie apart, or side by side with others. */
template <class K>
__device__ __forceinline__ void fill_strided(const lines &l, const char *from, const extent &e, unsigned plane,
                                             unsigned inverse, typename K::Held *x)
{
#pragma unroll 8
    for (unsigned s = e.lo * l.channels + threadIdx.x; s < e.hi * l.channels; s += blockDim.x) {
        unsigned i, c;
        split(s, l.channels, inverse, &i, &c);
        x[c * plane + padded<typename K::Held, K::R>(i)] = read<K>(from + i * l.src_step + c * sizeof(typename K::In));
    }
}

/* Elements next to each other: those before and after the aligned vectors one by one. */
template <class K> __device__ __forceinline__ void fill_dense(const char *from, const extent &e, typename K::Held *x)
{
    using In = typename K::In;
    using Held = typename K::Held;
    constexpr unsigned n = per_quad<In>;
    const unsigned odd = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from + e.lo * sizeof(In)) / sizeof(In)) % n;
    const unsigned begin = min(e.lo + (n - odd) % n, e.hi), vectors = (e.hi - begin) / n, end = begin + vectors * n;
    const uint4 *aligned = reinterpret_cast<const uint4 *>(from + begin * sizeof(In));
#pragma unroll 4
    for (unsigned q = threadIdx.x; q < vectors; q += blockDim.x) {
        quad<In> quad;
        quad.raw = __ldg(aligned + q);
#pragma unroll
        for (unsigned i = 0; i < n; i++)
            x[padded<Held, K::R>(begin + q * n + i)] = static_cast<Held>(quad.v[i]);
    }
    for (unsigned i = threadIdx.x; i < begin - e.lo + e.hi - end; i += blockDim.x) {
        const unsigned at = i < begin - e.lo ? e.lo + i : end + i - (begin - e.lo);
        x[padded<Held, K::R>(at)] = read<K>(from + at * sizeof(In));
    }
}

template <class K, bool Dense>
__device__ __forceinline__ void fill_along(const lines &l, const char *line, const extent &e, unsigned n,
                                           unsigned plane, unsigned inverse, typename K::Held *x)
{
    const char *from = line + static_cast<uint64_t>(e.first) * l.src_step;
    const unsigned outside = n - (e.hi - e.lo);
    if (Dense)
        fill_dense<K>(from, e, x);
    else
        fill_strided<K>(l, from, e, plane, inverse, x);
    for (unsigned s = threadIdx.x; s < outside * l.channels; s += blockDim.x) {
        unsigned i, c;
        split(s, l.channels, inverse, &i, &c);
        i += i < e.lo ? 0 : e.hi - e.lo;
        x[c * plane + padded<typename K::Held, K::R>(i)] =
            read_outside<K>(l, line + c * sizeof(typename K::In), e.first + i);
    }
}

template <class K>
__device__ __forceinline__ void store_strided(const lines &l, char *to, unsigned n, unsigned plane, unsigned inverse,
                                              const typename K::Acc *sums)
{
    using Out = typename K::Out;
#pragma unroll 8
    for (unsigned s = threadIdx.x; s < n * l.channels; s += blockDim.x) {
        unsigned i, c;
        split(s, l.channels, inverse, &i, &c);
        *reinterpret_cast<Out *>(to + i * l.dst_step + c * sizeof(Out)) =
            stored<Out>(sums[c * plane + padded<typename K::Acc, K::R>(i)]);
    }
}

/* Results next to each other, the first one aligned: 16 bytes of sums at a time, the last ones one by one. */
template <class K> __device__ __forceinline__ void store_dense(char *to, unsigned n, const typename K::Acc *sums)
{
    using Acc = typename K::Acc;
    using Out = typename K::Out;
    constexpr unsigned size = per_quad<Acc>;
    Out *results = reinterpret_cast<Out *>(to);
#pragma unroll 4
    for (unsigned q = threadIdx.x; q < n / size; q += blockDim.x) {
        quad<Acc> from;
        from.raw = *reinterpret_cast<const uint4 *>(sums + padded<Acc, K::R>(q * size));
#pragma unroll
        for (unsigned part = 0; part < size; part += per_quad<Out>) {
            quad<Out> quad;
#pragma unroll
            for (unsigned i = 0; i < per_quad<Out>; i++)
                quad.v[i] = stored<Out>(from.v[part + i]);
            *reinterpret_cast<uint4 *>(results + q * size + part) = quad.raw;
        }
    }
    const unsigned i = n / size * size + threadIdx.x;
    if (i < n)
        results[i] = stored<Out>(sums[padded<Acc, K::R>(i)]);
}

/* One tile per block: the results of all channels of a piece of a line. Dense lines have one channel and no gaps. */
template <class K, bool Dense>
__global__ void __launch_bounds__(max_threads) along_kernel(const __grid_constant__ lines l, uint64_t first_tile)
{
    using Held = typename K::Held;
    using Acc = typename K::Acc;
    constexpr int R = K::R, n_quad = per_quad<Acc>;
    const along_shape shape = Dense ? along_shape{blockDim.x, blockDim.x * R} : along_of(blockDim.x, l.channels, R);
    const uint64_t tile = first_tile + blockIdx.x, line = tile / l.tiles_along;
    const uint64_t first = (tile - line * l.tiles_along) * shape.results;
    const unsigned here = static_cast<unsigned>(min(l.results - first, static_cast<uint64_t>(shape.results)));
    const char *src = l.src + line * l.src_line;
    const unsigned inverse = Dense ? 0 : 0xFFFFFFFFu / l.channels + 1,
                   plane = padded<Held, R>(shape.results + l.stretch);
    const unsigned channel = Dense ? 0 : threadIdx.x / shape.per_channel;
    const unsigned at = (threadIdx.x - channel * shape.per_channel) * R;
    const bool works = channel < l.channels;
    Held *taps = reinterpret_cast<Held *>(shared), *x = taps + l.stretch;
    const along_window<K> window = {x + (works ? channel * plane : 0) + padded<Held, R>(at)};
    Acc acc[R] = {};
    for (unsigned k = 0; k < l.n_taps; k += l.stretch) {
        const unsigned n_taps = min(l.stretch, l.n_taps - k), n = here + n_taps - 1;
        const extent e = extent_of(l, static_cast<int64_t>(first + k) - l.shift, n);
        if (e.absent)
            continue;
        __syncthreads();
        fill_taps<K>(l, k, n_taps, taps);
        fill_along<K, Dense>(l, src, e, n, plane, inverse, x);
        __syncthreads();
        if (works)
            multiply_stretch<K>(l, e, window, taps, static_cast<int>(n_taps), static_cast<int>(at), acc);
    }
    __syncthreads();
    Acc *sums = reinterpret_cast<Acc *>(shared);
    const unsigned sum_plane = padded<Acc, R>(shape.results);
    if (works) {
        uint4 *to = reinterpret_cast<uint4 *>(sums + channel * sum_plane + padded<Acc, R>(at));
#pragma unroll
        for (int q = 0; q < R / n_quad; q++) {
            quad<Acc> quad;
#pragma unroll
            for (int i = 0; i < n_quad; i++)
                quad.v[i] = acc[q * n_quad + i];
            to[q] = quad.raw;
        }
    }
    __syncthreads();
    char *to = l.dst + line * l.dst_line + first * l.dst_step;
    if (Dense)
        store_dense<K>(to, here, sums);
    else
        store_strided<K>(l, to, here, sum_plane, inverse, sums);
}

/* Across: lanes are samples of neighbouring lines. 8 warps: `deep` one behind the other, 8 / deep side by side. */
constexpr int across_warps = max_threads / warp;

/* Where a lane's line begins, in source or result. */
__device__ __forceinline__ uint64_t lane_at(const lines &l, uint64_t lane, uint64_t line, size_t size)
{
    return l.channels == 1 ? lane * line : lane / l.channels * line + lane % l.channels * size;
}

/* Lanes are next to each other in memory, or, turned, the elements of one lane are. */
template <class K>
__device__ __forceinline__ void fill_across(const lines &l, uint64_t first_lane, uint64_t n_lanes, unsigned lanes,
                                            const extent &e, unsigned n, bool turned, typename K::Held *x)
{
    using In = typename K::In;
    const unsigned pitch = lanes + 1, id = threadIdx.x % warp, number = threadIdx.x / warp;
    const unsigned lane_step = turned ? across_warps : max_threads, step = turned ? warp : max_threads / lanes;
    for (unsigned lane = turned ? number : threadIdx.x % lanes; lane < lanes; lane += lane_step) {
        if (first_lane + lane >= n_lanes)
            break;
        const char *line = l.src + lane_at(l, first_lane + lane, l.src_line, sizeof(In));
        const char *from = line + static_cast<uint64_t>(e.first) * l.src_step;
        const unsigned begin = turned ? id : threadIdx.x / lanes;
#pragma unroll 8
        for (unsigned i = e.lo + begin; i < e.hi; i += step)
            x[i * pitch + lane] = read<K>(from + i * l.src_step);
        for (unsigned i = begin; i < n - (e.hi - e.lo); i += step) {
            const unsigned at = i < e.lo ? i : i + (e.hi - e.lo);
            x[at * pitch + lane] = read_outside<K>(l, line, e.first + at);
        }
    }
}

/* Results of turned lanes, through shared memory. */
template <class K>
__device__ __forceinline__ void store_turned(const lines &l, uint64_t first_lane, uint64_t n_lanes, unsigned lanes,
                                             uint64_t first, unsigned n, unsigned at,
                                             const typename K::Acc (&acc)[K::R])
{
    using Out = typename K::Out;
    typename K::Acc *sums = reinterpret_cast<typename K::Acc *>(shared);
    const unsigned pitch = lanes + 1;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < K::R; i++)
        sums[(at + i) * pitch + threadIdx.x % lanes] = acc[i];
    __syncthreads();
    for (unsigned lane = threadIdx.x / warp; lane < lanes && first_lane + lane < n_lanes; lane += across_warps) {
        char *to = l.dst + lane_at(l, first_lane + lane, l.dst_line, sizeof(Out)) + first * l.dst_step;
        for (unsigned i = threadIdx.x % warp; i < n; i += warp)
            *reinterpret_cast<Out *>(to + i * l.dst_step) = stored<Out>(sums[i * pitch + lane]);
    }
}

template <class K>
__global__ void __launch_bounds__(max_threads)
    across_kernel(const __grid_constant__ lines l, uint64_t first_tile, unsigned deep, bool turned)
{
    using Held = typename K::Held;
    using Acc = typename K::Acc;
    using Out = typename K::Out;
    constexpr int R = K::R;
    const unsigned wide = across_warps / deep, lanes = wide * warp, results = deep * R;
    const uint64_t tile = first_tile + blockIdx.x, group = tile / l.tiles_along;
    const uint64_t first = (tile - group * l.tiles_along) * results;
    const unsigned here = static_cast<unsigned>(min(l.results - first, static_cast<uint64_t>(results)));
    const uint64_t n_lanes = l.n_lines * l.channels, lane = group * lanes + threadIdx.x % lanes;
    const unsigned at = threadIdx.x / lanes * R;
    Held *taps = reinterpret_cast<Held *>(shared), *x = taps + l.stretch;
    const across_window<K> window = {x + at * (lanes + 1) + threadIdx.x % lanes, static_cast<int>(lanes + 1)};
    Acc acc[R] = {};
    for (unsigned k = 0; k < l.n_taps; k += l.stretch) {
        const unsigned n_taps = min(l.stretch, l.n_taps - k), n = here + n_taps - 1;
        const extent e = extent_of(l, static_cast<int64_t>(first + k) - l.shift, n);
        if (e.absent)
            continue;
        __syncthreads();
        fill_taps<K>(l, k, n_taps, taps);
        fill_across<K>(l, group * lanes, n_lanes, lanes, e, n, turned, x);
        __syncthreads();
        multiply_stretch<K>(l, e, window, taps, static_cast<int>(n_taps), static_cast<int>(at), acc);
    }
    if (turned) {
        store_turned<K>(l, group * lanes, n_lanes, lanes, first, here, at, acc);
        return;
    }
    if (lane >= n_lanes)
        return;
    char *to = l.dst + lane_at(l, lane, l.dst_line, sizeof(Out)) + (first + at) * l.dst_step;
#pragma unroll
    for (int i = 0; i < R; i++)
        if (at + i < here)
            *reinterpret_cast<Out *>(to + i * l.dst_step) = stored<Out>(acc[i]);
}

/* Launches of some milliseconds each, so that a stop is seen between them. `work` is what one tile multiplies. */
template <class F>
enum gf_status launch_tiles_by(struct gf_cuda_call *call, uint64_t tiles, double work, struct gf_error *err, F &&f)
{
    const uint64_t fit = static_cast<uint64_t>(launch_work / work);
    const uint64_t most = fit > 0x7FFFFFFF ? 0x7FFFFFFF : fit > launch_tiles ? fit : launch_tiles;
    for (uint64_t first = 0; first < tiles; first += most) {
        const uint64_t n = tiles - first < most ? tiles - first : most;
        enum gf_status status =
            gf_cuda_go_on(call->lane, call->job, static_cast<uint64_t>(work / 4 * static_cast<double>(n)), err);
        if (status != GF_OK)
            return status;
        f(first, static_cast<unsigned>(n));
    }
    return gf_cuda_status(cudaPeekAtLastError(), "starting a 1-D kernel", err);
}

unsigned stretch_of(unsigned taps, unsigned most, unsigned r)
{
    return taps < most ? (taps + r - 1) / r * r : most;
}

/* What a result costs beside its taps, in multiplications. */
constexpr double result_work = 32;

template <class K> enum gf_status start_along(struct gf_cuda_call *call, lines l, struct gf_error *err)
{
    constexpr int R = K::R;
    unsigned threads = max_threads;
    along_shape shape = along_of(threads, l.channels, R);
    l.tiles_along = (l.results + shape.results - 1) / shape.results;
    while (threads > warp &&
           (l.n_lines * l.tiles_along < few_tiles || l.tiles_along * shape.results > l.results + l.results / 8)) {
        threads /= 2;
        shape = along_of(threads, l.channels, R);
        l.tiles_along = (l.results + shape.results - 1) / shape.results;
    }
    l.stretch = stretch_of(l.n_taps, along_taps, R);
    const size_t elements =
        (l.stretch + l.channels * padded<typename K::Held, R>(shape.results + l.stretch)) * sizeof(typename K::Held);
    const size_t sums = l.channels * padded<typename K::Acc, R>(shape.results) * sizeof(typename K::Acc);
    const size_t bytes = elements < sums ? sums : elements;
    const bool dense = l.channels == 1 && l.src_step == sizeof(typename K::In) && l.dst_step == sizeof(typename K::Out);
    const double work = (l.n_taps + result_work) * shape.results * l.channels;
    return launch_tiles_by(call, l.n_lines * l.tiles_along, work, err, [&](uint64_t first, unsigned n) {
        if (dense)
            along_kernel<K, true><<<n, threads, bytes, call->lane->main>>>(l, first);
        else
            along_kernel<K, false><<<n, threads, bytes, call->lane->main>>>(l, first);
    });
}

template <class K> enum gf_status start_across(struct gf_cuda_call *call, lines l, bool turned, struct gf_error *err)
{
    constexpr int R = K::R;
    unsigned deep = 1;
    while (deep < across_warps && deep * R < l.results)
        deep *= 2;
    const unsigned lanes = across_warps / deep * warp, results = deep * R;
    const uint64_t groups = (l.n_lines * l.channels + lanes - 1) / lanes;
    l.stretch = stretch_of(l.n_taps, results, R);
    l.tiles_along = (l.results + results - 1) / results;
    const size_t elements =
        (l.stretch + static_cast<size_t>(results + l.stretch) * (lanes + 1)) * sizeof(typename K::Held);
    const size_t sums = static_cast<size_t>(results) * (lanes + 1) * sizeof(typename K::Acc);
    const size_t bytes = turned && elements < sums ? sums : elements;
    const double work = (l.n_taps + result_work) * results * lanes;
    return launch_tiles_by(call, groups * l.tiles_along, work, err, [&](uint64_t first, unsigned n) {
        across_kernel<K><<<n, max_threads, bytes, call->lane->main>>>(l, first, deep, turned);
    });
}

/* Rows are lines with their channels side by side. Columns are lines of one channel each, next to each other; where
 * there are few, of all channels of a pixel. */
template <class K>
enum gf_status start(struct gf_cuda_call *call, const struct gf_lines *plan, lines l, struct gf_error *err)
{
    const struct gf_view *src = &call->image[0]->view, *dst = &call->out[0].view;
    const uint64_t in = sizeof(typename K::In), out = sizeof(typename K::Out), across = src->width * src->channels;
    const bool cols = plan->cols, wide = cols && across >= narrow;
    l.channels = wide ? 1 : src->channels;
    l.n_lines = wide ? across : cols ? src->width : src->height;
    l.length = cols ? src->height : src->width;
    l.results = cols ? dst->height : dst->width;
    l.src_line = cols ? l.channels * in : src->pitch;
    l.dst_line = cols ? l.channels * out : dst->pitch;
    l.src_step = cols ? src->pitch : l.channels * in;
    l.dst_step = cols ? dst->pitch : l.channels * out;
    if (wide || (!cols && l.results * l.channels < short_line && l.n_lines > 1))
        return start_across<K>(call, l, !cols, err);
    return start_along<K>(call, l, err);
}

/* Other dtypes than these the descriptor lets none through. Sums of 8 bits fit 32, since there are at most 65535 taps.
 */
template <class In>
enum gf_status dispatch(struct gf_cuda_call *call, const struct gf_lines *plan, const lines &l, struct gf_error *err)
{
    if constexpr (std::is_same_v<In, float>)
        return start<kind<In, In, In, In, 16>>(call, plan, l, err);
    else if constexpr (std::is_same_v<In, double>)
        return start<kind<In, In, In, In, 8>>(call, plan, l, err);
    else if constexpr (sizeof(In) > sizeof(int32_t))
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s: not of this dtype", call->step->op->name);
    else {
        using Held = std::conditional_t<std::is_signed_v<In>, int32_t, uint32_t>;
        using Acc = std::conditional_t<sizeof(In) == 1, Held, uint64_t>;
        return start<kind<In, Held, Acc, int64_t, sizeof(In) == 1 ? 16 : 8>>(call, plan, l, err);
    }
}

} // namespace

extern "C" enum gf_status gf_cuda_lines(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *src = call->image[0], *kernel = call->image[1];
    const struct gf_lines plan = gf_lines_init(call->step, &src->view, &kernel->view);
    enum gf_status status = gf_cuda_need(call, src, static_cast<uint32_t>(src->view.height), err);
    if (status == GF_OK)
        status = gf_cuda_need(call, kernel, 1, err);
    if (status == GF_OK && plan.checked)
        status = gf_cuda_refuse_products(call, gf_lines_greatest(&plan, 0), gf_matmul_limit(plan.taps),
                                         gf_lines_overflow, err);
    if (status != GF_OK)
        return status;
    lines l = {};
    l.src = static_cast<const char *>(src->data);
    l.taps = static_cast<const char *>(kernel->data);
    l.dst = static_cast<char *>(call->out[0].data);
    l.shift = plan.shift;
    l.n_taps = plan.taps;
    l.border = plan.border;
    l.flip = plan.flip;
    l.bounded = plan.bounded;
    l.outside = plan.value;
    return gf_dispatch_any(src->view.dtype, [&](auto zero) { return dispatch<decltype(zero)>(call, &plan, l, err); });
}
