/* SPDX-License-Identifier: MIT */
/*
 * Partials of chunks of 8-bit and 16-bit elements: of one channel, or of all channels at once, where the words of
 * pixels are rearranged to words of a single channel. Included by reduction.cuh and reduction_by_block.cuh.
 */
#ifndef GF_CUDA_REDUCTION_PIXELS_CUH
#define GF_CUDA_REDUCTION_PIXELS_CUH

#include "kernels/cuda/device/warp_reduce.cuh"
#include "reduction_words.cuh"

namespace gf_reduction_kernels
{

/* Joins the extremes of a warp of 1-byte or 2-byte elements, from keys. */
template <class T>
__device__ __forceinline__ void join_short_extremes(uint32_t low, uint32_t high, uint64_t at, struct gf_partial *p)
{
    constexpr int64_t bias = extremes<T>::lowest_key, highest = extremes<T>::highest_key;
    low = gf_warp_min(low);
    high = gf_warp_min(high);
    p->min_key = highest;
    p->max_key = bias;
    p->argmin = p->argmax = GF_NO_INDEX;
    if (low == no_key)
        return;
    p->min_key = static_cast<int64_t>(low >> offset_bits) + bias;
    p->max_key = highest - static_cast<int64_t>(high >> offset_bits);
    p->argmin = at + low % (1u << offset_bits);
    p->argmax = at + high % (1u << offset_bits);
}

/* Joins the elements of a chunk that were added one by one and in words; thread 0 has the partial. */
template <class T, unsigned want>
__device__ __forceinline__ struct gf_partial finish_short(const gathered<T, want, quad> &g, const words<T, want> &q,
                                                          uint64_t at)
{
    uint32_t low = q.key_at(q.low), high = q.key_at(q.high);
    const struct extremes<T> &ends = g.ends;
    if (ends.argmin != none) {
        const uint32_t key = short_key(static_cast<uint32_t>(ends.min_key - ends.lowest_key), ends.argmin);
        const uint32_t other = short_key(static_cast<uint32_t>(ends.highest_key - ends.max_key), ends.argmax);
        low = key < low ? key : low;
        high = other < high ? other : high;
    }
    struct gf_partial p = g.exact(at);
    if constexpr ((want & GF_WANT_PRODUCT) != 0) {
        struct factors all = g.product_of_lanes();
        all.times(q.times);
        all.join_warp(g.is_negative() != q.is_negative(), &p);
    }
    p.squares += q.squares + q.small_squares;
    join_warp<want & GF_WANT_SQUARES>(false, &p);
    if constexpr ((want & GF_WANT_EXTREMES) != 0)
        join_short_extremes<T>(low, high, at, &p);
    if constexpr ((want & GF_WANT_SUM) != 0)
        p.sum = static_cast<int32_t>(gf_warp_sum(static_cast<uint32_t>(g.int_sum) + q.sum));
    if constexpr ((want & GF_WANT_ABS) != 0)
        p.abs = gf_warp_sum(g.int_abs + q.abs);
    if constexpr ((want & GF_WANT_NONZERO) != 0)
        p.nonzero = gf_warp_sum(g.nonzero + q.nonzero);
    return p;
}

template <class T, unsigned want>
__device__ __forceinline__ struct gf_partial partial_of_short(const struct gf_cuda_sequences &s, const struct chunk &c,
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
    if (together) {
        const uint32_t done = each_word<T, want>(a, c.n, &q);
        if (done + thread < c.n)
            g.add(0, load<T>(a + (done + thread) * sizeof(T)), T(0), done + thread, false);
        g.settle(done + thread, done + thread < c.n);
    } else {
        each<T, false>(s, c, [&](int j, T v, T, uint32_t offset) { g.add(j, v, T(0), offset, false); });
        g.settle(thread * quad, thread * quad < c.n);
    }
    return finish_short<T, want>(g, q, at);
}

/* Returns a word of one channel from `channels` adjacent words of pixels. */
template <class T, int channels>
__device__ __forceinline__ uint32_t word_of_channel(const uint32_t *pixels, int channel)
{
    uint32_t word = 0;
#pragma unroll
    for (int k = 1; k < channels; k++) {
        uint32_t choice = 0; /* per byte: a byte of the word so far (of word 0 where k is 1), or a byte of word k */
#pragma unroll
        for (int b = 0; b < 4; b++) {
            const int size = static_cast<int>(sizeof(T)), from = (b / size * channels + channel) * size + b % size;
            const int kept = k == 1 ? from % 4 : b;
            choice |= static_cast<uint32_t>(from / 4 == k ? 4 + from % 4 : kept) << (4 * b);
        }
        word = __byte_perm(k == 1 ? pixels[0] : word, pixels[k], choice);
    }
    return word;
}

/* Reduces a chunk of pixels to a partial per channel, in thread 0. */
template <class T, unsigned want, int channels>
__device__ __forceinline__ void parts_of_pixels(const struct gf_cuda_sequences &s, const struct chunk &c, uint64_t at,
                                                struct gf_partial (&ret)[channels])
{
    constexpr uint32_t per_vector = words<T, want>::per_vector;
    const char *a = c.a + c.y * s.pitch + c.x * channels * sizeof(T);
    if (c.x + c.n > s.width || reinterpret_cast<uintptr_t>(a) % sizeof(uint4) != 0) {
        for (int k = 0; k < channels; k++) {
            struct chunk one = c;
            one.a += k * sizeof(T);
            ret[k] = partial_of_short<T, want>(s, one, at);
        }
        return;
    }
    const uint32_t thread = threadIdx.x % warp, vectors = c.n / per_vector, left = vectors * per_vector + thread;
    words<T, want> q[channels];
#pragma unroll
    for (int k = 0; k < channels; k++)
        q[k].init();
#pragma unroll 2
    for (uint32_t v = thread; v < vectors; v += warp) {
        const uint4 *from = reinterpret_cast<const uint4 *>(a) + v * channels;
        uint32_t w[4 * channels];
#pragma unroll
        for (int k = 0; k < channels; k++) {
            const uint4 four_words = from[k];
            w[4 * k] = four_words.x;
            w[4 * k + 1] = four_words.y;
            w[4 * k + 2] = four_words.z;
            w[4 * k + 3] = four_words.w;
        }
#pragma unroll
        for (int k = 0; k < channels; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                q[k].add(word_of_channel<T, channels>(w + i * channels, k));
    }
#pragma unroll
    for (int k = 0; k < channels; k++) {
        gathered<T, want, quad> g;
        g.init(0);
        if (left < c.n)
            g.add(0, load<T>(a + (left * channels + k) * sizeof(T)), T(0), left, false);
        g.settle(left, left < c.n);
        ret[k] = finish_short<T, want>(g, q[k], at);
    }
}

} // namespace gf_reduction_kernels

#endif
