/* SPDX-License-Identifier: MIT */
/* The sets of quantities that reduce and dot need for each element type. Included by the files of their kernels. */
#ifndef GF_CUDA_REDUCE_SETS_CUH
#define GF_CUDA_REDUCE_SETS_CUH

#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/shared/reduce.h"

template <class T, unsigned... sets> struct gf_reduce_sets {
};

/* Calls f with the list of a type's sets. */
template <class T, class F> auto gf_with_reduce_sets(T, F &&f)
{
    if constexpr (std::is_floating_point_v<T>) /* DOT: for dot */
        return f(gf_reduce_sets<T, GF_WANT_DOT, GF_WANT_NAN | GF_WANT_TREE_SUM, GF_WANT_NAN | GF_WANT_TREE_PRODUCT,
                                GF_WANT_NAN | GF_WANT_TREE_ABS, GF_WANT_NAN | GF_WANT_TREE_SQUARES,
                                GF_WANT_NAN | GF_WANT_SPREAD, GF_WANT_NAN | GF_WANT_NONZERO,
                                GF_WANT_NAN | GF_WANT_EXTREMES>{});
    else if constexpr (sizeof(T) <= 2 && std::is_signed_v<T>)
        return f(gf_reduce_sets<T, GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_ABS, GF_WANT_SUM | GF_WANT_SQUARES,
                                GF_WANT_NONZERO, GF_WANT_EXTREMES>{});
    else if constexpr (sizeof(T) <= 2)
        return f(gf_reduce_sets<T, GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_SUM | GF_WANT_SQUARES, GF_WANT_NONZERO,
                                GF_WANT_EXTREMES>{});
    else if constexpr (std::is_signed_v<T>)
        return f(gf_reduce_sets<T, GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_ABS, GF_WANT_TREE_SQUARES, GF_WANT_SPREAD,
                                GF_WANT_NONZERO, GF_WANT_EXTREMES>{});
    else
        return f(gf_reduce_sets<T, GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_TREE_SQUARES, GF_WANT_SPREAD, GF_WANT_NONZERO,
                                GF_WANT_EXTREMES>{});
}

#endif
