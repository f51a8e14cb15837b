/* SPDX-License-Identifier: MIT */
/* Gradients and their magnitude, docs/numerics.md, "sobel, scharr, prewitt". Included by stencil.cuh, raw_magnitude.cu
 * and second_stencil.cuh. */
#ifndef GF_CUDA_GRADIENT_CUH
#define GF_CUDA_GRADIENT_CUH

#include "filter_pass.h"
#include "tile.cuh"

namespace gf
{

/* The chain of three differences. With Unit the outer weights are 1, and the sum may be -0 in place of +0, which a
 * square does not show. */
template <bool Unit>
__device__ __forceinline__ float weigh(float first, float middle, float last, const struct gf_cuda_gradient &weights)
{
    const float sum = Unit ? first : __fmaf_rn(first, weights.outer, 0.0f);
    const float two = __fmaf_rn(middle, weights.middle, sum);
    return Unit ? __fadd_rn(two, last) : __fmaf_rn(last, weights.outer, two);
}

/* The gradient across three rows, and down from the first to the third, for the sample C after `at`. Samples of a
 * channel are C apart. Neighbouring results share differences, and the compiler computes each once. */
template <bool Unit, int C, int N>
__device__ __forceinline__ float slope_across(const float (&top)[N], const float (&middle)[N], const float (&bottom)[N],
                                              int at, const struct gf_cuda_gradient &weights)
{
    return weigh<Unit>(__fsub_rn(top[at + 2 * C], top[at]), __fsub_rn(middle[at + 2 * C], middle[at]),
                       __fsub_rn(bottom[at + 2 * C], bottom[at]), weights);
}

template <bool Unit, int C, int N>
__device__ __forceinline__ float slope_down(const float (&top)[N], const float (&bottom)[N], int at,
                                            const struct gf_cuda_gradient &weights)
{
    return weigh<Unit>(__fsub_rn(bottom[at], top[at]), __fsub_rn(bottom[at + C], top[at + C]),
                       __fsub_rn(bottom[at + 2 * C], top[at + 2 * C]), weights);
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
