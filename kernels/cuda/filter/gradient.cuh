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

__device__ __forceinline__ float sum_of_squares(float x, float y)
{
    return __fmaf_rn(x, x, __fmul_rn(y, y));
}

__device__ __forceinline__ float magnitude(float x, float y)
{
    return __fsqrt_rn(sum_of_squares(x, y));
}

/* Roots as the compiler has them, each with a branch; one copy, apart from what runs mostly. */
static __device__ __noinline__ float4 roots(float4 v)
{
    return make_float4(__fsqrt_rn(v.x), __fsqrt_rn(v.y), __fsqrt_rn(v.z), __fsqrt_rn(v.w));
}

/*
 * Magnitudes of four side by side. Where a sum of squares is finite and at least 2^-101, the root is one step from the
 * hardware's approximation, as the compiler has it too; but that asks for each, and the next one waits behind the
 * branch. Here is one for all.
 */
__device__ __forceinline__ void magnitudes(const float (&x)[quad], const float (&y)[quad], float (&out)[quad])
{
    constexpr uint32_t least = 0x0D000000, span = 0x7F7FFFFF - least;
    uint32_t furthest = 0;
    float v[quad];
#pragma unroll
    for (int j = 0; j < quad; j++) {
        v[j] = sum_of_squares(x[j], y[j]);
        furthest = max(furthest, __float_as_uint(v[j]) - least);
    }
    if (furthest > span) {
        const float4 r = roots(make_float4(v[0], v[1], v[2], v[3]));
        out[0] = r.x;
        out[1] = r.y;
        out[2] = r.z;
        out[3] = r.w;
        return;
    }
#pragma unroll
    for (int j = 0; j < quad; j++) {
        float r;
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v[j]));
        const float root = __fmul_rn(v[j], r);
        out[j] = __fmaf_rn(__fmaf_rn(-root, root, v[j]), __fmul_rn(r, 0.5f), root);
    }
}

} // namespace gf

#endif
