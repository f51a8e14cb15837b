/* SPDX-License-Identifier: MIT */
/* The magnitude of two built-in 3 x 3 masks, docs/numerics.md 6, which have their zeros in the middle column and in the
 * middle row: sobel, scharr, prewitt. Included by stencil.cu and second_stencil.cuh. */
#ifndef GF_CUDA_GRADIENT_CUH
#define GF_CUDA_GRADIENT_CUH

#include "filter_pass.h"
#include "tile.cuh"

namespace gf
{

/* Whether tap (ky, kx) of mask n is there: known to the compiler, which so leaves the others out. */
__device__ constexpr bool is_gradient_tap(int n, int ky, int kx)
{
    return ((n == 0 ? GF_CUDA_GRADIENT_X : GF_CUDA_GRADIENT_Y) >> (3 * ky + kx) & 1u) != 0;
}

/* Adds row ky of mask n to neighbouring sums; samples of a channel are C apart, v[0] is under the first sum's tap 0. */
template <int C, int N, int Sums>
__device__ __forceinline__ void add_gradient_row(float (&sum)[Sums], const float (&v)[N], const float *weights, int n,
                                                 int ky)
{
#pragma unroll
    for (int kx = 0; kx < 3; kx++)
        if (is_gradient_tap(n, ky, kx)) {
#pragma unroll
            for (int j = 0; j < Sums; j++)
                sum[j] = __fmaf_rn(v[j + kx * C], weights[3 * ky + kx], sum[j]);
        }
}

__device__ __forceinline__ float magnitude(float x, float y)
{
    return __fsqrt_rn(__fmaf_rn(x, x, __fmul_rn(y, y)));
}

} // namespace gf

#endif
