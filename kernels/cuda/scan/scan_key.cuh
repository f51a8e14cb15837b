/* SPDX-License-Identifier: MIT */
/*
 * Running minima and maxima are computed with keys: signed integers in the order of the values, for minima turned
 * round, so that the greatest key wins. Of floats, here, NaN has the greatest of all, and -0 comes before +0. Included
 * by scan_args.cuh and scan_op.cuh.
 */
#ifndef GF_CUDA_SCAN_KEY_CUH
#define GF_CUDA_SCAN_KEY_CUH

#include <cstdint>
#include <string.h>

namespace gf
{

template <class V> constexpr V highest_key = static_cast<V>(UINT64_MAX >> (65 - 8 * sizeof(V)));

/* Bits of a float in its order, and back. */
template <class V> __host__ __device__ __forceinline__ V order_bits(V bits)
{
    return bits ^ ((bits >> (8 * sizeof(V) - 1)) & highest_key<V>);
}

/* The key of a float in V, i32 or i64, which has at least as many bits; `turned` is -1 for minima, else 0. */
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

/* The value that has this key; NaN of any form. */
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
