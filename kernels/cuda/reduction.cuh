/* SPDX-License-Identifier: MIT */
/*
 * The pass over the data of reduce, stats, dot and compare (docs/numerics.md 8), for one element type and one set of
 * quantities. Included by the ops' files, which list the sets they need.
 *
 * Along rows a warp takes a chunk of 4096 elements: a thread has the lanes 4t ... 4t + 3 of the tree, so that a row of
 * 128 elements is one vector load per thread, and the lanes are folded by shuffles. Down columns a thread takes 64 rows
 * of one column. Both read a second time, out of the cache, where distances from the mean are wanted.
 */
#ifndef GF_CUDA_REDUCTION_CUH
#define GF_CUDA_REDUCTION_CUH

#include <limits>
#include <type_traits>

#include "dispatch.cuh"
#include "reduce_args.h"

namespace gf_reduction_kernels
{

constexpr int quad = 4; /* lanes of a thread */
constexpr int warp = 32;
constexpr int threads = 256;
constexpr unsigned max_blocks = 1u << 20;
constexpr uint32_t none = UINT32_MAX;

/* Four neighbours, loaded at once. */
template <class T> struct alignas(sizeof(T) * quad < 16 ? sizeof(T) * quad : 16) four {
    T v[quad];
};

/* What elements of a type are compared as, and what few of them are added up in. */
template <class T>
using key_of =
    std::conditional_t<std::is_same_v<T, float>, int32_t, std::conditional_t<std::is_same_v<T, double>, int64_t, T>>;
template <class T> constexpr bool is_real = std::is_floating_point_v<T>;
template <class T> constexpr bool is_wide = sizeof(T) == 8;
template <class T>
using sum_of = std::conditional_t<sizeof(T) <= 2, int32_t, std::conditional_t<sizeof(T) == 4, int64_t, gf_i128>>;
template <class T>
using abs_of = std::conditional_t<sizeof(T) <= 2, uint32_t, std::conditional_t<sizeof(T) == 4, uint64_t, gf_u128>>;

__device__ __forceinline__ int32_t order(float x)
{
    return gf_key_f32(x);
}

__device__ __forceinline__ int64_t order(double x)
{
    return gf_key_f64(x);
}

template <class T> __device__ __forceinline__ std::enable_if_t<!is_real<T>, T> order(T x)
{
    return x;
}

/* Both zeros of floats are one where an index is searched. */
template <class T> __device__ __forceinline__ key_of<T> canonical(key_of<T> key)
{
    if constexpr (is_real<T>)
        return key == -1 ? 0 : key;
    else
        return key;
}

template <class T> __device__ __forceinline__ int64_t part_key(key_of<T> key)
{
    if constexpr (std::is_same_v<T, uint64_t>)
        return gf_key_u64(key);
    else
        return static_cast<int64_t>(key);
}

/* What one thread has seen: `lanes` of the tree, and everything exact. Offsets count from the chunk's start and come in
 * ascending order. */
template <class T, unsigned want, int lanes> struct gathered {
    static constexpr key_of<T> lowest_key = std::numeric_limits<key_of<T>>::lowest();
    static constexpr key_of<T> highest_key = std::numeric_limits<key_of<T>>::max();
    static constexpr bool needs_sum = (want & (GF_WANT_TREE_SUM | GF_WANT_SPREAD)) != 0;
    double sum[lanes], product[lanes], abs[lanes], squares[lanes], dot[lanes];
    key_of<T> least, greatest, least_canonical, greatest_canonical;
    uint32_t argmin, argmax, nans, first_nan, nonzero;
    sum_of<T> whole_sum;
    abs_of<T> whole_abs;
    uint64_t whole_squares;
    struct gf_part times;

    /* n elements from the offset of lane 0 on are there. */
    __device__ __forceinline__ void init(uint32_t n)
    {
#pragma unroll
        for (int j = 0; j < lanes; j++) {
            sum[j] = abs[j] = squares[j] = -0.0;
            product[j] = 1.0;
            dot[j] = static_cast<uint32_t>(j) < n ? 0.0 : -0.0;
        }
        least = least_canonical = highest_key;
        greatest = greatest_canonical = lowest_key;
        argmin = argmax = first_nan = none;
        nans = nonzero = 0;
        whole_sum = 0;
        whole_abs = 0;
        whole_squares = 0;
        times = gf_part_empty();
    }

    __device__ __forceinline__ void add_extremes(T v, uint32_t offset)
    {
        const key_of<T> key = order(v), c = canonical<T>(key);
        least = key < least ? key : least;
        greatest = key > greatest ? key : greatest;
        if (c < least_canonical) {
            least_canonical = c;
            argmin = offset;
        }
        if (c > greatest_canonical) {
            greatest_canonical = c;
            argmax = offset;
        }
    }

    __device__ __forceinline__ void add_whole(T v)
    {
        if constexpr (!is_real<T>) {
            bool negative = false;
            if constexpr (std::is_signed_v<T>)
                negative = v < 0;
            if constexpr ((want & GF_WANT_SUM) != 0)
                whole_sum += static_cast<sum_of<T>>(v);
            if constexpr ((want & GF_WANT_ABS) != 0)
                whole_abs += negative ? -static_cast<abs_of<T>>(v) : static_cast<abs_of<T>>(v);
            if constexpr ((want & GF_WANT_SQUARES) != 0)
                whole_squares += static_cast<uint64_t>(static_cast<int64_t>(v) * static_cast<int64_t>(v));
            if constexpr ((want & GF_WANT_PRODUCT) != 0) {
                const uint64_t u = static_cast<uint64_t>(v);
                gf_part_times(&times, u, negative ? -u : u, negative);
            }
        }
    }

    /* An element of lane j; w is the other factor of a dot product. */
    __device__ __forceinline__ void add(int j, T v, T w, uint32_t offset, bool omit)
    {
        const bool nan = v != v;
        const double x = static_cast<double>(v);
        const bool absent = omit && nan;
        if constexpr ((want & GF_WANT_NAN) != 0)
            if (nan) {
                first_nan = nans == 0 ? offset : first_nan;
                nans++;
            }
        if constexpr ((want & GF_WANT_EXTREMES) != 0)
            if (!nan)
                add_extremes(v, offset);
        if constexpr ((want & GF_WANT_NONZERO) != 0)
            nonzero += v != T(0) && !nan;
        add_whole(v);
        if constexpr (needs_sum)
            sum[j] += absent ? -0.0 : x;
        if constexpr ((want & GF_WANT_TREE_PRODUCT) != 0)
            product[j] *= absent ? 1.0 : x;
        if constexpr ((want & GF_WANT_TREE_ABS) != 0)
            abs[j] += absent ? -0.0 : fabs(x);
        if constexpr ((want & GF_WANT_TREE_SQUARES) != 0)
            squares[j] = absent ? squares[j] : __fma_rn(x, x, squares[j]);
        if constexpr ((want & GF_WANT_DOT) != 0)
            dot[j] = __fma_rn(x, static_cast<double>(w), dot[j]);
    }

    /* Everything exact of elements that start at index `at`; the thread's own first one is at that offset, if any. */
    __device__ __forceinline__ struct gf_part exact(uint64_t at, uint32_t own, bool any) const
    {
        struct gf_part p = times;
        if constexpr ((want & GF_WANT_EXTREMES) != 0) {
            /* Integers none of which differs from the start value are all that value. */
            const uint32_t fallback = any && !is_real<T> ? own : none;
            const uint32_t low = argmin == none ? fallback : argmin, high = argmax == none ? fallback : argmax;
            p.least = part_key<T>(least);
            p.greatest = part_key<T>(greatest);
            p.argmin = low == none ? GF_NO_INDEX : at + low;
            p.argmax = high == none ? GF_NO_INDEX : at + high;
        }
        p.nans = nans;
        p.first_nan = first_nan == none ? GF_NO_INDEX : at + first_nan;
        p.nonzero = nonzero;
        p.sum = static_cast<gf_i128>(whole_sum);
        p.abs = static_cast<gf_u128>(whole_abs);
        p.squares = whole_squares;
        return p;
    }
};

/* What is reduced: the elements of an input, or what two inputs differ by. */
template <class T, unsigned want> using element_of = std::conditional_t<(want & GF_WANT_DIFFERENCES) != 0, double, T>;

/* The exact difference, rounded once; +0 of what is equal, two NaN too. */
template <class T> __device__ __forceinline__ double difference(T a, T b)
{
    if constexpr (is_real<T>)
        return a == b || (a != a && b != b) ? 0.0 : static_cast<double>(a) - static_cast<double>(b);
    else if constexpr (is_wide<T>)
        return a < b ? -static_cast<double>(static_cast<uint64_t>(b) - static_cast<uint64_t>(a))
                     : static_cast<double>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    else
        return static_cast<double>(a) - static_cast<double>(b);
}

template <class T, unsigned want> __device__ __forceinline__ element_of<T, want> element(T v, T w)
{
    if constexpr ((want & GF_WANT_DIFFERENCES) != 0)
        return difference(v, w);
    else
        return v;
}

/* The chunk of a sequence that a warp works on. */
struct chunk {
    const char *a, *b; /* of the sequence, where y = 0 */
    uint64_t x, y;     /* of its first element */
    uint32_t n;
};

template <class T> __device__ __forceinline__ T load(const char *p)
{
    return *reinterpret_cast<const T *>(p);
}

/* Calls f(lane of the thread, element, other element, offset) for all of the thread's elements, in ascending order. */
template <class T, bool two, class F>
__device__ __forceinline__ void each_apart(const struct gf_cuda_sequences &s, const struct chunk &c, F &&f)
{
    const uint32_t own = threadIdx.x % warp * quad;
    const uint64_t rows = GF_TREE_LANES / s.width, columns = GF_TREE_LANES % s.width;
    uint64_t x = c.x + own, y = c.y + x / s.width;
    x %= s.width;
    for (uint32_t offset = own; offset < c.n; offset += GF_TREE_LANES) {
        uint64_t px = x, py = y;
#pragma unroll
        for (int j = 0; j < quad; j++) {
            if (offset + j < c.n) {
                const uint64_t at = py * s.pitch + px * s.channels * sizeof(T);
                f(j, load<T>(c.a + at), two ? load<T>(c.b + at) : T(0), offset + j);
            }
            if (++px == s.width) {
                px = 0;
                py++;
            }
        }
        x += columns;
        y += rows;
        if (x >= s.width) {
            x -= s.width;
            y++;
        }
    }
}

/* The same for a whole chunk of neighbours: several vectors are under way before the first is used. */
template <class T, bool two, class F>
__device__ __forceinline__ void each_together(const struct chunk &c, const char *a, const char *b, F &&f)
{
    constexpr int batch = is_wide<T> || two ? 4 : 8;
    const int thread = threadIdx.x % warp;
    const four<T> *pa = reinterpret_cast<const four<T> *>(a) + thread;
    const four<T> *pb = reinterpret_cast<const four<T> *>(b) + thread;
    for (int r = 0; r < static_cast<int>(GF_TREE_CHUNK / GF_TREE_LANES); r += batch) {
        four<T> v[batch], w[batch];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            v[k] = pa[(r + k) * warp];
            if (two)
                w[k] = pb[(r + k) * warp];
        }
#pragma unroll
        for (int k = 0; k < batch; k++)
#pragma unroll
            for (int j = 0; j < quad; j++)
                f(j, v[k].v[j], two ? w[k].v[j] : T(0),
                  static_cast<uint32_t>((r + k) * static_cast<int>(GF_TREE_LANES) + thread * quad + j));
    }
}

template <class T, bool two, class F>
__device__ __forceinline__ void each(const struct gf_cuda_sequences &s, const struct chunk &c, F &&f)
{
    const uint64_t at = c.y * s.pitch + c.x * sizeof(T);
    const char *a = c.a + at, *b = two ? c.b + at : a;
    const uintptr_t low = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
    if (s.channels == 1 && c.n == GF_TREE_CHUNK && c.x + GF_TREE_CHUNK <= s.width && low % alignof(four<T>) == 0)
        each_together<T, two>(c, a, b, f);
    else
        each_apart<T, two>(s, c, f);
}

/* Folds the 128 lanes of a warp; thread 0 has the result. */
template <bool times> __device__ __forceinline__ double fold(const double (&lane)[quad])
{
    double v[quad];
#pragma unroll
    for (int j = 0; j < quad; j++)
        v[j] = lane[j];
#pragma unroll
    for (int d = warp / 2; d > 0; d /= 2)
#pragma unroll
        for (int j = 0; j < quad; j++) {
            const double other = __shfl_down_sync(UINT32_MAX, v[j], d);
            v[j] = times ? v[j] * other : v[j] + other;
        }
    if (times)
        return (v[0] * v[2]) * (v[1] * v[3]);
    return (v[0] + v[2]) + (v[1] + v[3]);
}

__device__ __forceinline__ uint64_t shift_down(uint64_t x, int d)
{
    return __shfl_down_sync(UINT32_MAX, static_cast<unsigned long long>(x), d);
}

__device__ __forceinline__ gf_u128 shift_down(gf_u128 x, int d)
{
    const uint64_t low = shift_down(static_cast<uint64_t>(x), d), high = shift_down(static_cast<uint64_t>(x >> 64), d);
    return static_cast<gf_u128>(high) << 64 | low;
}

/* Joins the exact quantities of a warp; thread 0 has the result. */
template <unsigned want> __device__ __forceinline__ void join_warp(bool real, struct gf_part *p)
{
    constexpr unsigned exact = want & (GF_WANT_EXTREMES | GF_WANT_NAN | GF_WANT_NONZERO | GF_WANT_SUM | GF_WANT_ABS |
                                       GF_WANT_SQUARES | GF_WANT_PRODUCT);
    for (int d = warp / 2; d > 0; d /= 2) {
        struct gf_part o = *p;
        if constexpr ((want & GF_WANT_EXTREMES) != 0) {
            o.least = static_cast<int64_t>(shift_down(static_cast<uint64_t>(p->least), d));
            o.greatest = static_cast<int64_t>(shift_down(static_cast<uint64_t>(p->greatest), d));
            o.argmin = shift_down(p->argmin, d);
            o.argmax = shift_down(p->argmax, d);
        }
        if constexpr ((want & GF_WANT_NAN) != 0) {
            o.nans = shift_down(p->nans, d);
            o.first_nan = shift_down(p->first_nan, d);
        }
        if constexpr ((want & GF_WANT_NONZERO) != 0)
            o.nonzero = shift_down(p->nonzero, d);
        if constexpr ((want & GF_WANT_SUM) != 0)
            o.sum = static_cast<gf_i128>(shift_down(static_cast<gf_u128>(p->sum), d));
        if constexpr ((want & GF_WANT_ABS) != 0)
            o.abs = shift_down(p->abs, d);
        if constexpr ((want & GF_WANT_SQUARES) != 0)
            o.squares = shift_down(p->squares, d);
        if constexpr ((want & GF_WANT_PRODUCT) != 0) {
            o.product = shift_down(p->product, d);
            o.magnitude = shift_down(p->magnitude, d);
            o.product_flags = shift_down(p->product_flags, d);
        }
        gf_part_join(exact, real, p, &o);
    }
}

/* The chunk's (n, m, Q), from the sum of its elements, in thread 0. */
template <class T>
__device__ __forceinline__ void spread_of(const struct gf_cuda_sequences &s, const struct chunk &c, double sum,
                                          struct gf_part *p)
{
    const uint64_t nans = __shfl_sync(UINT32_MAX, static_cast<unsigned long long>(p->nans), 0);
    const uint64_t present = c.n - (s.omit ? nans : 0);
    const double mean = __shfl_sync(UINT32_MAX, sum, 0) / static_cast<double>(present);
    double q[quad] = {0.0, 0.0, 0.0, 0.0};
    each<T, false>(s, c, [&](int j, T v, T, uint32_t) {
        const double d = static_cast<double>(v) - mean;
        if (!(s.omit && v != v))
            q[j] = __fma_rn(d, d, q[j]);
    });
    p->spread = fold<false>(q);
    p->mean = mean;
    p->n = static_cast<double>(present);
}

/* Item: a chunk of a sequence, for a warp. */
template <class T, unsigned want>
__global__ void __launch_bounds__(threads) chunks_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    using E = element_of<T, want>;
    constexpr bool two = (want & (GF_WANT_DOT | GF_WANT_DIFFERENCES)) != 0;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * (threads / warp);
    const uint64_t items = s.chunks * s.sequences;
    const uint32_t own = threadIdx.x % warp * quad;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * (threads / warp) + threadIdx.x / warp; item < items;
         item += step) {
        const uint64_t at = item / s.sequences * GF_TREE_CHUNK, sequence = item % s.sequences;
        const uint64_t skip = sequence / s.channels * s.pitch + sequence % s.channels * sizeof(T);
        struct chunk c = {s.a + skip, two ? s.b + skip : nullptr, at % s.width, at / s.width, GF_TREE_CHUNK};
        if (s.n - at < GF_TREE_CHUNK)
            c.n = static_cast<uint32_t>(s.n - at);
        gathered<E, want, quad> g;
        g.init(own < c.n ? c.n - own : 0);
        each<T, two>(s, c, [&](int j, T v, T w, uint32_t offset) {
            g.add(j, element<T, want>(v, w), static_cast<E>(w), offset, s.omit);
        });

        struct gf_part p = g.exact(at, own, own < c.n);
        join_warp<want>(is_real<E>, &p);
        if constexpr (g.needs_sum)
            p.tree_sum = fold<false>(g.sum);
        if constexpr ((want & GF_WANT_TREE_PRODUCT) != 0)
            p.tree_product = fold<true>(g.product);
        if constexpr ((want & GF_WANT_TREE_ABS) != 0)
            p.tree_abs = fold<false>(g.abs);
        if constexpr ((want & GF_WANT_TREE_SQUARES) != 0)
            p.tree_squares = fold<false>(g.squares);
        if constexpr ((want & GF_WANT_DOT) != 0)
            p.dot = fold<false>(g.dot);
        if constexpr ((want & GF_WANT_SPREAD) != 0)
            spread_of<T>(s, c, p.tree_sum, &p);
        if (threadIdx.x % warp == 0)
            gf_part_store(want, s.parts, items, item, &p);
    }
}

/* Item: 64 rows of a column, for a thread. */
template <class T, unsigned want>
__global__ void __launch_bounds__(threads) columns_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    constexpr bool two = (want & GF_WANT_DOT) != 0;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads, items = s.chunks * s.sequences;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < items; item += step) {
        const uint64_t at = item / s.sequences * GF_TREE_ROWS;
        const uint64_t skip = at * s.pitch + item % s.sequences * sizeof(T);
        const char *a = s.a + skip, *b = two ? s.b + skip : nullptr;
        const uint32_t n = s.n - at < GF_TREE_ROWS ? static_cast<uint32_t>(s.n - at) : GF_TREE_ROWS;
        gathered<T, want, 1> g;
        g.init(n);
#pragma unroll 8
        for (uint32_t i = 0; i < n; i++)
            g.add(0, load<T>(a + i * s.pitch), two ? load<T>(b + i * s.pitch) : T(0), i, s.omit);
        struct gf_part p = g.exact(at, 0, true);
        p.tree_sum = g.sum[0];
        p.tree_product = g.product[0];
        p.tree_abs = g.abs[0];
        p.tree_squares = g.squares[0];
        p.dot = g.dot[0];
        if constexpr ((want & GF_WANT_SPREAD) != 0) {
            p.n = static_cast<double>(n - (s.omit ? p.nans : 0));
            p.mean = p.tree_sum / p.n;
            p.spread = 0.0;
            for (uint32_t i = 0; i < n; i++) {
                const T v = load<T>(a + i * s.pitch);
                const double d = static_cast<double>(v) - p.mean;
                if (!(s.omit && v != v))
                    p.spread = __fma_rn(d, d, p.spread);
            }
        }
        gf_part_store(want, s.parts, items, item, &p);
    }
}

template <class T, unsigned want> void launch(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const uint64_t items = s->chunks * s->sequences, per_block = s->columns ? threads : threads / warp;
    const uint64_t wanted = (items + per_block - 1) / per_block;
    const unsigned blocks = wanted < max_blocks ? static_cast<unsigned>(wanted) : max_blocks;
    /* Differences come along rows only. */
    if constexpr ((want & GF_WANT_DIFFERENCES) == 0)
        if (s->columns) {
            columns_kernel<T, want><<<blocks, threads, 0, stream>>>(*s);
            return;
        }
    chunks_kernel<T, want><<<blocks, threads, 0, stream>>>(*s);
}

/* Launches the one of the sets that is wanted. */
template <class T, unsigned... sets>
cudaError_t launch_one_of(uint32_t want, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const bool found = ((want == sets && (launch<T, sets>(s, stream), true)) || ...);
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace gf_reduction_kernels

#endif
