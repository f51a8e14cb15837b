/* SPDX-License-Identifier: MIT */
/*
 * One-dimensional kernels, docs/numerics.md, "convolve1d, correlate1d": the code shared by the two block layouts,
 * conv1d_along.cu and conv1d_across.cu. A block loads the elements under its results, and a chunk of taps, into shared
 * memory. A thread owns R adjacent results and holds a window of elements in registers, so that every element read
 * serves R taps (register blocking). Each result is a chain over the taps in order.
 */
#ifndef GF_CUDA_CONV1D_CUH
#define GF_CUDA_CONV1D_CUH

#include <type_traits>

#include "kernels/cuda/device/border.cuh"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/step/launches.cuh"

namespace gf
{

constexpr int max_threads = 256;
constexpr int warp = 32;
constexpr uint64_t launch_tiles = 528; /* of one launch, at least */
constexpr double launch_work = 0x1p34; /* multiplications per launch, approximately */
constexpr double result_work = 32;     /* cost of a result beside its taps, in multiplications */

/* The kernel argument; start_along and start_across set tiles_along and tap_chunk. */
struct conv1d {
    const char *src, *taps;
    char *dst;
    /* Bytes from line to line, and between the elements of a line. */
    uint64_t src_line, src_step, dst_line, dst_step;
    uint64_t n_lines, length, results;
    uint64_t tiles_along;
    int64_t shift;
    unsigned n_taps, channels;
    unsigned tap_chunk; /* taps in shared memory at a time, a multiple of R */
    uint32_t dtype, border;
    bool flip, bounded;
    double outside;
};

/* In is the type of an element in memory, Held in shared memory; Acc is the type of a sum, Out of a result. */
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

template <class K> __device__ __forceinline__ typename K::Held read(const char *at)
{
    return static_cast<typename K::Held>(__ldg(reinterpret_cast<const typename K::In *>(at)));
}

/* Returns element i of a line, by the border where i is outside; 0 where bounded lines have no such element. */
template <class K>
__device__ __forceinline__ typename K::Held read_outside(const conv1d &l, const char *line, int64_t i)
{
    const int64_t n = static_cast<int64_t>(l.length);
    if (l.bounded && (i < 0 || i >= n))
        return typename K::Held{0};
    const int64_t from = border_index(l.border, i, n);
    return from < 0 ? static_cast<typename K::Held>(static_cast<typename K::In>(l.outside))
                    : read<K>(line + static_cast<uint64_t>(from) * l.src_step);
}

template <class K>
__device__ __forceinline__ void fill_taps(const conv1d &l, unsigned first, unsigned n, typename K::Held *to)
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

/* Pads lines in shared memory for threads of R elements each: 16 bytes between the parts of two threads avoid bank
 * conflicts. */
template <class T, int R> __host__ __device__ __forceinline__ unsigned padded(unsigned i)
{
    return i + i / R * per_quad<T>;
}

/* A thread's elements, from the element under its first result and the chunk's first tap on. */
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

/* Multiplies R taps, or the first n of them, with the elements a and b. */
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

/* Adds taps first ... end of a chunk; `first` must be a multiple of R. */
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

/* Adds taps one by one, for the elements lo ... hi of the window only. */
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

/* Adds taps 0 ... n of a chunk where only the elements lo ... hi of the window exist. In the middle, every result uses
 * all taps of a block. */
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

/* The position of a chunk's elements in the line. `first` is the first element in shared memory. */
struct extent {
    int64_t first;
    bool inside;     /* all n elements are in the line */
    bool absent;     /* bounded, and no element is in the line */
    unsigned lo, hi; /* the existing elements */
};

__device__ __forceinline__ extent extent_of(const conv1d &l, int64_t first, unsigned n)
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
__device__ __forceinline__ void multiply_chunk(const conv1d &l, const extent &e, const Window &window,
                                               const typename K::Held *taps, int n, int at,
                                               typename K::Acc (&acc)[K::R])
{
    if (!l.bounded || e.inside)
        multiply<K>(window, taps, 0, n, acc);
    else
        multiply_bounded<K>(window, taps, n, static_cast<int>(e.lo) - at, static_cast<int>(e.hi) - at, acc);
}

extern __shared__ uint4 shared[];

/* Launches all tiles, in launches of a few milliseconds each, so that a stop is noticed between them. `work` is the
 * number of multiplications per tile. */
template <class F>
enum gf_status launch_tiles_by(struct gf_cuda_call *call, uint64_t tiles, double work, struct gf_error *err, F &&f)
{
    const uint64_t fit = static_cast<uint64_t>(launch_work / work);
    const uint64_t limit = fit > 0x7FFFFFFF ? 0x7FFFFFFF : fit > launch_tiles ? fit : launch_tiles;
    return in_parts(call, tiles, limit, work / 4, "starting a 1-D kernel", err,
                    [&](const Range &range) { f(range.first, static_cast<unsigned>(range.end - range.first)); });
}

inline unsigned tap_chunk_of(unsigned taps, unsigned limit, unsigned r)
{
    return taps < limit ? (taps + r - 1) / r * r : limit;
}

/* Calls f with the kind of a dtype. The descriptor admits no other dtypes. Sums of 8-bit elements fit 32 bits, since
 * there are at most 65535 taps. */
template <class F> enum gf_status with_kind(uint32_t dtype, struct gf_error *err, F &&f)
{
    return gf_dispatch_any(
        dtype, [&](auto zero) -> enum gf_status {
            using In = decltype(zero);
            if constexpr (std::is_same_v<In, float>)
                return f(kind<In, In, In, In, 16>{});
            else if constexpr (std::is_same_v<In, double>)
                return f(kind<In, In, In, In, 8>{});
            else if constexpr (sizeof(In) > sizeof(int32_t))
                return gf_error_set(err, GF_E_UNSUPPORTED, "no 1-D kernels of %s", gf_dtype_word(dtype));
            else {
                using Held = std::conditional_t<std::is_signed_v<In>, int32_t, uint32_t>;
                using Acc = std::conditional_t<sizeof(In) == 1, Held, uint64_t>;
                return f(kind < In, Held, Acc, int64_t, sizeof(In) == 1 ? 16 : 8 > {});
            }
        });
}

/* For long lines: a block takes a chunk of one line, with all its channels. */
enum gf_status start_along(struct gf_cuda_call *call, const conv1d &l, struct gf_error *err);
/* For 32 or more lines side by side. The samples of adjacent lines are adjacent in memory or, where transposed,
 * apart. */
enum gf_status start_across(struct gf_cuda_call *call, const conv1d &l, bool transposed, struct gf_error *err);

} // namespace gf

#endif
