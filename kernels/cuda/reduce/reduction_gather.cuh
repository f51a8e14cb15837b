/* SPDX-License-Identifier: MIT */
/*
 * What a thread makes of its elements on the way to a part (docs/numerics.md 8): lanes of the tree, and everything
 * exact. Elements come one by one, NaN looked at, or quickly, where NaN only has to be noticed; those of 8 and 16 bits
 * come in words, too. Included by reduction.cuh and reduce_columns.cu.
 */
#ifndef GF_CUDA_REDUCTION_GATHER_CUH
#define GF_CUDA_REDUCTION_GATHER_CUH

#include <limits>

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "reduction_chunk.cuh"

namespace gf_reduction_kernels
{

/* What elements of a type are compared as, and what few of them are added up in. */
template <class T>
using key_of =
    std::conditional_t<std::is_same_v<T, float>, int32_t, std::conditional_t<std::is_same_v<T, double>, int64_t, T>>;
template <class T>
using sum_of = std::conditional_t<is_short<T>, int32_t, std::conditional_t<sizeof(T) == 4, int64_t, gf_i128>>;
template <class T>
using abs_of = std::conditional_t<is_short<T>, uint32_t, std::conditional_t<sizeof(T) == 4, uint64_t, gf_u128>>;

__device__ __forceinline__ int32_t order(float x)
{
    return gf_key_f32(x);
}

__device__ __forceinline__ int64_t order(double x)
{
    return gf_key_f64(x);
}

template <class T> __device__ __forceinline__ std::enable_if_t<!is_real<T>, T> order(T x)
{
    return x;
}

/* Both zeros of floats are one where an index is searched. */
template <class T> __device__ __forceinline__ key_of<T> canonical(key_of<T> key)
{
    if constexpr (is_real<T>)
        return key == -1 ? 0 : key;
    else
        return key;
}

template <class T> __device__ __forceinline__ int64_t key_of_element(key_of<T> key)
{
    if constexpr (std::is_same_v<T, uint64_t>)
        return gf_key_u64(key);
    else
        return static_cast<int64_t>(key);
}

/* And back. */
template <class T> __device__ __forceinline__ key_of<T> element_of_key(int64_t key)
{
    if constexpr (std::is_same_v<T, uint64_t>)
        return static_cast<uint64_t>(gf_key_u64(static_cast<uint64_t>(key)));
    else
        return static_cast<key_of<T>>(key);
}

__device__ __forceinline__ int32_t sign_word(float x)
{
    return __float_as_int(x);
}

__device__ __forceinline__ int32_t sign_word(double x)
{
    return __double2hiint(x);
}

/* A product of integers other than zero: its magnitude modulo 2^64, and whether it ever went beyond. */
struct factors {
    uint64_t magnitude, beyond;
    bool zero; /* a factor was */

    __device__ __forceinline__ void init()
    {
        magnitude = 1;
        beyond = 0;
        zero = false;
    }

    __device__ __forceinline__ void times(uint32_t m)
    {
        zero = zero || m == 0;
        m = m > 1 ? m : 1;
        const uint64_t low = (magnitude & UINT32_MAX) * m, high = (magnitude >> 32) * m + (low >> 32);
        beyond |= high >> 32;
        magnitude = high << 32 | (low & UINT32_MAX);
    }

    __device__ __forceinline__ void times(uint64_t m)
    {
        zero = zero || m == 0;
        m = m > 1 ? m : 1;
        beyond |= __umul64hi(magnitude, m);
        magnitude *= m;
    }

    __device__ __forceinline__ void times(const struct factors &o)
    {
        zero = zero || o.zero;
        beyond |= o.beyond | __umul64hi(magnitude, o.magnitude);
        magnitude *= o.magnitude;
    }

    /* Those of a whole warp, in all threads, with the number of those that are negative. */
    __device__ __forceinline__ void join_warp(bool negative, struct gf_partial *p)
    {
#pragma unroll
        for (int d = warp / 2; d > 0; d /= 2) {
            struct factors o = *this;
            o.magnitude = gf_shuffle_xor(static_cast<unsigned long long>(magnitude), d);
            times(o);
        }
        zero = gf_any_lane(zero);
        beyond = static_cast<uint64_t>(gf_any_lane(beyond != 0));
        put((__popc(gf_ballot(negative)) & 1) != 0, p);
    }

    __device__ __forceinline__ void put(bool negative, struct gf_partial *p) const
    {
        p->product = zero ? 0 : negative ? -magnitude : magnitude;
        p->magnitude = beyond != 0 ? UINT64_MAX : magnitude;
        p->product_flags =
            (zero ? GF_PRODUCT_ZERO : 0) | (negative ? GF_PRODUCT_NEGATIVE : 0) | (beyond != 0 ? GF_PRODUCT_BIG : 0);
    }
};

/* Offsets count from the chunk's start and come in ascending order. */
template <class T, unsigned want, int lanes> struct gathered {
    static constexpr key_of<T> lowest_key = std::numeric_limits<key_of<T>>::lowest();
    static constexpr key_of<T> highest_key = std::numeric_limits<key_of<T>>::max();
    static constexpr T infinite = std::numeric_limits<T>::infinity(); /* floats only */
    static constexpr bool needs_sum = (want & (GF_WANT_TREE_SUM | GF_WANT_SPREAD)) != 0;
    double sum[lanes], product[lanes], abs[lanes], squares[lanes], dot[lanes];
    key_of<T> min_key, max_key, min_canonical, max_canonical;
    uint32_t argmin, argmax, nans, first_nan, nonzero;
    sum_of<T> int_sum;
    abs_of<T> int_abs;
    uint64_t int_squares;
    struct factors times[lanes];
    T signs;     /* its highest bit: that of the product */
    T low, high; /* quick extremes of floats */
    int32_t any_sign, all_signs;
    bool nan;

    /* n elements from the offset of lane 0 on are there. */
    __device__ __forceinline__ void init(uint32_t n)
    {
#pragma unroll
        for (int j = 0; j < lanes; j++) {
            sum[j] = abs[j] = squares[j] = -0.0;
            product[j] = 1.0;
            dot[j] = static_cast<uint32_t>(j) < n ? 0.0 : -0.0;
        }
        min_key = min_canonical = highest_key;
        max_key = max_canonical = lowest_key;
        argmin = argmax = first_nan = none;
        nans = nonzero = 0;
        int_sum = 0;
        int_abs = 0;
        int_squares = 0;
#pragma unroll
        for (int j = 0; j < lanes; j++)
            times[j].init();
        signs = 0;
        nan = false;
        low = infinite;
        high = static_cast<T>(-infinite);
        any_sign = 0;
        all_signs = -1;
    }

    __device__ __forceinline__ void add_extremes(T v, uint32_t offset)
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

    __device__ __forceinline__ void add_int(int j, T v)
    {
        if constexpr (!is_real<T>) {
            bool minus = false;
            if constexpr (std::is_signed_v<T>)
                minus = v < 0;
            if constexpr ((want & GF_WANT_SUM) != 0)
                int_sum += static_cast<sum_of<T>>(v);
            if constexpr ((want & GF_WANT_ABS) != 0)
                int_abs += minus ? -static_cast<abs_of<T>>(v) : static_cast<abs_of<T>>(v);
            if constexpr ((want & GF_WANT_SQUARES) != 0)
                int_squares += static_cast<uint64_t>(static_cast<int64_t>(v) * static_cast<int64_t>(v));
            if constexpr ((want & GF_WANT_PRODUCT) != 0) {
                using U = std::conditional_t<is_wide<T>, uint64_t, uint32_t>;
                times[j].times(minus ? -static_cast<U>(v) : static_cast<U>(v));
                signs ^= v;
            }
        }
    }

    /* An element of lane j; w is the other factor of a dot product. */
    __device__ __forceinline__ void add(int j, T v, T w, uint32_t offset, bool omit)
    {
        const bool is_nan = v != v;
        const double x = static_cast<double>(v);
        const bool absent = omit && is_nan;
        if constexpr ((want & GF_WANT_NAN) != 0)
            if (is_nan) {
                first_nan = nans == 0 ? offset : first_nan;
                nans++;
            }
        if constexpr ((want & GF_WANT_EXTREMES) != 0)
            if (!is_nan)
                add_extremes(v, offset);
        if constexpr ((want & GF_WANT_NONZERO) != 0)
            nonzero += v != T(0) && !is_nan;
        add_int(j, v);
        if constexpr (needs_sum)
            sum[j] += absent ? -0.0 : x;
        if constexpr ((want & GF_WANT_TREE_PRODUCT) != 0)
            product[j] *= absent ? 1.0 : x;
        if constexpr ((want & GF_WANT_TREE_ABS) != 0)
            abs[j] += absent ? -0.0 : fabs(x);
        if constexpr ((want & GF_WANT_TREE_SQUARES) != 0)
            squares[j] = absent ? squares[j] : __fma_rn(x, x, squares[j]);
        if constexpr ((want & GF_WANT_DOT) != 0)
            dot[j] = __fma_rn(x, static_cast<double>(w), dot[j]);
    }

    /* The same where no element is NaN; has_nan() afterwards says whether that was so. */
    __device__ __forceinline__ void add_quick(int j, T v, T w, uint32_t offset)
    {
        if constexpr (!is_real<T>) {
            add(j, v, w, offset, false);
        } else {
            const double x = static_cast<double>(v);
            if constexpr ((want & GF_WANT_EXTREMES) != 0) {
                argmin = v < low ? offset : argmin;
                low = v < low ? v : low;
                argmax = v > high ? offset : argmax;
                high = v > high ? v : high;
                any_sign |= sign_word(v);
                all_signs &= sign_word(v);
            }
            if constexpr ((want & (GF_WANT_EXTREMES | GF_WANT_NONZERO)) != 0)
                nan |= v != v;
            if constexpr ((want & GF_WANT_NONZERO) != 0)
                nonzero += v != T(0);
            if constexpr (needs_sum)
                sum[j] += x;
            if constexpr ((want & GF_WANT_TREE_PRODUCT) != 0)
                product[j] *= x;
            if constexpr ((want & GF_WANT_TREE_ABS) != 0)
                abs[j] += fabs(x);
            if constexpr ((want & GF_WANT_TREE_SQUARES) != 0)
                squares[j] = __fma_rn(x, x, squares[j]);
            if constexpr ((want & GF_WANT_DOT) != 0)
                dot[j] = __fma_rn(x, static_cast<double>(w), dot[j]);
        }
    }

    /* True where an element may have been NaN. */
    __device__ __forceinline__ bool has_nan() const
    {
        bool found = nan;
        if constexpr ((want & GF_WANT_NAN) != 0)
#pragma unroll
            for (int j = 0; j < lanes; j++) {
                if constexpr (needs_sum)
                    found |= sum[j] != sum[j];
                if constexpr ((want & GF_WANT_TREE_PRODUCT) != 0)
                    found |= product[j] != product[j];
                if constexpr ((want & GF_WANT_TREE_ABS) != 0)
                    found |= abs[j] != abs[j];
                if constexpr ((want & GF_WANT_TREE_SQUARES) != 0)
                    found |= squares[j] != squares[j];
            }
        return found;
    }

    /* After quick elements, any of which was the thread's own first one at that offset. */
    __device__ __forceinline__ void settle_quick(uint32_t own, bool any)
    {
        if constexpr (is_real<T> && (want & GF_WANT_EXTREMES) != 0)
            if (any) {
                argmin = argmin == none ? own : argmin;
                argmax = argmax == none ? own : argmax;
                min_key = order(low == T(0) && any_sign < 0 ? -T(0) : low);
                max_key = order(high == T(0) && all_signs >= 0 ? T(0) : high);
                min_canonical = canonical<T>(min_key);
                max_canonical = canonical<T>(max_key);
            }
    }

    /* After all: integers none of which differs from the start value are all that value. */
    __device__ __forceinline__ void settle(uint32_t own, bool any)
    {
        if constexpr (!is_real<T> && (want & GF_WANT_EXTREMES) != 0)
            if (any) {
                argmin = argmin == none ? own : argmin;
                argmax = argmax == none ? own : argmax;
            }
    }

    __device__ __forceinline__ bool is_negative() const
    {
        return std::is_signed_v<T> && signs < 0;
    }

    __device__ __forceinline__ struct factors product_of_lanes() const
    {
        struct factors all = times[0];
#pragma unroll
        for (int j = 1; j < lanes; j++)
            all.times(times[j]);
        return all;
    }

    /* Everything exact but products of the thread's own elements, which start at index `at`. */
    __device__ __forceinline__ struct gf_partial exact(uint64_t at) const
    {
        struct gf_partial p = gf_partial_empty();
        p.min_key = key_of_element<T>(min_key);
        p.max_key = key_of_element<T>(max_key);
        p.argmin = argmin == none ? GF_NO_INDEX : at + argmin;
        p.argmax = argmax == none ? GF_NO_INDEX : at + argmax;
        p.nans = nans;
        p.first_nan = first_nan == none ? GF_NO_INDEX : at + first_nan;
        p.nonzero = nonzero;
        p.sum = static_cast<gf_i128>(int_sum);
        p.abs = static_cast<gf_u128>(int_abs);
        p.squares = int_squares;
        return p;
    }
};

/* The least number of a warp, in all threads: its upper half, then the lower half among those that have it. */
__device__ __forceinline__ int64_t min_of_warp(int64_t v)
{
    const int32_t upper = static_cast<int32_t>(v >> 32), min_key = gf_warp_min(upper);
    const uint32_t lower = gf_warp_min(upper == min_key ? static_cast<uint32_t>(v) : UINT32_MAX);
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(min_key)) << 32 | lower);
}

/* The extremes of a warp, in all threads, of elements of 8 bytes. */
template <class T>
__device__ __forceinline__ void join_wide_extremes(int64_t min_key, int64_t max_key, uint32_t *argmin, uint32_t *argmax,
                                                   struct gf_partial *p)
{
    const int64_t low = gf_key_canonical(is_real<T>, min_key), high = gf_key_canonical(is_real<T>, max_key);
    const int64_t all_low = min_of_warp(low), all_high = ~min_of_warp(~high);
    *argmin = gf_warp_min(low == all_low ? *argmin : none);
    *argmax = gf_warp_min(high == all_high ? *argmax : none);
    /* Both zeros are one so far. */
    const bool minus = gf_any_lane(min_key == -1), plus = gf_any_lane(max_key == 0);
    p->min_key = is_real<T> && all_low == 0 && minus ? -1 : all_low;
    p->max_key = is_real<T> && all_high == 0 && !plus ? -1 : all_high;
}

/* The extremes of a warp, in all threads: each has keys and where they were met. */
template <class T>
__device__ __forceinline__ void join_extremes(key_of<T> min_key, key_of<T> max_key, uint32_t argmin, uint32_t argmax,
                                              uint64_t at, struct gf_partial *p)
{
    if constexpr (is_wide<T>) {
        join_wide_extremes<T>(key_of_element<T>(min_key), key_of_element<T>(max_key), &argmin, &argmax, p);
    } else {
        using K = std::conditional_t<std::is_signed_v<key_of<T>>, int32_t, uint32_t>;
        const K low = canonical<T>(min_key), high = canonical<T>(max_key);
        const K all_low = gf_warp_min(low), all_high = gf_warp_max(high);
        argmin = gf_warp_min(low == all_low ? argmin : none);
        argmax = gf_warp_min(high == all_high ? argmax : none);
        p->min_key = is_real<T> ? gf_warp_min(static_cast<K>(min_key)) : all_low;
        p->max_key = is_real<T> ? gf_warp_max(static_cast<K>(max_key)) : all_high;
    }
    p->argmin = argmin == none ? GF_NO_INDEX : at + argmin;
    p->argmax = argmax == none ? GF_NO_INDEX : at + argmax;
}

/* What is reduced: the elements of an input, or what two inputs differ by. */
template <class T, unsigned want> using element_of = std::conditional_t<(want & GF_WANT_DIFFERENCES) != 0, double, T>;

/* The exact difference, rounded once; +0 of what is equal, two NaN too. */
template <class T> __device__ __forceinline__ double difference(T a, T b)
{
    if constexpr (is_real<T>)
        return a == b || (a != a && b != b) ? 0.0 : static_cast<double>(a) - static_cast<double>(b);
    else if constexpr (is_wide<T>)
        return a < b ? -static_cast<double>(static_cast<uint64_t>(b) - static_cast<uint64_t>(a))
                     : static_cast<double>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    else
        return static_cast<double>(a) - static_cast<double>(b);
}

template <class T, unsigned want> __device__ __forceinline__ element_of<T, want> element(T v, T w)
{
    if constexpr ((want & GF_WANT_DIFFERENCES) != 0)
        return difference(v, w);
    else
        return v;
}

} // namespace gf_reduction_kernels

#endif
