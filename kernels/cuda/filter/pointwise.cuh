/* SPDX-License-Identifier: MIT */
/* Runs the instructions of pointwise.h on values in registers. Included by tile.cuh. */
#ifndef GF_CUDA_POINTWISE_CUH
#define GF_CUDA_POINTWISE_CUH

#include "kernels/shared/expr/operators.h"
#include "pointwise.h"

namespace gf
{

template <int N, class F> __device__ __forceinline__ void for_each_value(float (&v)[N], F &&f)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        v[i] = f(v[i]);
}

template <int M, int N, class F> __device__ __forceinline__ void for_each_value(float (&v)[M][N], F &&f)
{
#pragma unroll
    for (int i = 0; i < M; i++)
        for_each_value(v[i], f);
}

/* Runs the instructions on an array of one or two dimensions. All threads run the same instructions, so the loop over
 * instructions is the outer one: each instruction is decoded once for all values. */
template <class Values>
__device__ __forceinline__ void run_pointwise(const struct gf_cuda_pointwise &pointwise, Values &values)
{
#pragma unroll 1
    for (uint32_t i = 0; i < pointwise.n; i++) {
        const float a = pointwise.insns[i].a, b = pointwise.insns[i].b, c = pointwise.insns[i].c;
        switch (pointwise.insns[i].op) {
#define GF_CUDA_POINTWISE(name, value)                                                                                 \
    case GF_CUDA_POINTWISE_##name:                                                                                     \
        for_each_value(values, [=](float v) { return value; });                                                        \
        break;
#include "pointwise.def"
        }
    }
}

} // namespace gf

#endif
