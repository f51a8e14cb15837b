/* SPDX-License-Identifier: MIT */
/* IEEE 754 minimum and maximum: NaN wins, and -0 is less than +0. Included by combine.cu and colour.cu. */
#ifndef GF_CUDA_EXTREMES_CUH
#define GF_CUDA_EXTREMES_CUH

namespace gf
{

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
