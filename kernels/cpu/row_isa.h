/* SPDX-License-Identifier: MIT */
/*
 * What the row_*.c files share while they are compiled for one instruction set (GF_ISA): names, a vector of floats,
 * samples at any address.
 */
#ifndef GF_KERNELS_CPU_ROW_ISA_H
#define GF_KERNELS_CPU_ROW_ISA_H

#include <math.h>
#include <string.h>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#include "rows.h"

#define GF_PASTE_(a, b) a##_##b
#define GF_PASTE(a, b) GF_PASTE_(a, b)
/* The name of a function or table of this instruction set. */
#define GF_ISA_NAME(name) GF_PASTE(name, GF_ISA)

typedef uint8_t gf_u8_any;
typedef uint16_t gf_u16_any __attribute__((aligned(1), may_alias));
typedef float gf_f32_any __attribute__((aligned(1), may_alias));

#if defined(__AVX512F__)
#define GF_LANES 16
#elif defined(__AVX2__) && defined(__FMA__)
#define GF_LANES 8
#else
#define GF_LANES 4
#endif

typedef float gf_vf __attribute__((vector_size(GF_LANES * 4)));
typedef float gf_vf_any __attribute__((vector_size(GF_LANES * 4), aligned(4), may_alias));

static inline gf_vf gf_vf_load(const float *p)
{
    return *(const gf_vf_any *)p;
}

static inline void gf_vf_store(float *p, gf_vf v)
{
    *(gf_vf_any *)p = v;
}

static inline gf_vf gf_vf_set(float x)
{
    return x - (gf_vf){0};
}

/* a * b + c, rounded once. */
static inline gf_vf gf_vf_fma(gf_vf a, gf_vf b, gf_vf c)
{
#if GF_LANES == 16
    return _mm512_fmadd_ps(a, b, c);
#elif GF_LANES == 8
    return _mm256_fmadd_ps(a, b, c);
#else
    for (int i = 0; i < GF_LANES; i++)
        c[i] = fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

void GF_ISA_NAME(gf_cpu_row_load)(const struct gf_cpu_source *source, const void *src, float *dst, size_t pixels);
void GF_ISA_NAME(gf_cpu_row_premultiply)(float *line, size_t pixels, uint32_t channels);
void GF_ISA_NAME(gf_cpu_row_fir)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                                 const float *coefs, size_t n, float *out);
void GF_ISA_NAME(gf_cpu_row_fir2)(const float *const *lines, uint32_t width, uint32_t height, uint32_t step,
                                  const float *coefs, size_t n, float *out0, float *out1);
void GF_ISA_NAME(gf_cpu_row_add)(const float *a, const float *b, float *out, size_t n);
void GF_ISA_NAME(gf_cpu_row_store)(const struct gf_cpu_target *target, float *acc, const void *src, void *dst,
                                   size_t pixels);

#endif
