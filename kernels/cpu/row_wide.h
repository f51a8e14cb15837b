/* SPDX-License-Identifier: MIT */
/* Vectors of 64-bit elements, for the row_*.c files that multiply and add. */
#ifndef GF_KERNELS_CPU_ROW_WIDE_H
#define GF_KERNELS_CPU_ROW_WIDE_H

#include "row_isa.h"

#define GF_ALWAYS static inline __attribute__((always_inline))
#define GF_HALF (GF_LANES / 2)

typedef double gf_vd __attribute__((vector_size(GF_LANES * 4)));
typedef uint64_t gf_vu __attribute__((vector_size(GF_LANES * 4)));

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

/* c + a * b modulo 2^64, where a and b are within 32 bits with sign. */
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

/* The same within 32 bits without sign. */
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
