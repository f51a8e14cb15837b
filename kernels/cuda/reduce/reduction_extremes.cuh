/* SPDX-License-Identifier: MIT */
/*
 * The minimum and maximum of a thread's elements and of a warp's, each with its first index (docs/numerics.md,
 * "reduce"). Elements are compared as keys: integers that sort like the elements. Included by reduction_gather.cuh.
 */
#ifndef GF_CUDA_REDUCTION_EXTREMES_CUH
#define GF_CUDA_REDUCTION_EXTREMES_CUH

#include <limits>

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "reduction_chunk.cuh"

namespace gf_reduction_kernels
{

template <class T>
using key_of =
    std::conditional_t<std::is_same_v<T, float>, int32_t, std::conditional_t<std::is_same_v<T, double>, int64_t, T>>;

template <class T> __device__ __forceinline__ key_of<T> order(T x)
{
    if constexpr (std::is_same_v<T, float>)
        return gf_key_f32(x);
    else if constexpr (std::is_same_v<T, double>)
        return gf_key_f64(x);
    else
        return x;
}

/* Makes both zeros equal, for the search of an index. */
template <class T> __device__ __forceinline__ key_of<T> canonical(key_of<T> key)
{
    if constexpr (is_real<T>)
        return key == -1 ? 0 : key;
    else
        return key;
}

/* Converts a key to its form in partials. */
template <class T> __device__ __forceinline__ int64_t key_of_element(key_of<T> key)
{
    if constexpr (std::is_same_v<T, uint64_t>)
        return gf_key_u64(key);
    else
        return static_cast<int64_t>(key);
}

/* Converts the form in partials to a key. */
template <class T> __device__ __forceinline__ key_of<T> element_of_key(int64_t key)
{
    if constexpr (std::is_same_v<T, uint64_t>)
        return static_cast<uint64_t>(gf_key_u64(static_cast<uint64_t>(key)));
    else
        return static_cast<key_of<T>>(key);
}

/* Returns a word with the sign of a float. */
__device__ __forceinline__ int32_t sign_word(float x)
{
    return __float_as_int(x);
}

__device__ __forceinline__ int32_t sign_word(double x)
{
    return __double2hiint(x);
}

/* Returns the minimum of a warp in all threads: first of the upper halves, then of the lower halves among the threads
 * with that upper half. */
__device__ __forceinline__ int64_t min_of_warp(int64_t v)
{
    const int32_t upper = static_cast<int32_t>(v >> 32), min_key = gf_warp_min(upper);
    const uint32_t lower = gf_warp_min(upper == min_key ? static_cast<uint32_t>(v) : UINT32_MAX);
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(min_key)) << 32 | lower);
}

/* Offsets count from the start of the chunk and must come in ascending order. Integers, and floats among which there
 * may be NaN, are compared as keys at once. Otherwise floats are compared as floats; the signs met decide afterwards
 * which zero is the extreme. */
template <class T> struct extremes {
    static constexpr key_of<T> lowest_key = std::numeric_limits<key_of<T>>::lowest();
    static constexpr key_of<T> highest_key = std::numeric_limits<key_of<T>>::max();
    static constexpr T infinite = std::numeric_limits<T>::infinity(); /* floats only */
    key_of<T> min_key, max_key, min_canonical, max_canonical;
    uint32_t argmin, argmax;
    T low, high; /* of add_quick */
    int32_t any_sign, all_signs;

    __device__ __forceinline__ void init()
    {
        min_key = min_canonical = highest_key;
        max_key = max_canonical = lowest_key;
        argmin = argmax = none;
        low = infinite;
        high = static_cast<T>(-infinite);
        any_sign = 0;
        all_signs = -1;
    }

    /* Adds an element that is not NaN. */
    __device__ __forceinline__ void add(T v, uint32_t offset)
    {
        const key_of<T> key = order(v), c = canonical<T>(key);
        min_key = key < min_key ? key : min_key;
        max_key = key > max_key ? key : max_key;
        if (c < min_canonical) {
            min_canonical = c;
            argmin = offset;
        }
        if (c > max_canonical) {
            max_canonical = c;
            argmax = offset;
        }
    }

    __device__ __forceinline__ void add_quick(T v, uint32_t offset)
    {
        argmin = v < low ? offset : argmin;
        low = v < low ? v : low;
        argmax = v > high ? offset : argmax;
        high = v > high ? v : high;
        any_sign |= sign_word(v);
        all_signs &= sign_word(v);
    }

    /* Called after all elements; the first had offset `own`. If no element differed from the start value, all elements
     * are that value. */
    __device__ __forceinline__ void settle(uint32_t own)
    {
        argmin = argmin == none ? own : argmin;
        argmax = argmax == none ? own : argmax;
    }

    /* settle() after add_quick. */
    __device__ __forceinline__ void settle_quick(uint32_t own)
    {
        settle(own);
        min_key = order<T>(low == T(0) && any_sign < 0 ? -T(0) : low);
        max_key = order<T>(high == T(0) && all_signs >= 0 ? T(0) : high);
        min_canonical = canonical<T>(min_key);
        max_canonical = canonical<T>(max_key);
    }

    /* Writes the extremes of the thread. The chunk starts at index `at`. */
    __device__ __forceinline__ void put(uint64_t at, struct gf_partial *p) const
    {
        p->min_key = key_of_element<T>(min_key);
        p->max_key = key_of_element<T>(max_key);
        p->argmin = argmin == none ? GF_NO_INDEX : at + argmin;
        p->argmax = argmax == none ? GF_NO_INDEX : at + argmax;
    }

    /* Writes the extremes of the warp, in all threads. */
    __device__ __forceinline__ void put_of_warp(uint64_t at, struct gf_partial *p) const
    {
        uint32_t first_min, first_max;
        if constexpr (is_wide<T>)
            join_wide(&first_min, &first_max, p);
        else
            join_narrow(&first_min, &first_max, p);
        p->argmin = first_min == none ? GF_NO_INDEX : at + first_min;
        p->argmax = first_max == none ? GF_NO_INDEX : at + first_max;
    }

  private:
    __device__ __forceinline__ void join_wide(uint32_t *first_min, uint32_t *first_max, struct gf_partial *p) const
    {
        const int64_t own_min = key_of_element<T>(min_key), own_max = key_of_element<T>(max_key);
        const int64_t low_key = gf_key_canonical(is_real<T>, own_min), high_key = gf_key_canonical(is_real<T>, own_max);
        const int64_t all_low = min_of_warp(low_key), all_high = ~min_of_warp(~high_key);
        *first_min = gf_warp_min(low_key == all_low ? argmin : none);
        *first_max = gf_warp_min(high_key == all_high ? argmax : none);
        /* So far both zeros compared equal. */
        const bool minus = gf_any_lane(own_min == -1), plus = gf_any_lane(own_max == 0);
        p->min_key = is_real<T> && all_low == 0 && minus ? -1 : all_low;
        p->max_key = is_real<T> && all_high == 0 && !plus ? -1 : all_high;
    }

    __device__ __forceinline__ void join_narrow(uint32_t *first_min, uint32_t *first_max, struct gf_partial *p) const
    {
        using K = std::conditional_t<std::is_signed_v<key_of<T>>, int32_t, uint32_t>;
        const K low_key = canonical<T>(min_key), high_key = canonical<T>(max_key);
        const K all_low = gf_warp_min(low_key), all_high = gf_warp_max(high_key);
        *first_min = gf_warp_min(low_key == all_low ? argmin : none);
        *first_max = gf_warp_min(high_key == all_high ? argmax : none);
        p->min_key = is_real<T> ? gf_warp_min(static_cast<K>(min_key)) : all_low;
        p->max_key = is_real<T> ? gf_warp_max(static_cast<K>(max_key)) : all_high;
    }
};

} // namespace gf_reduction_kernels

#endif
