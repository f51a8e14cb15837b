/* SPDX-License-Identifier: MIT */
/*
 * The pass over the data of reduce, stats, dot and compare along rows (docs/numerics.md, "reduce"), for one element
 * type and one set of quantities: a warp reduces a chunk to a partial. Included by the files of the ops, which list the
 * sets they need.
 */
#ifndef GF_CUDA_REDUCTION_CUH
#define GF_CUDA_REDUCTION_CUH

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "reduction_pixels.cuh"

namespace gf_reduction_kernels
{

/* Folds the 128 lanes of a warp to one value, returned in all threads. */
template <bool times> __device__ __forceinline__ double fold(const double (&v)[quad])
{
    const unsigned thread = threadIdx.x % warp;
    const auto join = [](double a, double b) { return times ? a * b : a + b; };
    /* Each half of the warp continues with two of the four lanes, each quarter with one. */
    const bool upper = (thread & 16) != 0, odd = (thread & 8) != 0;
    const double a = join(upper ? v[2] : v[0], gf_shuffle_xor(upper ? v[0] : v[2], 16));
    const double b = join(upper ? v[3] : v[1], gf_shuffle_xor(upper ? v[1] : v[3], 16));
    double x = join(odd ? b : a, gf_shuffle_xor(odd ? a : b, 8));
#pragma unroll
    for (int d = 4; d > 0; d /= 2)
        x = join(x, gf_shuffle_xor(x, d));
    x = join(x, gf_shuffle_xor(x, 16));
    return join(x, gf_shuffle_xor(x, 8));
}

/* Elements of 4 bytes whose spread is wanted stay in registers, because the spread reads them a second time. That
 * requires a whole chunk of adjacent elements. */
template <class T, unsigned want>
constexpr bool is_held = (want & GF_WANT_SPREAD) != 0 && (want & GF_WANT_EXTREMES) == 0 && sizeof(T) == 4;

template <class T> struct held {
    four<T> row[GF_TREE_CHUNK / GF_TREE_LANES];

    /* Returns false where the chunk does not qualify. */
    __device__ __forceinline__ bool load(const struct gf_cuda_sequences &s, const struct chunk &c)
    {
        const char *a = c.a + c.y * s.pitch + c.x * sizeof(T);
        if (s.channels != 1 || c.n != GF_TREE_CHUNK || c.x + c.n > s.width ||
            reinterpret_cast<uintptr_t>(a) % alignof(four<T>) != 0)
            return false;
        const four<T> *from = reinterpret_cast<const four<T> *>(a) + threadIdx.x % warp;
#pragma unroll
        for (uint32_t r = 0; r < GF_TREE_CHUNK / GF_TREE_LANES; r++)
            row[r] = from[r * warp];
        return true;
    }

    /* Calls f(lane of the thread, element, offset) in ascending order. */
    template <class F> __device__ __forceinline__ void each(F &&f) const
    {
#pragma unroll
        for (uint32_t r = 0; r < GF_TREE_CHUNK / GF_TREE_LANES; r++)
#pragma unroll
            for (int j = 0; j < quad; j++)
                f(j, row[r].v[j], r * GF_TREE_LANES + threadIdx.x % warp * quad + j);
    }
};

/* Returns v - mean. For floats the bits are moved to their place in a double, which gives v * 2^-896 where v is finite.
 * The fma with 2^896 costs the same as a subtraction and saves a conversion, whose throughput is four times lower. */
template <class T> __device__ __forceinline__ double off_mean(T v, double mean)
{
    if constexpr (std::is_same_v<T, float>) {
        const int32_t bits = __float_as_int(v);
        return __fma_rn(__hiloint2double(bits >> 3 & static_cast<int32_t>(0x8FFFFFFF), bits << 29), 0x1p896, -mean);
    } else {
        return static_cast<double>(v) - mean;
    }
}

/* Computes the (n, m, Q) of a chunk of n elements from their sum. walk(f) must call f(lane of the thread, element). If
 * the mean of floats is not finite, some element is not, which off_mean cannot represent: Q is then NaN. The mean of
 * finite doubles may overflow, and Q overflows with it. */
template <class T, class W> __device__ __forceinline__ void spread_of(uint64_t n, struct gf_partial *p, W &&walk)
{
    const double mean = p->tree_sum / static_cast<double>(n);
    double q[quad] = {0.0, 0.0, 0.0, 0.0};
    walk([&](int j, auto v) {
        const double d = off_mean(v, mean);
        q[j] = __fma_rn(d, d, q[j]);
    });
    p->spread = fold<false>(q);
    if (std::is_same_v<T, float> && !isfinite(mean))
        p->spread = __longlong_as_double(0x7FF8000000000000);
    p->mean = mean;
    p->n = static_cast<double>(n);
}

template <class T>
__device__ __forceinline__ void take_spread(const struct gf_cuda_sequences &s, const struct chunk &c, bool nan,
                                            bool is_there, const struct held<T> &held, struct gf_partial *p)
{
    const uint64_t nans = gf_shuffle(static_cast<unsigned long long>(p->nans), 0);
    if (nan)
        spread_of<T>(c.n - (s.omit ? nans : 0), p, [&](auto &&f) {
            each_apart<T, false>(s, c, [&](int j, T v, T, uint32_t) {
                if (!(s.omit && v != v))
                    f(j, v);
            });
        });
    else if (is_there)
        spread_of<T>(c.n, p, [&](auto &&f) { held.each([&](int j, T v, uint32_t) { f(j, v); }); });
    else
        spread_of<T>(c.n, p, [&](auto &&f) { each<T, false>(s, c, [&](int j, T v, T, uint32_t) { f(j, v); }); });
}

/* Reduces a chunk of elements other than short ones; thread 0 has the partial. */
template <class T, unsigned want, bool may_hold = false>
__device__ __forceinline__ struct gf_partial partial_of(const struct gf_cuda_sequences &s, const struct chunk &c,
                                                        uint64_t at)
{
    using E = element_of<T, want>;
    constexpr bool two = (want & (GF_WANT_DOT | GF_WANT_DIFFERENCES)) != 0;
    constexpr unsigned exact = want & (GF_WANT_NONZERO | GF_WANT_SUM | GF_WANT_ABS);
    const uint32_t own = threadIdx.x % warp * quad;
    gathered<E, want, quad> g;
    struct held<T> held;
    bool is_there = false;
    g.init(own < c.n ? c.n - own : 0);
    if constexpr (may_hold)
        is_there = held.load(s, c);
    if (is_there)
        held.each([&](int j, T v, uint32_t offset) { g.add_quick(j, static_cast<E>(v), E(0), offset); });
    else
        each<T, two>(s, c, [&](int j, T v, T w, uint32_t offset) {
            g.add_quick(j, element<T, want>(v, w), static_cast<E>(w), offset);
        });
    /* A NaN sum is NaN whichever element caused it. */
    constexpr bool always = (want & (GF_WANT_EXTREMES | GF_WANT_NONZERO)) != 0;
    const bool nan = (want & GF_WANT_NAN) != 0 && (always || s.omit) && gf_any_lane(g.has_nan());
    if (nan) {
        g.init(own < c.n ? c.n - own : 0);
        each_apart<T, two>(s, c, [&](int j, T v, T w, uint32_t offset) {
            g.add(j, element<T, want>(v, w), static_cast<E>(w), offset, s.omit);
        });
    } else {
        g.settle_quick(own, own < c.n);
    }
    g.settle(own, own < c.n);

    struct gf_partial p = g.exact(at);
    join_warp<exact>(is_real<E>, &p);
    if constexpr ((want & GF_WANT_EXTREMES) != 0)
        g.ends.put_of_warp(at, &p);
    if constexpr ((want & GF_WANT_PRODUCT) != 0)
        g.product_of_lanes().join_warp(g.is_negative(), &p);
    if (nan)
        join_warp<want & GF_WANT_NAN>(true, &p);
    g.trees.put(&p, [](const double(&lanes)[quad], auto times) { return fold<decltype(times)::value>(lanes); });
    if constexpr ((want & GF_WANT_SPREAD) != 0)
        take_spread<T>(s, c, nan, is_there, held, &p);
    return p;
}

/* The work of a warp: every `step`-th chunk of a sequence, from `number` on. */
struct work {
    uint64_t line, channel, number, step;
    bool any;
};

/* Returns the work of a warp: the blocks of a sequence take turns, or each warp takes one chunk. */
template <bool exact>
__device__ __forceinline__ struct work work_of(const struct gf_cuda_sequences &s, uint64_t item, uint32_t w)
{
    const auto over = [](uint64_t a, uint64_t b) { return b == 1 ? a : a / b; };
    if (exact && s.blocks > 0) {
        const uint64_t q = over(item, s.channels), line = s.lines == 1 ? 0 : over(q, s.blocks);
        const uint64_t number = (q - line * s.blocks) * s.warps + w;
        return {line, item - q * s.channels, number, s.blocks * s.warps, number < s.chunks};
    }
    const uint64_t index = item * s.warps + w;
    const bool any = w < s.warps && index < s.chunks * s.lines * s.channels;
    const uint64_t q = over(index, s.channels), line = s.lines == 1 ? 0 : q / s.chunks;
    return {line, index - q * s.channels, q - line * s.chunks, s.chunks, any};
}

/* Locates chunk `place` by segments: first each segment as one chunk, then the chunks of the long segments. Returns
 * false where a place of the first kind belongs to a long segment. `ret_number` is the chunk's number within its
 * segment. */
__device__ __forceinline__ bool chunk_of_segment(const struct gf_cuda_sequences &s, uint64_t skip, uint64_t place,
                                                 struct chunk *ret, uint64_t *ret_number)
{
    const bool is_long = place >= s.cut.n;
    const uint64_t j = is_long ? gf_cut_at(&s.cut, place - s.cut.n, 0) : 0, segment = is_long ? s.cut.longs[j] : place;
    const uint64_t number = is_long ? place - s.cut.n - s.cut.starts[j] : 0;
    const uint64_t left = gf_cut_length(&s.cut, segment) - number * s.span;
    ret->a = ret->b = s.a + skip;
    ret->x = s.cut.offsets[segment] + number * s.span;
    ret->y = 0;
    ret->n = left < s.span ? static_cast<uint32_t>(left) : s.span;
    if (ret->x >= s.width) {
        ret->y = ret->x / s.width;
        ret->x %= s.width;
    }
    *ret_number = number;
    return is_long || left <= s.span;
}

/* Stores the partial of chunk `place` by segments. */
template <unsigned want>
__device__ __forceinline__ void keep_of_segment(const struct gf_cuda_sequences &s, uint64_t place, uint64_t channel,
                                                const struct gf_partial &p)
{
    const bool is_long = place >= s.cut.n;
    gf_partial_store(want, is_long ? s.partials : s.results, (is_long ? s.cut.chunks : s.cut.n) * s.channels,
                     (is_long ? place - s.cut.n : place) * s.channels + channel, &p);
}

/* Reduces chunk `number` of a sequence or segment; thread 0 of a warp has the partial. */
template <class T, unsigned want, bool may_hold>
__device__ __forceinline__ struct gf_partial partial_at(const struct gf_cuda_sequences &s, const struct chunk &c,
                                                        uint64_t number)
{
    if constexpr (is_short<element_of<T, want>>)
        return partial_of_short<T, want>(s, c, number * s.span);
    else
        return partial_of<T, want, may_hold>(s, c, number * s.span);
}

/* Joins the partials of a block's warps and stores the result as partial `place` of the sequence. Called by one
 * warp. */
template <unsigned want>
__device__ __forceinline__ void join_block(const struct gf_cuda_sequences &s, uint64_t sequence, uint64_t place,
                                           const uint64_t *shared_partials)
{
    const uint32_t t = threadIdx.x % warp;
    struct gf_partial p = gf_partial_empty();
    if (t < s.warps)
        p = gf_partial_load(want, shared_partials, warps, t);
    join_warp<want, warps>(gf_is_float(s.r.dtype), &p);
    if (t == 0)
        gf_partial_store(want, s.partials, s.blocks * s.lines * s.channels, sequence * s.blocks + place, &p);
}

/* Blocks that should be resident on a multiprocessor, few enough to leave registers for loads in flight. */
template <class T, unsigned want>
constexpr int chunk_blocks = is_held<T, want>                                                ? 1
                             : (want &GF_WANT_SPREAD) != 0 && (want & GF_WANT_EXTREMES) != 0 ? 2
                             : (want &GF_WANT_PRODUCT) != 0 && !is_short<T>                  ? 3
                             : is_wide<T> && !is_exact<want>                                 ? 3
                                                                                             : 4;

/* With segments, most of which may be short, more warps are worth more than more registers. */
constexpr int segment_blocks = 4;
/* Only reduce has segments. */
template <unsigned want> constexpr bool has_segments = !are_many<want> && (want & GF_WANT_DOT) == 0;

/* Item: chunks for the warps of a block. By segments each warp has one chunk: `number` is then the chunk's number
 * within its segment, and its place is recomputed from the item, so that the path by sequences needs no more
 * registers. */
template <class T, unsigned want, bool may_be_segments, bool may_hold>
__device__ __forceinline__ void reduce_chunks(const struct gf_cuda_sequences &s, uint64_t *shared_partials)
{
    constexpr bool exact = is_exact<want>;
    const bool by_segments = may_be_segments && s.cut.n > 0;
    const uint32_t w = threadIdx.x / warp, t = threadIdx.x % warp;
    gf_launch_next_early();
    for (uint64_t item = blockIdx.x; item < s.items; item += gridDim.x) {
        const struct work work = work_of<exact>(s, item, w);
        const bool shared = exact && s.blocks > 0;
        if (shared && t == 0) {
            const struct gf_partial none_yet = gf_partial_empty();
            gf_partial_store(want, shared_partials, warps, w, &none_yet);
        }
        for (uint64_t number = work.number; work.any && number < s.chunks; number += work.step) {
            struct chunk c;
            if (!by_segments)
                c = chunk_at(s, work.line * s.pitch + work.channel * sizeof(T), number);
            else if (!chunk_of_segment(s, work.channel * sizeof(T), work.number, &c, &number))
                break;
            struct gf_partial p = partial_at<T, want, may_hold>(s, c, number);
            if (t != 0)
                continue;
            if (shared) {
                const struct gf_partial before = gf_partial_load(want, shared_partials, warps, w);
                gf_partial_join(want, gf_is_float(s.r.dtype), &p, &before);
            }
            if (shared)
                gf_partial_store(want, shared_partials, warps, w, &p);
            else if (by_segments)
                keep_of_segment<want>(s, work_of<exact>(s, item, w).number, work.channel, p);
            else
                keep<want>(s, s.chunks * s.lines * s.channels,
                           (work.line * s.channels + work.channel) * s.chunks + number, p);
        }
        if (!shared)
            continue;
        gf_sync_block();
        if (w == 0)
            join_block<want>(s, work.line * s.channels + work.channel, work.number / s.warps, shared_partials);
        gf_sync_block();
    }
}

/* Item: chunks of all channels for the warps of a block, with elements of 8 or 16 bits. */
template <class T, unsigned want, int channels>
__global__ void __launch_bounds__(threads, 3) pixels_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    constexpr uint32_t n_words = gf_partial_words(want);
    __shared__ uint64_t shared_partials[channels][n_words * warps];
    const uint32_t w = threadIdx.x / warp, t = threadIdx.x % warp;
    const bool shared = s.blocks > 0;
    gf_launch_next_early();
    for (uint64_t item = blockIdx.x; item < s.items; item += gridDim.x) {
        const uint64_t each = shared ? s.blocks : s.chunks, index = shared ? item : item * s.warps + w;
        const uint64_t line = s.lines == 1 ? 0 : index / each, place = index - line * each;
        const uint64_t step = shared ? s.blocks * s.warps : s.chunks;
        if (shared && t == 0)
            for (int c = 0; c < channels; c++) {
                const struct gf_partial none_yet = gf_partial_empty();
                gf_partial_store(want, shared_partials[c], warps, w, &none_yet);
            }
        for (uint64_t number = shared ? place * s.warps + w : place; line < s.lines && number < s.chunks;
             number += step) {
            struct gf_partial made[channels];
            parts_of_pixels<T, want>(s, chunk_at(s, line * s.pitch, number), number * s.span, made);
            if (t != 0)
                continue;
#pragma unroll
            for (int c = 0; c < channels; c++) {
                if (shared) {
                    const struct gf_partial before = gf_partial_load(want, shared_partials[c], warps, w);
                    gf_partial_join(want, false, &made[c], &before);
                    gf_partial_store(want, shared_partials[c], warps, w, &made[c]);
                } else {
                    gf_partial_store(want, s.partials, s.chunks * s.lines * channels,
                                     (line * channels + c) * s.chunks + number, &made[c]);
                }
            }
        }
        if (!shared)
            continue;
        gf_sync_block();
        for (uint32_t c = w; c < channels; c += s.warps)
            join_block<want>(s, line * channels + c, place, shared_partials[c]);
        gf_sync_block();
    }
}

/* Along rows; also by segments, where the set allows segment_blocks resident blocks. */
template <class T, unsigned want>
__global__ void __launch_bounds__(threads, chunk_blocks<T, want>)
    chunks_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    constexpr bool may_be_segments = has_segments<want> && chunk_blocks<T, want> >= segment_blocks;
    __shared__ uint64_t shared_partials[gf_partial_words(want) * warps];
    reduce_chunks<T, want, may_be_segments, is_held<T, want>>(s, shared_partials);
}

/* By segments, for the remaining sets, which share a kernel. */
template <class T, unsigned... sets>
__global__ void __launch_bounds__(threads, segment_blocks)
    segments_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    with_set<sets...>(s.r.want, [&](auto set) {
        constexpr unsigned want = set_of<decltype(set)>;
        if constexpr (has_segments<want> && chunk_blocks<T, want> < segment_blocks)
            reduce_chunks<T, want, true, false>(s, nullptr);
    });
}

template <class T, unsigned want, unsigned... sets> void launch(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const unsigned blocks = gf_cuda_grid(s->items), block_threads = s->warps * warp;
    if constexpr (is_short<element_of<T, want>>) {
        if (s->pixels && s->channels == 2)
            pixels_kernel<T, want, 2><<<blocks, block_threads, 0, stream>>>(*s);
        else if constexpr (!std::is_signed_v<T>) {
            if (s->pixels && s->channels == 3)
                pixels_kernel<T, want, 3><<<blocks, block_threads, 0, stream>>>(*s);
            else if (s->pixels)
                pixels_kernel<T, want, 4><<<blocks, block_threads, 0, stream>>>(*s);
        }
        if (s->pixels)
            return;
    }
    if constexpr (has_segments<want> && chunk_blocks<T, want> < segment_blocks)
        if (s->cut.n > 0) {
            segments_kernel<T, sets...><<<blocks, block_threads, 0, stream>>>(*s);
            return;
        }
    chunks_kernel<T, want><<<blocks, block_threads, 0, stream>>>(*s);
}

template <class T, unsigned... sets> cudaError_t launch_one_of(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const bool found =
        with_set<sets...>(s->r.want, [&](auto set) { launch<T, set_of<decltype(set)>, sets...>(s, stream); });
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace gf_reduction_kernels

#endif
