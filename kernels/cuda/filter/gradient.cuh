/* SPDX-License-Identifier: MIT */
/* The magnitude of two built-in 3 x 3 masks, docs/numerics.md, "Built-in masks", with zeros in the middle column and in
 * the middle row: sobel, scharr, prewitt. Included by stencil.cuh, raw_magnitude.cu and second_stencil.cuh. */
#ifndef GF_CUDA_GRADIENT_CUH
#define GF_CUDA_GRADIENT_CUH

#include "filter_pass.h"
#include "tile.cuh"

namespace gf
{

/* Whether mask n has a tap at (ky, kx). A constant expression, so that the compiler drops the missing taps. */
__device__ constexpr bool is_gradient_tap(int n, int ky, int kx)
{
    return ((n == 0 ? GF_CUDA_GRADIENT_X : GF_CUDA_GRADIENT_Y) >> (3 * ky + kx) & 1u) != 0;
}

static_assert(is_gradient_tap(0, 0, 0) && is_gradient_tap(1, 0, 0), "the first tap starts the chains of both masks");

/*
 * Adds row ky of mask n to adjacent sums. Samples of a channel are C apart; v[skip] lies under tap 0 of the first sum.
 * With Unit the outer taps are 1 and -1, so an addition replaces the fma. The first tap starts the chain: adding it to
 * 0 would only turn -0 into +0, and the square is the same for both.
 */
template <bool Unit, int C, int N, int Sums>
__device__ __forceinline__ void add_gradient_row(float (&sum)[Sums], const float (&v)[N], int skip,
                                                 const struct gf_cuda_gradient &weights, int n, int ky)
{
#pragma unroll
    for (int kx = 0; kx < 3; kx++)
        if (is_gradient_tap(n, ky, kx)) {
            const bool first = ky == 0 && kx == 0, middle = n == 0 ? ky == 1 : kx == 1;
            const bool minus = n == 0 ? kx == 0 : ky == 0;
#pragma unroll
            for (int j = 0; j < Sums; j++) {
                const float s = minus ? -v[skip + j + kx * C] : v[skip + j + kx * C];
                if (middle)
                    sum[j] = __fmaf_rn(s, weights.middle, sum[j]);
                else if (Unit)
                    sum[j] = first ? s : __fadd_rn(sum[j], s);
                else
                    sum[j] = first ? __fmul_rn(s, weights.outer) : __fmaf_rn(s, weights.outer, sum[j]);
            }
        }
}

__device__ __forceinline__ float sum_of_squares(float x, float y)
{
    return __fmaf_rn(x, x, __fmul_rn(y, y));
}

/* 2^-101, the least positive float for which one refinement step of the hardware's approximation gives the correctly
 * rounded root. */
constexpr uint32_t least_root_bits = 0x0D000000, infinity_bits = 0x7F800000;

/* Returns the square root of 0 or of a finite value of at least 2^-101. The refinement step is the compiler's own. The
 * fmaxf keeps the approximation finite at 0. An error of the approximation that PTX allows would make two roots wrong,
 * so roots.cu checks each device. */
__device__ __forceinline__ float root_by_step(float v)
{
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(fmaxf(v, __uint_as_float(least_root_bits))));
    const float root = __fmul_rn(v, r);
    return __fmaf_rn(__fmaf_rn(-root, root, v), __fmul_rn(r, 0.5f), root);
}

/* Square roots by the compiler's code, each with a branch. One copy, out of line, since it rarely runs. */
static __device__ __noinline__ float4 roots(float4 v)
{
    return make_float4(__fsqrt_rn(v.x), __fsqrt_rn(v.y), __fsqrt_rn(v.z), __fsqrt_rn(v.w));
}

/* Replaces sums of squares by their roots. The compiler's root tests each value for the refinement step, and the next
 * root waits for that branch; here one branch serves all values. */
template <int Rows> __device__ __forceinline__ void take_roots(float (&v)[Rows][quad])
{
    uint32_t least = UINT32_MAX, most = 0; /* bounds of the bits; 0 - 1 wraps to the maximum, so 0 passes */
    for_each_value(v, [&](float f) {
        least = min(least, __float_as_uint(f) - 1);
        most = max(most, __float_as_uint(f));
        return f;
    });
    if (least < least_root_bits - 1 || most >= infinity_bits) {
#pragma unroll
        for (int r = 0; r < Rows; r++) {
            const float4 root = roots(make_float4(v[r][0], v[r][1], v[r][2], v[r][3]));
            v[r][0] = root.x;
            v[r][1] = root.y;
            v[r][2] = root.z;
            v[r][3] = root.w;
        }
        return;
    }
    for_each_value(v, [](float f) { return root_by_step(f); });
}

} // namespace gf

#endif
