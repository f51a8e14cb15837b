/* SPDX-License-Identifier: MIT */
/*
 * Keys: unsigned numbers of the size of the samples that compare as the samples do, with -0 below +0. Extremes are
 * found and stored as keys. Included by extremes.cu and autocontrast.cu.
 */
#ifndef GF_CUDA_SAMPLE_KEYS_CUH
#define GF_CUDA_SAMPLE_KEYS_CUH

#include "kernels/cuda/step/samples.cuh"

namespace gf
{

template <class T>
using Key = std::conditional_t<
    sizeof(T) == 8, unsigned long long,
    std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

/* The key of an integer is its bits, with the sign bit inverted if the type is signed. */
template <class T> constexpr Key<T> sign_bit = static_cast<Key<T>>(Key<T>{1} << (8 * sizeof(T) - 1));
template <class T> constexpr Key<T> key_flip = static_cast<T>(-1) < static_cast<T>(0) ? sign_bit<T> : Key<T>{0};

template <class T>
__device__ __forceinline__ std::enable_if_t<std::is_unsigned_v<T>, Key<T>> key_of(T bits, unsigned long long flip)
{
    return static_cast<Key<T>>(bits ^ flip);
}

/* The key of a float is its bits: all of them inverted if it is negative, otherwise the sign bit inverted. */
__device__ __forceinline__ uint32_t key_of(float v, unsigned long long)
{
    const uint32_t bits = __float_as_uint(v);
    return (bits & sign_bit<float>) != 0 ? ~bits : bits | sign_bit<float>;
}
__device__ __forceinline__ unsigned long long key_of(double v, unsigned long long)
{
    const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(v));
    return (bits & sign_bit<double>) != 0 ? ~bits : bits | sign_bit<double>;
}

/* The nearest f64 at or below (at or above) the sample of a key. */
template <class T> __device__ __forceinline__ double below_key(T, Key<T> key)
{
    const T v = static_cast<T>(key ^ key_flip<T>);
    if constexpr (sizeof(T) < 8)
        return static_cast<double>(v);
    else
        return key_flip<T> == 0 ? __ull2double_rd(v) : __ll2double_rd(v);
}
template <class T> __device__ __forceinline__ double above_key(T, Key<T> key)
{
    const T v = static_cast<T>(key ^ key_flip<T>);
    if constexpr (sizeof(T) < 8)
        return static_cast<double>(v);
    else
        return key_flip<T> == 0 ? __ull2double_ru(v) : __ll2double_ru(v);
}
__device__ __forceinline__ double below_key(float, uint32_t key)
{
    return static_cast<double>(__uint_as_float((key & sign_bit<float>) != 0 ? key ^ sign_bit<float> : ~key));
}
__device__ __forceinline__ double above_key(float tag, uint32_t key)
{
    return below_key(tag, key);
}
__device__ __forceinline__ double below_key(double, unsigned long long key)
{
    return __longlong_as_double(static_cast<long long>((key & sign_bit<double>) != 0 ? key ^ sign_bit<double> : ~key));
}
__device__ __forceinline__ double above_key(double tag, unsigned long long key)
{
    return below_key(tag, key);
}

/* The extremes of a plane (samples.h), decoded. */
struct Range {
    bool any, nan;
    double lo, hi;
};

template <class T> __device__ __forceinline__ Range range_of(T tag, const uint64_t *extremes)
{
    const Key<T> lo = static_cast<Key<T>>(~extremes[0]), hi = static_cast<Key<T>>(extremes[1]);
    Range range = {lo <= hi, extremes[2] != 0, 0.0, 0.0};
    if (range.any) {
        range.lo = below_key(tag, lo);
        range.hi = above_key(tag, hi);
    }
    return range;
}

} // namespace gf

#endif
