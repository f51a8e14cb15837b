/* SPDX-License-Identifier: MIT */
/* Dot products of channels, rows or columns. Called through the op's row. */
#include "cuda_ops.h"
#include "reduction.cuh"

extern "C" cudaError_t gf_cuda_dot_first(uint32_t dtype, uint32_t want, const struct gf_cuda_sequences *s,
                                         cudaStream_t stream)
{
    using namespace gf_reduction_kernels;
    return dtype == GF_F32 ? launch_one_of<float, GF_WANT_DOT>(want, s, stream)
                           : launch_one_of<double, GF_WANT_DOT>(want, s, stream);
}

extern "C" enum gf_status gf_cuda_dot(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_reduce_step(call, gf_cuda_dot_first, err);
}
