/* SPDX-License-Identifier: MIT */
/*
 * The primitives of kernels/shared/expr: bits of floats, fma, roots. Only this file knows the compiler: C, nvcc, or
 * NVRTC, which has no headers. Contraction must be off (-ffp-contract=off, -fmad=false).
 */
#ifndef GF_KERNELS_EXPR_BITS_H
#define GF_KERNELS_EXPR_BITS_H

/* A function to inline into every loop; a function that a GPU calls rarely. */
#ifdef __CUDACC__
#define GF_EXPR_FN static __device__ __forceinline__
#define GF_EXPR_SELDOM static __device__ __noinline__
#else
#define GF_EXPR_FN static inline __attribute__((always_inline))
#define GF_EXPR_SELDOM GF_EXPR_FN
#endif

typedef unsigned int gf_expr_u32;
typedef unsigned long long gf_expr_u64;

#define GF_EXPR_SIGN_F32 0x80000000u
#define GF_EXPR_SIGN_F64 0x8000000000000000ull

GF_EXPR_FN gf_expr_u32 gf_expr_bits_f32(float v)
{
#ifdef __CUDACC__
    return __float_as_uint(v);
#else
    gf_expr_u32 bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return bits;
#endif
}

GF_EXPR_FN float gf_expr_of_f32(gf_expr_u32 bits)
{
#ifdef __CUDACC__
    return __uint_as_float(bits);
#else
    float v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
#endif
}

GF_EXPR_FN gf_expr_u64 gf_expr_bits_f64(double v)
{
#ifdef __CUDACC__
    return (gf_expr_u64)__double_as_longlong(v);
#else
    gf_expr_u64 bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return bits;
#endif
}

GF_EXPR_FN double gf_expr_of_f64(gf_expr_u64 bits)
{
#ifdef __CUDACC__
    return __longlong_as_double((long long)bits);
#else
    double v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
#endif
}

GF_EXPR_FN float gf_expr_fma_f32(float a, float b, float c)
{
#ifdef __CUDACC__
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

GF_EXPR_FN double gf_expr_fma_f64(double a, double b, double c)
{
#ifdef __CUDACC__
    return __fma_rn(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}

GF_EXPR_FN float gf_expr_sqrt_f32(float v)
{
#ifdef __CUDACC__
    return __fsqrt_rn(v);
#else
    return __builtin_sqrtf(v);
#endif
}

GF_EXPR_FN double gf_expr_sqrt_f64(double v)
{
#ifdef __CUDACC__
    return __dsqrt_rn(v);
#else
    return __builtin_sqrt(v);
#endif
}

GF_EXPR_FN float gf_expr_abs_f32(float v)
{
    return gf_expr_of_f32(gf_expr_bits_f32(v) & ~GF_EXPR_SIGN_F32);
}

GF_EXPR_FN double gf_expr_abs_f64(double v)
{
    return gf_expr_of_f64(gf_expr_bits_f64(v) & ~GF_EXPR_SIGN_F64);
}

GF_EXPR_FN float gf_expr_infinity_f32(void)
{
    return gf_expr_of_f32(0x7F800000u);
}

GF_EXPR_FN double gf_expr_infinity_f64(void)
{
    return gf_expr_of_f64(0x7FF0000000000000ull);
}

GF_EXPR_FN float gf_expr_nan_f32(void)
{
    return gf_expr_of_f32(0x7FC00000u);
}

GF_EXPR_FN double gf_expr_nan_f64(void)
{
    return gf_expr_of_f64(0x7FF8000000000000ull);
}

#endif
