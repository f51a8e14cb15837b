/* SPDX-License-Identifier: MIT */
/*
 * Elements of 8 and 16 bits, loaded in 16-byte vectors and processed four or two per instruction. A thread meets at
 * most 128 words of a chunk, so that an extreme and its position fit one number. Included by reduction_pixels.cuh.
 */
#ifndef GF_CUDA_REDUCTION_WORDS_CUH
#define GF_CUDA_REDUCTION_WORDS_CUH

#include "reduction_gather.cuh"

namespace gf_reduction_kernels
{

constexpr uint32_t no_key = UINT32_MAX;
constexpr int offset_bits = 14; /* enough for GF_CUDA_SHORT_BYTES */

/* Returns a key that sorts by value, then by offset. For maxima, `value` must be complemented. */
__device__ __forceinline__ uint32_t short_key(uint32_t value, uint32_t offset)
{
    return value << offset_bits | offset;
}

template <class T, unsigned want> struct words {
    static constexpr bool bytes = sizeof(T) == 1;
    static constexpr uint32_t signs = bytes ? 0x80808080u : 0x80008000u;
    static constexpr uint32_t ones = bytes ? 0x01010101u : 0x00010001u;
    static constexpr uint32_t per_vector = 16 / sizeof(T);
    static constexpr uint32_t value_mask = bytes ? 0xFFu : 0xFFFFu;
    uint32_t low, high; /* for bytes two halves of value and position; for 16 bits one */
    uint32_t sum, abs, nonzero, small_squares;
    uint64_t squares;
    uint32_t step; /* words met, times two */
    struct factors times;
    uint32_t minus; /* sign bits, combined by XOR */

    __device__ __forceinline__ void init()
    {
        low = high = UINT32_MAX;
        sum = abs = nonzero = small_squares = 0;
        squares = 0;
        step = minus = 0;
        times.init();
    }

    /* Returns the minimum of the values so far and the word's values, with its position. */
    static __device__ __forceinline__ uint32_t min_of(uint32_t before, uint32_t w, uint32_t step)
    {
        if constexpr (bytes) {
            const uint32_t at = step * 0x00010001u;
            return __vimin3_u16x2(before, (w << 8 & 0xFF00FF00u) | at, (w & 0xFF00FF00u) | (at + 0x00010001u));
        } else {
            return __vimin3_u32(before, w << 16 | step, (w & 0xFFFF0000u) | (step + 1));
        }
    }

    static __device__ __forceinline__ uint32_t magnitudes(uint32_t w)
    {
        if constexpr (!std::is_signed_v<T>)
            return w;
        const uint32_t minus = w >> (sizeof(T) * 8 - 1) & ones;
        return (w ^ minus * value_mask) + minus;
    }

    static __device__ __forceinline__ uint32_t add_up(uint32_t w, uint32_t before)
    {
        if constexpr (bytes)
            return __dp4a(w, 0x01010101u, before);
        else
            return __dp2a_lo(w, 0x00000101u, before);
    }

    static __device__ __forceinline__ uint32_t add_up_signed(uint32_t w, uint32_t before)
    {
        const int32_t v = static_cast<int32_t>(w), b = static_cast<int32_t>(before);
        if constexpr (bytes)
            return static_cast<uint32_t>(__dp4a(v, 0x01010101, b));
        else
            return static_cast<uint32_t>(__dp2a_lo(v, 0x00000101, b));
    }

    static __device__ __forceinline__ uint32_t product_of(uint32_t m)
    {
        if constexpr (bytes)
            return ((m & 0xFF) * (m >> 8 & 0xFF)) * ((m >> 16 & 0xFF) * (m >> 24));
        else
            return (m & 0xFFFF) * (m >> 16);
    }

    __device__ __forceinline__ void add(uint32_t w)
    {
        if constexpr ((want & GF_WANT_EXTREMES) != 0) {
            const uint32_t x = std::is_signed_v<T> ? w ^ signs : w;
            low = min_of(low, x, step);
            high = min_of(high, ~x, step);
            step += 2;
        }
        if constexpr ((want & GF_WANT_SUM) != 0)
            sum = std::is_signed_v<T> ? add_up_signed(w, sum) : add_up(w, sum);
        if constexpr ((want & GF_WANT_ABS) != 0)
            abs = add_up(magnitudes(w), abs);
        if constexpr ((want & GF_WANT_NONZERO) != 0)
            nonzero += static_cast<uint32_t>(__popc((((w & ~signs) + ~signs) | w) & signs));
        if constexpr ((want & GF_WANT_SQUARES) != 0) {
            const uint32_t m = magnitudes(w);
            if constexpr (bytes)
                small_squares = __dp4a(m, m, small_squares);
            else
                squares +=
                    static_cast<uint64_t>(m & 0xFFFF) * (m & 0xFFFF) + static_cast<uint64_t>(m >> 16) * (m >> 16);
        }
        if constexpr ((want & GF_WANT_PRODUCT) != 0) {
            times.times(product_of(magnitudes(w)));
            minus ^= w;
        }
    }

    __device__ __forceinline__ void add(const uint4 &v)
    {
        add(v.x);
        add(v.y);
        add(v.z);
        add(v.w);
    }

    __device__ __forceinline__ bool is_negative() const
    {
        return std::is_signed_v<T> && (__popc(minus & signs) & 1) != 0;
    }

    /* Converts the output of min_of to a key. */
    static __device__ __forceinline__ uint32_t key_at(uint32_t found)
    {
        const uint32_t thread = threadIdx.x % warp;
        uint32_t best = no_key;
        if (found == UINT32_MAX)
            return best; /* nothing was met: steps end before UINT32_MAX */
#pragma unroll
        for (uint32_t half = 0; half < (bytes ? 2u : 1u); half++) {
            const uint32_t code = bytes ? found >> (16 * half) & 0xFFu : found & 0xFFFFu;
            const uint32_t value = bytes ? found >> (16 * half + 8) & 0xFFu : found >> 16;
            const uint32_t word = code >> 1, in_word = bytes ? 2 * half + (code & 1) : code & 1;
            const uint32_t offset = (word / 4 * warp + thread) * per_vector + word % 4 * (4 / sizeof(T)) + in_word;
            const uint32_t key = short_key(value, offset);
            best = key < best ? key : best;
        }
        return best;
    }
};

/* Adds the elements of a chunk of adjacent elements from an aligned address on. Returns their number: all but a partial
 * vector. */
template <class T, unsigned want>
__device__ __forceinline__ uint32_t each_word(const char *a, uint32_t n, words<T, want> *q)
{
    constexpr uint32_t batch = 8;
    const uint4 *from = reinterpret_cast<const uint4 *>(a);
    const uint32_t thread = threadIdx.x % warp, vectors = n / words<T, want>::per_vector;
    uint32_t at = thread;
    for (; at + (batch - 1) * warp < vectors; at += batch * warp) {
        uint4 v[batch];
#pragma unroll
        for (uint32_t k = 0; k < batch; k++)
            v[k] = from[at + k * warp];
#pragma unroll
        for (uint32_t k = 0; k < batch; k++)
            q->add(v[k]);
    }
    for (; at < vectors; at += warp)
        q->add(from[at]);
    return vectors * words<T, want>::per_vector;
}

} // namespace gf_reduction_kernels

#endif
