/* SPDX-License-Identifier: MIT */
/* Minimum and maximum of f32. Included by combine.cu, colour.cu, words.cuh and rank_pairs.cuh. */
#ifndef GF_CUDA_EXTREMES_CUH
#define GF_CUDA_EXTREMES_CUH

namespace gf
{

/* The instructions min and max.NaN: of a number and NaN, the minimum is the number and the maximum is NaN, 0x7FFFFFFF;
 * -0 is less than +0; subnormals are kept. */
__device__ __forceinline__ float least_float(float a, float b)
{
    float v;
    asm("min.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}

__device__ __forceinline__ float greatest_float(float a, float b)
{
    float v;
#if __CUDA_ARCH__ >= 800
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
#else
    asm("max.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    v = a != a || b != b ? __uint_as_float(0x7FFFFFFFu) : v;
#endif
    return v;
}

/* IEEE 754 minimum and maximum: NaN wins, and -0 is less than +0. */
__device__ __forceinline__ float minimum(float a, float b)
{
    if (a != a || b != b)
        return __fadd_rn(a, b);
    if (a == b)
        return __int_as_float(__float_as_int(a) | __float_as_int(b));
    return a < b ? a : b;
}

__device__ __forceinline__ float maximum(float a, float b)
{
    if (a != a || b != b)
        return __fadd_rn(a, b);
    if (a == b)
        return __int_as_float(__float_as_int(a) & __float_as_int(b));
    return a > b ? a : b;
}

} // namespace gf

#endif
