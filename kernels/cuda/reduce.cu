/* SPDX-License-Identifier: MIT */
/* Every channel, row or column to one value. Called through the op's row. */
#include "cuda_ops.h"
#include "reduction.cuh"

namespace
{

using namespace gf_reduction_kernels;

template <class T> cudaError_t first(uint32_t want, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    if constexpr (is_real<T>)
        return launch_one_of<T, GF_WANT_NAN | GF_WANT_TREE_SUM, GF_WANT_NAN | GF_WANT_TREE_PRODUCT,
                             GF_WANT_NAN | GF_WANT_TREE_ABS, GF_WANT_NAN | GF_WANT_TREE_SQUARES,
                             GF_WANT_NAN | GF_WANT_SPREAD, GF_WANT_NAN | GF_WANT_NONZERO,
                             GF_WANT_NAN | GF_WANT_EXTREMES>(want, s, stream);
    else if constexpr (sizeof(T) <= 2)
        return launch_one_of<T, GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_ABS, GF_WANT_SUM | GF_WANT_SQUARES,
                             GF_WANT_NONZERO, GF_WANT_EXTREMES>(want, s, stream);
    else
        return launch_one_of<T, GF_WANT_SUM, GF_WANT_PRODUCT, GF_WANT_ABS, GF_WANT_TREE_SQUARES, GF_WANT_SPREAD,
                             GF_WANT_NONZERO, GF_WANT_EXTREMES>(want, s, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_reduce_first(uint32_t dtype, uint32_t want, const struct gf_cuda_sequences *s,
                                            cudaStream_t stream)
{
    return gf_dispatch_any(dtype, [&](auto tag) { return first<decltype(tag)>(want, s, stream); });
}

extern "C" enum gf_status gf_cuda_reduce(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_reduce_step(call, gf_cuda_reduce_first, err);
}
