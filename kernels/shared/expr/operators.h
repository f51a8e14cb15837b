/* SPDX-License-Identifier: MIT */
/*
 * The functions behind instructions.def, docs/numerics.md, "Expressions". The host, the CPU's loops, nvcc and NVRTC
 * compile the same text, so all give the same bits. No branches that would remain in a loop. exp, log, sin, cos, pow
 * and atan2 are in math.h.
 */
#ifndef GF_KERNELS_EXPR_OPERATORS_H
#define GF_KERNELS_EXPR_OPERATORS_H

#include "kernels/shared/expr/math.h"

#ifdef __CUDACC_RTC__ /* NVRTC has no headers */
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

#ifdef __CUDACC__
#define GF_EXPR_BUILTIN(name) name
#else
#define GF_EXPR_BUILTIN(name) __builtin_##name
#endif

/* Integers are computed modulo 2^32 or 2^64. */
GF_EXPR_FN int32_t gf_expr_neg_i32(int32_t a)
{
    return (int32_t)(0 - (uint32_t)a);
}

GF_EXPR_FN int64_t gf_expr_neg_i64(int64_t a)
{
    return (int64_t)(0 - (uint64_t)a);
}

GF_EXPR_FN int32_t gf_expr_abs_i32(int32_t a)
{
    return a < 0 ? gf_expr_neg_i32(a) : a;
}

GF_EXPR_FN int64_t gf_expr_abs_i64(int64_t a)
{
    return a < 0 ? gf_expr_neg_i64(a) : a;
}

GF_EXPR_FN int32_t gf_expr_add_i32(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

GF_EXPR_FN int64_t gf_expr_add_i64(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

GF_EXPR_FN int32_t gf_expr_sub_i32(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

GF_EXPR_FN int64_t gf_expr_sub_i64(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

GF_EXPR_FN int32_t gf_expr_mul_i32(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}

GF_EXPR_FN int64_t gf_expr_mul_i64(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* The quotient, truncated; b must not be 0. Processors divide vectors of doubles, but not of integers. The quotient of
 * two int32 in f64 is never rounded to an integer that it is not. -2^31 / -1 wraps. */
GF_EXPR_FN int32_t gf_expr_quotient_i32(int32_t a, int32_t b)
{
#ifdef __CUDACC__
    return b == -1 ? gf_expr_neg_i32(a) : a / b;
#else
    double q = (double)a / (double)b;
    return (int32_t)(q > 2147483647.0 ? -2147483648.0 : q);
#endif
}

/* The quotient, truncated; b must not be 0. */
GF_EXPR_FN int64_t gf_expr_quotient_i64(int64_t a, int64_t b)
{
    int64_t safe = b == -1 ? 1 : b, q = a / safe;
    return b == -1 ? gf_expr_neg_i64(a) : q;
}

GF_EXPR_FN int32_t gf_expr_floordiv_i32(int32_t a, int32_t b)
{
    int32_t by = b == 0 ? 1 : b, q = gf_expr_quotient_i32(a, by);
    int32_t rest = gf_expr_sub_i32(a, gf_expr_mul_i32(q, by));
    q -= (rest != 0) & ((rest ^ by) < 0);
    return b == 0 ? 0 : q;
}

GF_EXPR_FN int64_t gf_expr_floordiv_i64(int64_t a, int64_t b)
{
    int64_t by = b == 0 ? 1 : b, q = gf_expr_quotient_i64(a, by);
    int64_t rest = gf_expr_sub_i64(a, gf_expr_mul_i64(q, by));
    q -= (rest != 0) & ((rest ^ by) < 0);
    return b == 0 ? 0 : q;
}

GF_EXPR_FN uint64_t gf_expr_floordiv_u64(uint64_t a, uint64_t b)
{
    uint64_t q = a / (b == 0 ? 1 : b);
    return b == 0 ? 0 : q;
}

GF_EXPR_FN int32_t gf_expr_mod_i32(int32_t a, int32_t b)
{
    int32_t by = b == 0 ? 1 : b;
    int32_t rest = gf_expr_sub_i32(a, gf_expr_mul_i32(gf_expr_quotient_i32(a, by), by));
    return rest + ((rest != 0) & ((rest ^ by) < 0) ? by : 0);
}

GF_EXPR_FN int64_t gf_expr_mod_i64(int64_t a, int64_t b)
{
    int64_t by = b == 0 ? 1 : b;
    int64_t rest = gf_expr_sub_i64(a, gf_expr_mul_i64(gf_expr_quotient_i64(a, by), by));
    return rest + ((rest != 0) & ((rest ^ by) < 0) ? by : 0);
}

GF_EXPR_FN uint64_t gf_expr_mod_u64(uint64_t a, uint64_t b)
{
    uint64_t rest = a % (b == 0 ? 1 : b);
    return b == 0 ? 0 : rest;
}

/* Shifting by less than 0 or more than 31 shifts everything out. If an i32 stands for 64 bits, the ranges ensure that a
 * is 0 in this case. */
GF_EXPR_FN int32_t gf_expr_shl_i32(int32_t a, int32_t b)
{
    int32_t shifted = (int32_t)((uint32_t)a << (b & 31));
    return (uint32_t)b > 31 ? 0 : shifted;
}

GF_EXPR_FN int64_t gf_expr_shl_i64(int64_t a, int64_t b)
{
    int64_t shifted = (int64_t)((uint64_t)a << (b & 63));
    return (uint64_t)b > 63 ? 0 : shifted;
}

GF_EXPR_FN uint64_t gf_expr_shl_u64(uint64_t a, uint64_t b)
{
    uint64_t shifted = a << (b & 63);
    return b > 63 ? 0 : shifted;
}

GF_EXPR_FN int32_t gf_expr_shr_i32(int32_t a, int32_t b)
{
    return a >> ((uint32_t)b > 31 ? 31 : b);
}

GF_EXPR_FN int64_t gf_expr_shr_i64(int64_t a, int64_t b)
{
    return a >> ((uint64_t)b > 63 ? 63 : b);
}

GF_EXPR_FN uint64_t gf_expr_shr_u64(uint64_t a, uint64_t b)
{
    uint64_t shifted = a >> (b & 63);
    return b > 63 ? 0 : shifted;
}

/* Conversions to integers truncate and saturate; NaN becomes 0. */
GF_EXPR_FN int64_t gf_expr_i64_u64(uint64_t a)
{
    const uint64_t most = 0x7FFFFFFFFFFFFFFF;
    return (int64_t)(a < most ? a : most);
}

GF_EXPR_FN int64_t gf_expr_i64_f64(double a)
{
    const int64_t most = 0x7FFFFFFFFFFFFFFF;
    int64_t v = a >= 9223372036854775808.0   ? most
                : a < -9223372036854775808.0 ? -most - 1
                                             : (int64_t)(a == a ? a : 0.0);
    return v;
}

GF_EXPR_FN uint64_t gf_expr_u64_f64(double a)
{
    return a >= 18446744073709551616.0 ? 0xFFFFFFFFFFFFFFFF : (uint64_t)(a > 0.0 ? a : 0.0);
}

GF_EXPR_FN int64_t gf_expr_i64_f32(float a)
{
    return gf_expr_i64_f64((double)a);
}

GF_EXPR_FN uint64_t gf_expr_u64_f32(float a)
{
    return gf_expr_u64_f64((double)a);
}

/* Rounds as a store and a load do: to an integer from lo to hi, both within 2^22, ties to even. The sum has no room for
 * a fraction, and the difference cannot be -0. NaN becomes 0. */
GF_EXPR_FN float gf_expr_whole_f32(float a, float lo, float hi)
{
    float v = a == a ? a : 0.0f;
#ifdef __CUDA_ARCH__
    v = fminf(fmaxf(v, lo), hi); /* one instruction each; the sum hides which of two zeros they return */
#else
    v = v < lo ? lo : v;
    v = v > hi ? hi : v;
#endif
    return v + 0x1.8p23f - 0x1.8p23f;
}

GF_EXPR_FN double gf_expr_whole_f64(double a, double lo, double hi)
{
    double v = a == a ? a : 0.0;
    v = v < lo ? lo : v;
    v = v > hi ? hi : v;
    return v + 0x1.8p52 - 0x1.8p52;
}

/* The integer of such a number, which the sum has in its low bits. */
GF_EXPR_FN int32_t gf_expr_i32_whole_f32(float a)
{
    return (int32_t)(gf_expr_bits_f32(a + 0x1.8p23f) - 0x4B400000u);
}

GF_EXPR_FN int32_t gf_expr_i32_whole_f64(double a)
{
    return (int32_t)(gf_expr_u32)gf_expr_bits_f64(a + 0x1.8p52);
}

/* Sign, roundings and quotients for one float type. */
#define GF_EXPR_FLOATS(t, type, suffix)                                                                                \
    GF_EXPR_FN type gf_expr_sign_##t(type a)                                                                           \
    {                                                                                                                  \
        return a > 0 ? 1 : a < 0 ? -1 : a;                                                                             \
    }                                                                                                                  \
    GF_EXPR_FN type gf_expr_floor_##t(type a)                                                                          \
    {                                                                                                                  \
        return GF_EXPR_BUILTIN(floor##suffix)(a);                                                                      \
    }                                                                                                                  \
    GF_EXPR_FN type gf_expr_ceil_##t(type a)                                                                           \
    {                                                                                                                  \
        return GF_EXPR_BUILTIN(ceil##suffix)(a);                                                                       \
    }                                                                                                                  \
    GF_EXPR_FN type gf_expr_round_##t(type a)                                                                          \
    {                                                                                                                  \
        return GF_EXPR_BUILTIN(rint##suffix)(a);                                                                       \
    }                                                                                                                  \
    GF_EXPR_FN type gf_expr_trunc_##t(type a)                                                                          \
    {                                                                                                                  \
        return GF_EXPR_BUILTIN(trunc##suffix)(a);                                                                      \
    }                                                                                                                  \
    GF_EXPR_FN type gf_expr_floordiv_##t(type a, type b)                                                               \
    {                                                                                                                  \
        return GF_EXPR_BUILTIN(floor##suffix)(a / b);                                                                  \
    }                                                                                                                  \
    GF_EXPR_FN type gf_expr_mod_##t(type a, type b)                                                                    \
    {                                                                                                                  \
        return gf_expr_fma_##t(-GF_EXPR_BUILTIN(floor##suffix)(a / b), b, a);                                          \
    }

GF_EXPR_FLOATS(f32, float, f)
GF_EXPR_FLOATS(f64, double, )
#undef GF_EXPR_FLOATS

/* Minimum and maximum of IEEE 754-2019. Like processors, `a < b ? a : b` returns b for two zeros and if one is NaN.
 * Both orders together have both signs, and their or-ed bits are a NaN's. GPUs have instructions for f32 that return
 * another NaN; no result depends on which NaN it is. */
#define GF_EXPR_EXTREMES(t, type)                                                                                      \
    GF_EXPR_FN type gf_expr_min_##t(type a, type b)                                                                    \
    {                                                                                                                  \
        type one = a < b ? a : b, other = b < a ? b : a;                                                               \
        return gf_expr_of_##t(gf_expr_bits_##t(one) | gf_expr_bits_##t(other));                                        \
    }                                                                                                                  \
    GF_EXPR_FN type gf_expr_max_##t(type a, type b)                                                                    \
    {                                                                                                                  \
        type one = a > b ? a : b, other = b > a ? b : a, sum = a + b;                                                  \
        type most = gf_expr_of_##t(gf_expr_bits_##t(one) & gf_expr_bits_##t(other));                                   \
        return (a == a) & (b == b) ? most : sum;                                                                       \
    }

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
GF_EXPR_FN float gf_expr_min_f32(float a, float b)
{
    float least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}

GF_EXPR_FN float gf_expr_max_f32(float a, float b)
{
    float most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
}
#else
GF_EXPR_EXTREMES(f32, float)
#endif
GF_EXPR_EXTREMES(f64, double)
#undef GF_EXPR_EXTREMES

#endif
