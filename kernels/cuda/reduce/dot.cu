/* SPDX-License-Identifier: MIT */
/* Dot products of channels, rows or columns. Called through the op's row. */
#include "kernels/cuda/step/cuda_ops.h"
#include "reduction.cuh"
#include "reduction_by_block.cuh"
#include "reduction_columns.cuh"

extern "C" cudaError_t gf_cuda_dot_launch(uint32_t dtype, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    using namespace gf_reduction_kernels;
    if (s->columns)
        return dtype == GF_F32 ? launch_columns_of<float, GF_WANT_DOT>(s, stream)
                               : launch_columns_of<double, GF_WANT_DOT>(s, stream);
    if (s->by_block)
        return dtype == GF_F32 ? launch_by_block_of<float, GF_WANT_DOT>(s, stream)
                               : launch_by_block_of<double, GF_WANT_DOT>(s, stream);
    return dtype == GF_F32 ? launch_one_of<float, GF_WANT_DOT>(s, stream)
                           : launch_one_of<double, GF_WANT_DOT>(s, stream);
}

extern "C" enum gf_status gf_cuda_dot(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_reduce_step(call, gf_cuda_dot_launch, err);
}
