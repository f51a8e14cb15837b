/* SPDX-License-Identifier: MIT */
/*
 * The pass over the data of reduce, stats, dot and compare along rows (docs/numerics.md 8), for one element type and
 * one set of quantities: a warp makes a chunk a part. Included by the ops' files, which list the sets they need.
 */
#ifndef GF_CUDA_REDUCTION_CUH
#define GF_CUDA_REDUCTION_CUH

#include "reduction_words.cuh"

namespace gf_reduction_kernels
{

/* All 128 lanes of a warp to one value, which all threads get. */
template <bool times> __device__ __forceinline__ double fold(const double (&v)[quad])
{
    const unsigned thread = threadIdx.x % warp;
    const auto join = [](double a, double b) { return times ? a * b : a + b; };
    /* Each half of the warp goes on with two of the four lanes, each quarter with one. */
    const bool upper = (thread & 16) != 0, odd = (thread & 8) != 0;
    const double a = join(upper ? v[2] : v[0], __shfl_xor_sync(UINT32_MAX, upper ? v[0] : v[2], 16));
    const double b = join(upper ? v[3] : v[1], __shfl_xor_sync(UINT32_MAX, upper ? v[1] : v[3], 16));
    double x = join(odd ? b : a, __shfl_xor_sync(UINT32_MAX, odd ? a : b, 8));
#pragma unroll
    for (int d = 4; d > 0; d /= 2)
        x = join(x, __shfl_xor_sync(UINT32_MAX, x, d));
    x = join(x, __shfl_xor_sync(UINT32_MAX, x, 16));
    return join(x, __shfl_xor_sync(UINT32_MAX, x, 8));
}

template <unsigned set> __device__ __forceinline__ struct gf_part shift_down(const struct gf_part &p, int d)
{
    uint64_t w[gf_part_words(set) + 1];
    gf_part_store(set, w, 1, 0, &p);
#pragma unroll
    for (uint32_t i = 0; i < gf_part_words(set); i++)
        w[i] = __shfl_down_sync(UINT32_MAX, static_cast<unsigned long long>(w[i]), d);
    return gf_part_load(set, w, 1, 0);
}

/* Joins the parts of a warp; thread 0 has the result. */
template <unsigned set> __device__ __forceinline__ void join_warp(bool real, struct gf_part *p)
{
    if constexpr (set != 0)
#pragma unroll
        for (int d = warp / 2; d > 0; d /= 2) {
            const struct gf_part o = shift_down<set>(*p, d);
            gf_part_join(set, real, p, &o);
        }
}

/* The extremes of a warp of 4-byte elements. */
template <class T, unsigned want>
__device__ __forceinline__ void join_extremes(const gathered<T, want, quad> &g, uint64_t at, struct gf_part *p)
{
    const auto low = __reduce_min_sync(UINT32_MAX, g.least_canonical);
    const auto high = __reduce_max_sync(UINT32_MAX, g.greatest_canonical);
    const uint32_t argmin = __reduce_min_sync(UINT32_MAX, g.least_canonical == low ? g.argmin : none);
    const uint32_t argmax = __reduce_min_sync(UINT32_MAX, g.greatest_canonical == high ? g.argmax : none);
    p->least = part_key<T>(is_real<T> ? __reduce_min_sync(UINT32_MAX, g.least) : low);
    p->greatest = part_key<T>(is_real<T> ? __reduce_max_sync(UINT32_MAX, g.greatest) : high);
    p->argmin = argmin == none ? GF_NO_INDEX : at + argmin;
    p->argmax = argmax == none ? GF_NO_INDEX : at + argmax;
}

/* The extremes of a warp of 1- and 2-byte elements, from keys. */
template <class T>
__device__ __forceinline__ void join_short_extremes(uint32_t low, uint32_t high, uint64_t at, struct gf_part *p)
{
    constexpr int64_t bias = gathered<T, 0, 1>::lowest_key, most = gathered<T, 0, 1>::highest_key;
    low = __reduce_min_sync(UINT32_MAX, low);
    high = __reduce_min_sync(UINT32_MAX, high);
    p->least = most;
    p->greatest = bias;
    p->argmin = p->argmax = GF_NO_INDEX;
    if (low == no_key)
        return;
    p->least = static_cast<int64_t>(low >> offset_bits) + bias;
    p->greatest = most - static_cast<int64_t>(high >> offset_bits);
    p->argmin = at + low % (1u << offset_bits);
    p->argmax = at + high % (1u << offset_bits);
}

/* A chunk of elements of 8 or 16 bits, in thread 0. */
template <class T, unsigned want>
__device__ __forceinline__ struct gf_part part_of_short(const struct gf_cuda_sequences &s, const struct chunk &c,
                                                        uint64_t at)
{
    const char *a = c.a + c.y * s.pitch + c.x * s.channels * sizeof(T);
    const bool together =
        s.channels == 1 && c.x + c.n <= s.width && reinterpret_cast<uintptr_t>(a) % sizeof(uint4) == 0;
    const uint32_t thread = threadIdx.x % warp;
    gathered<T, want, quad> g;
    words<T, want> q;
    g.init(0);
    q.init();
    uint32_t low = no_key, high = no_key;
    if (together) {
        const uint32_t done = each_word<T, want>(a, c.n, &q);
        if (done + thread < c.n)
            g.add(0, load<T>(a + (done + thread) * sizeof(T)), T(0), done + thread, false);
        g.settle(done + thread, done + thread < c.n);
        low = q.key_at(q.low);
        high = q.key_at(q.high);
    } else {
        each<T, false>(s, c, [&](int j, T v, T, uint32_t offset) { g.add(j, v, T(0), offset, false); });
        g.settle(thread * quad, thread * quad < c.n);
    }
    if (g.argmin != none) {
        const uint32_t key = short_key(static_cast<uint32_t>(g.least - g.lowest_key), g.argmin);
        const uint32_t other = short_key(static_cast<uint32_t>(g.highest_key - g.greatest), g.argmax);
        low = key < low ? key : low;
        high = other < high ? other : high;
    }
    struct gf_part p = g.exact(at);
    gf_part_join_product(&p, &q.times);
    p.squares += q.squares + q.small_squares;
    join_warp<want &(GF_WANT_SQUARES | GF_WANT_PRODUCT)>(false, &p);
    if constexpr ((want & GF_WANT_EXTREMES) != 0)
        join_short_extremes<T>(low, high, at, &p);
    if constexpr ((want & GF_WANT_SUM) != 0)
        p.sum = static_cast<int32_t>(__reduce_add_sync(UINT32_MAX, static_cast<uint32_t>(g.whole_sum) + q.sum));
    if constexpr ((want & GF_WANT_ABS) != 0)
        p.abs = __reduce_add_sync(UINT32_MAX, g.whole_abs + q.abs);
    if constexpr ((want & GF_WANT_NONZERO) != 0)
        p.nonzero = __reduce_add_sync(UINT32_MAX, g.nonzero + q.nonzero);
    return p;
}

/* The chunk's (n, m, Q), from the sum of its elements. */
template <class T>
__device__ __forceinline__ void spread_of(const struct gf_cuda_sequences &s, const struct chunk &c, bool nan,
                                          struct gf_part *p)
{
    const uint64_t nans = __shfl_sync(UINT32_MAX, static_cast<unsigned long long>(p->nans), 0);
    const uint64_t present = c.n - (s.omit ? nans : 0);
    const double mean = p->tree_sum / static_cast<double>(present);
    double q[quad] = {0.0, 0.0, 0.0, 0.0};
    if (nan)
        each_apart<T, false>(s, c, [&](int j, T v, T, uint32_t) {
            const double d = static_cast<double>(v) - mean;
            if (!(s.omit && v != v))
                q[j] = __fma_rn(d, d, q[j]);
        });
    else
        each<T, false>(s, c, [&](int j, T v, T, uint32_t) {
            const double d = static_cast<double>(v) - mean;
            q[j] = __fma_rn(d, d, q[j]);
        });
    p->spread = fold<false>(q);
    p->mean = mean;
    p->n = static_cast<double>(present);
}

/* A chunk of other elements, in thread 0. */
template <class T, unsigned want>
__device__ __forceinline__ struct gf_part part_of(const struct gf_cuda_sequences &s, const struct chunk &c, uint64_t at)
{
    using E = element_of<T, want>;
    constexpr bool two = (want & (GF_WANT_DOT | GF_WANT_DIFFERENCES)) != 0;
    constexpr unsigned exact =
        want & (GF_WANT_NONZERO | GF_WANT_SUM | GF_WANT_ABS | GF_WANT_PRODUCT | (is_wide<E> ? GF_WANT_EXTREMES : 0));
    const uint32_t own = threadIdx.x % warp * quad;
    gathered<E, want, quad> g;
    g.init(own < c.n ? c.n - own : 0);
    each<T, two>(s, c, [&](int j, T v, T w, uint32_t offset) {
        g.add_quick(j, element<T, want>(v, w), static_cast<E>(w), offset);
    });
    const bool nan = (want & GF_WANT_NAN) != 0 && __any_sync(UINT32_MAX, g.has_nan());
    if (nan) {
        g.init(own < c.n ? c.n - own : 0);
        each_apart<T, two>(s, c, [&](int j, T v, T w, uint32_t offset) {
            g.add(j, element<T, want>(v, w), static_cast<E>(w), offset, s.omit);
        });
    } else {
        g.settle_quick(own, own < c.n);
    }
    g.settle(own, own < c.n);

    struct gf_part p = g.exact(at);
    join_warp<exact>(is_real<E>, &p);
    if constexpr ((want & GF_WANT_EXTREMES) != 0 && !is_wide<E>)
        join_extremes<E, want>(g, at, &p);
    if (nan)
        join_warp<want & GF_WANT_NAN>(true, &p);
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
        spread_of<T>(s, c, nan, &p);
    return p;
}

/* Item: a chunk of a sequence, for a warp. */
template <class T, unsigned want>
__global__ void __launch_bounds__(threads, (want & GF_WANT_SPREAD) != 0 && (want & GF_WANT_EXTREMES) != 0 ? 2 : 4)
    chunks_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * (threads / warp), items = s.chunks * s.lines * s.channels;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * (threads / warp) + threadIdx.x / warp; item < items;
         item += step) {
        const uint64_t q = s.channels == 1 ? item : item / s.channels, channel = item - q * s.channels;
        const uint64_t line = s.lines == 1 ? 0 : s.chunks == 1 ? q : q / s.chunks, number = q - line * s.chunks;
        const uint64_t index = number * s.span, left = s.n - index;
        const uint64_t skip = line * s.pitch + channel * sizeof(T);
        struct chunk c = {s.a + skip, s.b + skip, index, 0, left < s.span ? static_cast<uint32_t>(left) : s.span};
        if (c.x >= s.width) {
            c.y = c.x / s.width;
            c.x %= s.width;
        }
        struct gf_part p;
        if constexpr (is_short<element_of<T, want>>)
            p = part_of_short<T, want>(s, c, index);
        else
            p = part_of<T, want>(s, c, index);
        if (threadIdx.x % warp == 0)
            gf_part_store(want, s.parts, items, (line * s.channels + channel) * s.chunks + number, &p);
    }
}

template <class T, unsigned want> void launch(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const uint64_t items = s->chunks * s->lines * s->channels, wanted = (items + threads / warp - 1) / (threads / warp);
    const unsigned blocks = wanted < max_blocks ? static_cast<unsigned>(wanted) : max_blocks;
    chunks_kernel<T, want><<<blocks, threads, 0, stream>>>(*s);
}

/* Launches the one of the sets that is wanted. */
template <class T, unsigned... sets> cudaError_t launch_one_of(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const bool found = ((s->r.want == sets && (launch<T, sets>(s, stream), true)) || ...);
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace gf_reduction_kernels

#endif
