/* SPDX-License-Identifier: MIT */
/*
 * The accumulators of a thread (docs/numerics.md, "The tree"): lanes of the tree, and all exact quantities. Elements
 * are added one by one with a test for NaN, or quickly, where a NaN must only be noticed. Elements of 8 and 16 bits are
 * also added in words. Included by reduction_words.cuh and reduction_columns.cuh.
 */
#ifndef GF_CUDA_REDUCTION_GATHER_CUH
#define GF_CUDA_REDUCTION_GATHER_CUH

#include "reduction_extremes.cuh"
#include "reduction_product.cuh"

namespace gf_reduction_kernels
{

/* The accumulator types for the few elements of a chunk. */
template <class T>
using sum_of = std::conditional_t<is_short<T>, int32_t, std::conditional_t<sizeof(T) == 4, int64_t, gf_i128>>;
template <class T>
using abs_of = std::conditional_t<is_short<T>, uint32_t, std::conditional_t<sizeof(T) == 4, uint64_t, gf_u128>>;

/* A thread's lanes of the tree, for each wanted quantity. */
template <unsigned want, int lanes> struct tree_lanes {
    static constexpr bool needs_sum = (want & (GF_WANT_TREE_SUM | GF_WANT_SPREAD)) != 0;
    double sum[lanes], product[lanes], abs[lanes], squares[lanes], dot[lanes];

    /* n elements exist from the element of lane 0 on. A lane without elements is -0, which changes no sum. */
    __device__ __forceinline__ void init(uint32_t n)
    {
#pragma unroll
        for (int j = 0; j < lanes; j++) {
            sum[j] = abs[j] = squares[j] = -0.0;
            product[j] = 1.0;
            dot[j] = static_cast<uint32_t>(j) < n ? 0.0 : -0.0;
        }
    }

    /* Adds an element of lane j; w is the other factor of a dot product. */
    __device__ __forceinline__ void add(int j, double x, double w, bool absent)
    {
        if constexpr (needs_sum)
            sum[j] += absent ? -0.0 : x;
        if constexpr ((want & GF_WANT_TREE_PRODUCT) != 0)
            product[j] *= absent ? 1.0 : x;
        if constexpr ((want & GF_WANT_TREE_ABS) != 0)
            abs[j] += absent ? -0.0 : fabs(x);
        if constexpr ((want & GF_WANT_TREE_SQUARES) != 0)
            squares[j] = absent ? squares[j] : __fma_rn(x, x, squares[j]);
        if constexpr ((want & GF_WANT_DOT) != 0)
            dot[j] = __fma_rn(x, w, dot[j]);
    }

    /* Whether an element may have been NaN: NaN persists in the accumulators. dot does not ask. */
    __device__ __forceinline__ bool has_nan() const
    {
        bool found = false;
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

    /* Writes the quantities of a partial. fold(lanes, times) folds the lanes to one value, a product where `times`. */
    template <class F> __device__ __forceinline__ void put(struct gf_partial *p, F &&fold) const
    {
        const std::false_type plus;
        const std::true_type times;
        if constexpr (needs_sum)
            p->tree_sum = fold(sum, plus);
        if constexpr ((want & GF_WANT_TREE_PRODUCT) != 0)
            p->tree_product = fold(product, times);
        if constexpr ((want & GF_WANT_TREE_ABS) != 0)
            p->tree_abs = fold(abs, plus);
        if constexpr ((want & GF_WANT_TREE_SQUARES) != 0)
            p->tree_squares = fold(squares, plus);
        if constexpr ((want & GF_WANT_DOT) != 0)
            p->dot = fold(dot, plus);
    }
};

/* Offsets count from the start of the chunk and must come in ascending order. */
template <class T, unsigned want, int lanes> struct gathered {
    struct tree_lanes<want, lanes> trees;
    struct extremes<T> ends;
    uint32_t nans, first_nan, nonzero;
    sum_of<T> int_sum;
    abs_of<T> int_abs;
    uint64_t int_squares;
    struct factors times[lanes];
    T signs;  /* the highest bit is the sign of the product */
    bool nan; /* add_quick met a NaN */

    /* n elements exist from the offset of lane 0 on. */
    __device__ __forceinline__ void init(uint32_t n)
    {
        trees.init(n);
        ends.init();
        first_nan = none;
        nans = nonzero = 0;
        int_sum = 0;
        int_abs = 0;
        int_squares = 0;
#pragma unroll
        for (int j = 0; j < lanes; j++)
            times[j].init();
        signs = 0;
        nan = false;
    }

    __device__ __forceinline__ void add_int(int j, T v)
    {
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

    /* Adds an element of lane j; w is the other factor of a dot product. */
    __device__ __forceinline__ void add(int j, T v, T w, uint32_t offset, bool omit)
    {
        const bool is_nan = v != v;
        if constexpr ((want & GF_WANT_NAN) != 0)
            if (is_nan) {
                first_nan = nans == 0 ? offset : first_nan;
                nans++;
            }
        if constexpr ((want & GF_WANT_EXTREMES) != 0)
            if (!is_nan)
                ends.add(v, offset);
        if constexpr ((want & GF_WANT_NONZERO) != 0)
            nonzero += v != T(0) && !is_nan;
        if constexpr (!is_real<T>)
            add_int(j, v);
        trees.add(j, static_cast<double>(v), static_cast<double>(w), omit && is_nan);
    }

    /* add() on the assumption that no element is NaN; has_nan() tells afterwards whether that held. */
    __device__ __forceinline__ void add_quick(int j, T v, T w, uint32_t offset)
    {
        if constexpr (!is_real<T>) {
            add(j, v, w, offset, false);
        } else {
            if constexpr ((want & GF_WANT_EXTREMES) != 0)
                ends.add_quick(v, offset);
            if constexpr ((want & (GF_WANT_EXTREMES | GF_WANT_NONZERO)) != 0)
                nan |= v != v;
            if constexpr ((want & GF_WANT_NONZERO) != 0)
                nonzero += v != T(0);
            trees.add(j, static_cast<double>(v), static_cast<double>(w), false);
        }
    }

    __device__ __forceinline__ bool has_nan() const
    {
        bool found = nan;
        if constexpr ((want & GF_WANT_NAN) != 0)
            found |= trees.has_nan();
        return found;
    }

    /* Called after quick elements. `any`: the thread had elements, the first at offset `own`. */
    __device__ __forceinline__ void settle_quick(uint32_t own, bool any)
    {
        if constexpr (is_real<T> && (want & GF_WANT_EXTREMES) != 0)
            if (any)
                ends.settle_quick(own);
    }

    /* Called after all elements: integers may all equal the start value, floats cannot. */
    __device__ __forceinline__ void settle(uint32_t own, bool any)
    {
        if constexpr (!is_real<T> && (want & GF_WANT_EXTREMES) != 0)
            if (any)
                ends.settle(own);
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

    /* Returns all exact quantities of the thread's elements, except products. The chunk starts at index `at`. */
    __device__ __forceinline__ struct gf_partial exact(uint64_t at) const
    {
        struct gf_partial p = gf_partial_empty();
        ends.put(at, &p);
        p.nans = nans;
        p.first_nan = first_nan == none ? GF_NO_INDEX : at + first_nan;
        p.nonzero = nonzero;
        p.sum = static_cast<gf_i128>(int_sum);
        p.abs = static_cast<gf_u128>(int_abs);
        p.squares = int_squares;
        return p;
    }
};

/* The type that is reduced: the elements of an input, or the differences of two inputs. */
template <class T, unsigned want> using element_of = std::conditional_t<(want & GF_WANT_DIFFERENCES) != 0, double, T>;

/* Returns the exact difference, rounded once. Equal elements, and two NaN, give +0. */
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
