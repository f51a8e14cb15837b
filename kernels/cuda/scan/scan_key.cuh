/* SPDX-License-Identifier: MIT */
/*
 * Running minima and maxima are computed with keys: signed integers that sort like the values, complemented for minima,
 * so that the greatest key wins. This file makes the keys of floats: NaN has the greatest key, and -0 sorts before +0.
 * Included by scan_args.cuh and scan_op.cuh.
 */
#ifndef GF_CUDA_SCAN_KEY_CUH
#define GF_CUDA_SCAN_KEY_CUH

#include <cstdint>
#include <string.h>

namespace gf
{

template <class V> constexpr V highest_key = static_cast<V>(UINT64_MAX >> (65 - 8 * sizeof(V)));

/* Maps the bits of a float to an integer that sorts like the float, and back. */
template <class V> __host__ __device__ __forceinline__ V order_bits(V bits)
{
    return bits ^ ((bits >> (8 * sizeof(V) - 1)) & highest_key<V>);
}

/* Returns the key of a float in V, i32 or i64, which must have at least as many bits. `turned` is -1 for minima,
 * otherwise 0. */
template <class V, class T> __host__ __device__ __forceinline__ V key_of(T x, V turned)
{
    if constexpr (sizeof(T) < sizeof(V)) {
        return key_of<V>(static_cast<double>(x), turned);
    } else {
        V bits;
        memcpy(&bits, &x, sizeof(x));
        return x == x ? order_bits(bits) ^ turned : highest_key<V>;
    }
}

/* Returns the value of a key. NaN may have any payload. */
template <class T, class V> __host__ __device__ __forceinline__ T value_of_key(V key, V turned)
{
    if constexpr (sizeof(T) < sizeof(V)) {
        return static_cast<T>(value_of_key<double>(key, turned));
    } else {
        const V bits = order_bits(static_cast<V>(key ^ turned));
        T x;
        memcpy(&x, &bits, sizeof(x));
        return x;
    }
}

} // namespace gf

#endif
