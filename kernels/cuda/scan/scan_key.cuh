/* SPDX-License-Identifier: MIT */
/*
 * Running minima and maxima are computed with keys: signed integers in the order of the values, for minima turned
 * round, so that the greatest key wins. NaN has the greatest of all, -0 comes before +0. Included by scan_lines.cuh.
 */
#ifndef GF_CUDA_SCAN_KEY_CUH
#define GF_CUDA_SCAN_KEY_CUH

#include <cstdint>
#include <string.h>
#include <type_traits>

namespace gf
{

template <class V> constexpr V highest_key = static_cast<V>(UINT64_MAX >> (65 - 8 * sizeof(V)));
template <class V> constexpr V lowest_key = -highest_key<V> - 1;

/* Bits of a float in its order, and back. */
template <class V> __host__ __device__ __forceinline__ V order_bits(V bits)
{
    return bits ^ ((bits >> (8 * sizeof(V) - 1)) & highest_key<V>);
}

/* The key of x in V, i32 or i64, which has at least as many bits; `turned` is -1 for minima, else 0. */
template <class V, class T> __host__ __device__ __forceinline__ V key_of(T x, V turned)
{
    if constexpr (std::is_same_v<T, float> && sizeof(V) == sizeof(double)) {
        return key_of<V>(static_cast<double>(x), turned);
    } else if constexpr (std::is_floating_point_v<T>) {
        V bits;
        memcpy(&bits, &x, sizeof(x));
        return x == x ? order_bits(bits) ^ turned : highest_key<V>;
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(V)) {
        return static_cast<V>(x) ^ lowest_key<V> ^ turned;
    } else {
        return static_cast<V>(x) ^ turned;
    }
}

/* The value that has this key; NaN of any form. */
template <class T, class V> __host__ __device__ __forceinline__ T value_of_key(V key, V turned)
{
    key ^= turned;
    if constexpr (std::is_same_v<T, float> && sizeof(V) == sizeof(double)) {
        return static_cast<float>(value_of_key<double>(key, V{0}));
    } else if constexpr (std::is_floating_point_v<T>) {
        const V bits = order_bits(key);
        T x;
        memcpy(&x, &bits, sizeof(x));
        return x;
    } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(V)) {
        return static_cast<T>(key ^ lowest_key<V>);
    } else {
        return static_cast<T>(key);
    }
}

} // namespace gf

#endif
