/* SPDX-License-Identifier: MIT */
/*
 * Words of two samples of 16 bits, or of one f32, in the order of docs/numerics.md 18, and the end of a row of them.
 * Shared by rank_median3.cu and rank_median5.cu.
 *
 * Samples are as they are stored, but for these: a byte stands twice in its half, which keeps its order, an f16 is its
 * key of rank_keys.cuh, and where sums are taken a NaN is the one that minima and maxima give. The order of f32 is that
 * of `min` and `max.NaN` of PTX: of a number and NaN the first gives the number and the second NaN, -0 is below +0, and
 * denormals stay.
 */
#ifndef GF_CUDA_RANK_PAIRS_CUH
#define GF_CUDA_RANK_PAIRS_CUH

#include <cstdint>
#include <type_traits>

#include "rank_keys.cuh"

namespace gf
{

template <class T> constexpr bool is_pair = sizeof(T) < 4;

/* All bits of those halves whose highest bit is set. */
__device__ __forceinline__ uint32_t halves_of_signs(uint32_t w)
{
    return (w >> 15 & 0x00010001u) * 0xFFFFu;
}

__device__ __forceinline__ float least_float(float a, float b)
{
    float v;
    asm("min.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}

__device__ __forceinline__ float greatest_float(float a, float b)
{
    float v;
#if __CUDA_ARCH__ >= 800
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
#else
    asm("max.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    v = a != a || b != b ? __uint_as_float(0x7FFFFFFFu) : v;
#endif
    return v;
}

/* A word of stored samples, of bytes that stand twice already, to one that has the order; and a median back. */
template <class T> __device__ __forceinline__ uint32_t ordered(uint32_t w)
{
    if constexpr (std::is_same_v<T, __half>) {
        /* A magnitude beyond 0x7C00, which is a NaN, plus 0x03FF reaches the highest bit, and never the next. */
        const uint32_t nan = halves_of_signs((w & 0x7FFF7FFFu) + 0x03FF03FFu);
        return ((w ^ (halves_of_signs(w) | 0x80008000u)) & ~nan) | (0xFE00FE00u & nan);
    }
    if constexpr (std::is_same_v<T, float>) /* any NaN as the one that these give, so that sums can be taken */
        return __float_as_uint(greatest_float(__uint_as_float(w), __uint_as_float(0xFF800000u)));
    return w;
}

/* A NaN that minima and maxima of f32 give is 0x7FFFFFFF, which is above the canonical one as an integer. */
template <class T> __device__ __forceinline__ uint32_t stored(uint32_t w)
{
    if constexpr (std::is_same_v<T, __half>)
        return w ^ (halves_of_signs(~w) | 0x80008000u);
    if constexpr (std::is_same_v<T, float>)
        return static_cast<uint32_t>(min(static_cast<int>(w), 0x7FC00000));
    return w;
}

/* The bits of a sample in the low half of a word, or in all of it. */
template <class T> __device__ __forceinline__ uint32_t bits_of(T v)
{
    if constexpr (std::is_same_v<T, float>)
        return __float_as_uint(v);
    else if constexpr (std::is_same_v<T, __half>)
        return __half_as_ushort(v);
    else
        return static_cast<std::make_unsigned_t<T>>(v);
}

/* The word of two samples' bits, of f32 of those of the first one. */
template <class T> __device__ __forceinline__ uint32_t word_of(uint32_t low, uint32_t high)
{
    return ordered<T>(is_pair<T> ? (low | high << 16) * (sizeof(T) == 1 ? 0x0101u : 1u) : low);
}

/* The bits of the constant border of a channel. */
template <class T> __device__ __forceinline__ uint32_t outside_bits(const struct gf_cuda_ranking &r, int c)
{
    return bits_of(of_key(T{}, r.outside[c]));
}

/* The less and the greater of two words, of each sample. */
template <class T> __device__ __forceinline__ uint32_t least(uint32_t a, uint32_t b)
{
    if constexpr (std::is_same_v<T, float>)
        return __float_as_uint(least_float(__uint_as_float(a), __uint_as_float(b)));
    else
        return std::is_same_v<T, int16_t> ? __vmins2(a, b) : __vminu2(a, b);
}

template <class T> __device__ __forceinline__ uint32_t greatest(uint32_t a, uint32_t b)
{
    if constexpr (std::is_same_v<T, float>)
        return __float_as_uint(greatest_float(__uint_as_float(a), __uint_as_float(b)));
    else
        return std::is_same_v<T, int16_t> ? __vmaxs2(a, b) : __vmaxu2(a, b);
}

/*
 * a * b + c. Networks take the last of two or three words as their sum without the others: carries between the halves
 * cancel. Where b is `one`, a 1 that the compiler does not know, or its negative, that addition is done by the units
 * that multiply; else the compiler may give it to those that compare, which go at half the rate and have enough to do.
 */
__device__ __forceinline__ uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t v;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(c));
    return v;
}

/* Stores the first `left` samples of words: those before a row's end. */
template <class T, int n> __device__ __forceinline__ void store_end(void *to, const uint32_t (&w)[n], int left)
{
    constexpr int bytes = sizeof(T);
#pragma unroll
    for (int j = 0; j < n * 4 / bytes; j++) {
        const uint32_t v = w[j * bytes / 4] >> j * bytes % 4 * 8;
        if (j >= left)
            break;
        if (bytes == 4)
            static_cast<uint32_t *>(to)[j] = v;
        else if (bytes == 2)
            static_cast<uint16_t *>(to)[j] = static_cast<uint16_t>(v);
        else
            static_cast<uint8_t *>(to)[j] = static_cast<uint8_t>(v);
    }
}

} // namespace gf

#endif
