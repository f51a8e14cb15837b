/* SPDX-License-Identifier: MIT */
/* Statistics of every channel. Called through the table of ops. */
#include "kernels/cuda/step/cuda_ops.h"
#include "reduction.cuh"
#include "reduction_by_block.cuh"

namespace
{

using namespace gf_reduction_kernels;

template <class T> constexpr unsigned stats_of()
{
    constexpr unsigned sign = std::is_signed_v<T> && !is_real<T> ? GF_WANT_ABS : 0;
    constexpr unsigned all = GF_WANT_EXTREMES | GF_WANT_NONZERO;
    if constexpr (is_real<T>)
        return all | GF_WANT_NAN | GF_WANT_TREE_SUM | GF_WANT_SPREAD | GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES;
    else if constexpr (sizeof(T) <= 2)
        return all | sign | GF_WANT_SUM | GF_WANT_SQUARES;
    else
        return all | sign | GF_WANT_SUM | GF_WANT_SPREAD | GF_WANT_TREE_SQUARES;
}

template <class T> cudaError_t launch_for(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    return s->by_block ? launch_by_block_of<T, stats_of<T>()>(s, stream) : launch_one_of<T, stats_of<T>()>(s, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_stats_launch(uint32_t dtype, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    return gf_dispatch_any(dtype, [&](auto tag) { return launch_for<decltype(tag)>(s, stream); });
}

extern "C" enum gf_status gf_cuda_stats(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_reduce_step(call, gf_cuda_stats_launch, err);
}
