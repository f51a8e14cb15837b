/* SPDX-License-Identifier: MIT */
/* Vectors of 64-bit elements, for simd_*.c files that compute in 64 bits. */
#ifndef GF_KERNELS_CPU_SIMD_WIDE_H
#define GF_KERNELS_CPU_SIMD_WIDE_H

#include "simd_isa.h"

#define GF_HALF (GF_LANES / 2)

typedef double gf_vd __attribute__((vector_size(GF_LANES * 4)));
typedef uint64_t gf_vu __attribute__((vector_size(GF_LANES * 4)));
typedef int64_t gf_vl
    __attribute__((vector_size(GF_LANES * 4))); /* the type of a comparison's result: all ones or all zeros */
typedef double gf_vd_any __attribute__((vector_size(GF_LANES * 4), aligned(8), may_alias));
typedef uint64_t gf_vu_any __attribute__((vector_size(GF_LANES * 4), aligned(8), may_alias));
typedef int64_t gf_vl_any __attribute__((vector_size(GF_LANES * 4), aligned(8), may_alias));
typedef double gf_vd_byte __attribute__((vector_size(GF_LANES * 4), aligned(1), may_alias));

GF_ALWAYS gf_vd gf_vd_load(const double *p)
{
    return *(const gf_vd_any *)p;
}

GF_ALWAYS void gf_vd_store(double *p, gf_vd v)
{
    *(gf_vd_any *)p = v;
}

GF_ALWAYS gf_vd gf_vd_select(gf_vl mask, gf_vd yes, gf_vd no)
{
    return (gf_vd)(((gf_vl)yes & mask) | ((gf_vl)no & ~mask));
}

/* As gf_vf_stream. */
GF_ALWAYS void gf_vd_stream(void *p, gf_vd v)
{
#if GF_LANES == 16
    _mm512_stream_pd(p, v);
#elif GF_LANES == 8
    _mm256_stream_pd(p, v);
#else
    *(gf_vd_byte *)p = v;
#endif
}

/* Loads GF_HALF floats. */
GF_ALWAYS gf_vd gf_vd_load_f32(const gf_f32_any *p)
{
#if GF_LANES == 16
    return _mm512_cvtps_pd(_mm256_loadu_ps((const float *)p));
#elif GF_LANES == 8
    return _mm256_cvtps_pd(_mm_loadu_ps((const float *)p));
#else
    gf_vd v = {0}; /* initialised because gcc, if it does not unroll the loop, takes lanes for unset */
    for (int i = 0; i < GF_HALF; i++)
        v[i] = (double)p[i];
    return v;
#endif
}

/* Lane i of the result is lane lanes[i] of a and b joined. */
GF_ALWAYS gf_vd gf_vd_pick(gf_vd a, gf_vd b, gf_vl lanes)
{
#if __has_builtin(__builtin_shuffle)
    return __builtin_shuffle(a, b, lanes);
#else /* clang */
    gf_vd v = a;
    for (int i = 0; i < GF_HALF; i++)
        v[i] = lanes[i] < GF_HALF ? a[lanes[i]] : b[lanes[i] - GF_HALF];
    return v;
#endif
}

GF_ALWAYS gf_vd gf_vd_fma(gf_vd a, gf_vd b, gf_vd c)
{
#if GF_LANES == 16
    return _mm512_fmadd_pd(a, b, c);
#elif GF_LANES == 8
    return _mm256_fmadd_pd(a, b, c);
#else
    for (int i = 0; i < GF_HALF; i++)
        c[i] = fma(a[i], b[i], c[i]);
    return c;
#endif
}

/* c + a * b modulo 2^64, where a and b fit in 32 bits with sign. */
GF_ALWAYS gf_vu gf_vu_fma(gf_vu a, gf_vu b, gf_vu c)
{
#if GF_LANES == 16
    return c + (gf_vu)_mm512_mul_epi32((__m512i)a, (__m512i)b);
#elif GF_LANES == 8
    return c + (gf_vu)_mm256_mul_epi32((__m256i)a, (__m256i)b);
#else
    return c + a * b;
#endif
}

/* The same, where a and b fit in 32 bits without sign. */
GF_ALWAYS gf_vu gf_vu_fma_unsigned(gf_vu a, gf_vu b, gf_vu c)
{
#if GF_LANES == 16
    return c + (gf_vu)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif GF_LANES == 8
    return c + (gf_vu)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
    return c + a * b;
#endif
}

GF_ALWAYS gf_vd gf_vd_set(double x)
{
    return x - (gf_vd){0};
}

GF_ALWAYS gf_vu gf_vu_set(uint64_t x)
{
    return x - (gf_vu){0};
}

#endif
