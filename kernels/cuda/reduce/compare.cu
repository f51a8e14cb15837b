/* SPDX-License-Identifier: MIT */
/* The differences between the channels of two buffers. Called through the table of ops. */
#include "kernels/cuda/step/cuda_ops.h"
#include "reduction.cuh"
#include "reduction_by_block.cuh"

extern "C" cudaError_t gf_cuda_compare_launch(uint32_t dtype, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    using namespace gf_reduction_kernels;
    return gf_dispatch_any(dtype, [&](auto tag) {
        constexpr unsigned set = GF_WANT_DIFFERENCES | GF_WANT_NAN | GF_WANT_NONZERO | GF_WANT_EXTREMES |
                                 GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES;
        return s->by_block ? launch_by_block_of<decltype(tag), set>(s, stream)
                           : launch_one_of<decltype(tag), set>(s, stream);
    });
}

extern "C" enum gf_status gf_cuda_compare(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_reduce_step(call, gf_cuda_compare_launch, err);
}
