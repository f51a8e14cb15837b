/* SPDX-License-Identifier: MIT */
/*
 * Words that hold two 16-bit samples or one f32, in the order of docs/numerics.md, "median, rank, percentile", and the
 * store at the end of a row. Shared by rank_median3.cu and rank_median5.cu.
 *
 * Samples are used as stored, with three exceptions: a byte is duplicated in its half, which keeps its order; an f16 is
 * replaced by its key of rank_keys.cuh; and a NaN is replaced by the NaN of min and max where sums are taken. The order
 * of f32 is that of least_float() and greatest_float().
 */
#ifndef GF_CUDA_RANK_PAIRS_CUH
#define GF_CUDA_RANK_PAIRS_CUH

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/device/extremes.cuh"
#include "rank_keys.cuh"

namespace gf
{

template <class T> constexpr bool is_pair = sizeof(T) < 4;

/* Sets all bits of the halves whose highest bit is set, and clears the other halves. */
__device__ __forceinline__ uint32_t halves_of_signs(uint32_t w)
{
    return (w >> 15 & 0x00010001u) * 0xFFFFu;
}

/* Converts a word of stored samples, bytes already duplicated, to a word that sorts; stored() converts a median
 * back. */
template <class T> __device__ __forceinline__ uint32_t ordered(uint32_t w)
{
    if constexpr (std::is_same_v<T, __half>) {
        /* A magnitude above 0x7C00 is a NaN. Plus 0x03FF it reaches the highest bit of its half and never the next
         * half. */
        const uint32_t nan = halves_of_signs((w & 0x7FFF7FFFu) + 0x03FF03FFu);
        return ((w ^ (halves_of_signs(w) | 0x80008000u)) & ~nan) | (0xFE00FE00u & nan);
    }
    if constexpr (std::is_same_v<T, float>) /* any NaN becomes that of max.NaN, so that sums can be taken */
        return __float_as_uint(greatest_float(__uint_as_float(w), __uint_as_float(0xFF800000u)));
    return w;
}

/* The NaN of min and max of f32 is 0x7FFFFFFF, as an integer above the canonical NaN. */
template <class T> __device__ __forceinline__ uint32_t stored(uint32_t w)
{
    if constexpr (std::is_same_v<T, __half>)
        return w ^ (halves_of_signs(~w) | 0x80008000u);
    if constexpr (std::is_same_v<T, float>)
        return static_cast<uint32_t>(min(static_cast<int>(w), 0x7FC00000));
    return w;
}

/* Returns the bits of a sample in the low half of a word, or for f32 in the whole word. */
template <class T> __device__ __forceinline__ uint32_t bits_of(T v)
{
    if constexpr (std::is_same_v<T, float>)
        return __float_as_uint(v);
    else if constexpr (std::is_same_v<T, __half>)
        return __half_as_ushort(v);
    else
        return static_cast<std::make_unsigned_t<T>>(v);
}

/* Returns the word of the bits of two samples; for f32, of the first. */
template <class T> __device__ __forceinline__ uint32_t word_of(uint32_t low, uint32_t high)
{
    return ordered<T>(is_pair<T> ? (low | high << 16) * (sizeof(T) == 1 ? 0x0101u : 1u) : low);
}

/* Returns the bits of the constant border of a channel. */
template <class T> __device__ __forceinline__ uint32_t outside_bits(const struct gf_cuda_ranking &r, int c)
{
    return bits_of(of_key(T{}, r.outside[c]));
}

/* The minimum and the maximum of two words, per sample. */
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
 * Returns a * b + c. Networks compute the last of two or three words as their sum minus the others: carries between the
 * halves cancel. With b = `one`, a 1 that the compiler cannot see, or -`one`, the addition runs on the multiply-add
 * units. Otherwise the compiler may place it on the units that compare, which run at half the rate and are the
 * bottleneck.
 */
__device__ __forceinline__ uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t v;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(c));
    return v;
}

/* Stores the first `left` samples of words, at the end of a row. */
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
