/* SPDX-License-Identifier: MIT */
/*
 * Declarations that the simd_*.c files share while they are compiled for one instruction set (GF_ISA): names, a vector
 * of floats, samples at any address.
 */
#ifndef GF_KERNELS_CPU_SIMD_ISA_H
#define GF_KERNELS_CPU_SIMD_ISA_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

#define GF_PASTE_(a, b) a##_##b
#define GF_PASTE(a, b) GF_PASTE_(a, b)
/* The name of a function or table of this instruction set. */
#define GF_ISA_NAME(name) GF_PASTE(name, GF_ISA)

/* A function that is always inlined, so that constant arguments give each call specialised code. */
#define GF_ALWAYS static inline __attribute__((always_inline))

/* Samples at any address. The one-byte types alias everything anyway. */
typedef uint8_t gf_u8_any;
typedef int8_t gf_i8_any;
typedef uint16_t gf_u16_any __attribute__((aligned(1), may_alias));
typedef int16_t gf_i16_any __attribute__((aligned(1), may_alias));
typedef uint32_t gf_u32_any __attribute__((aligned(1), may_alias));
typedef int32_t gf_i32_any __attribute__((aligned(1), may_alias));
typedef uint64_t gf_u64_any __attribute__((aligned(1), may_alias));
typedef int64_t gf_i64_any __attribute__((aligned(1), may_alias));
typedef float gf_f32_any __attribute__((aligned(1), may_alias));
typedef double gf_f64_any __attribute__((aligned(1), may_alias));

#if defined(__AVX512F__)
#define GF_LANES 16
#elif defined(__AVX2__) && defined(__FMA__)
#define GF_LANES 8
#else
#define GF_LANES 4
#endif

typedef float gf_vf __attribute__((vector_size(GF_LANES * 4)));
typedef int32_t gf_vi
    __attribute__((vector_size(GF_LANES * 4))); /* the type of a comparison's result: all ones or all zeros */
typedef uint32_t gf_vbits __attribute__((vector_size(GF_LANES * 4))); /* its sums wrap */
typedef float gf_vf_any __attribute__((vector_size(GF_LANES * 4), aligned(4), may_alias));
typedef float gf_vf_byte __attribute__((vector_size(GF_LANES * 4), aligned(1), may_alias));

static inline gf_vf gf_vf_load(const float *p)
{
    return *(const gf_vf_any *)p;
}

static inline void gf_vf_store(float *p, gf_vf v)
{
    *(gf_vf_any *)p = v;
}

/* A streaming store; p must be aligned to the vector size. The pool waits for such stores after the last task. */
static inline void gf_vf_stream(gf_f32_any *p, gf_vf v)
{
#if GF_LANES == 16
    _mm512_stream_ps(p, v);
#elif GF_LANES == 8
    _mm256_stream_ps((float *)p, v);
#else
    *(gf_vf_any *)p = v;
#endif
}

/* The number of floats before the next aligned address for gf_vf_stream, at most n. */
static inline size_t gf_stream_head(const void *p, size_t n)
{
    uintptr_t past = (uintptr_t)p % sizeof(gf_vf);
    size_t head = past == 0 ? 0 : (sizeof(gf_vf) - past) / sizeof(float);
    return past % sizeof(float) != 0 || head > n ? n : head;
}

/* The number of samples of `size` bytes before the next cache line, at most n. Vectors stored from there on, one after
 * the other, do not cross cache lines. */
static inline size_t gf_line_head(const void *p, size_t size, size_t n)
{
    size_t head = (64 - (uintptr_t)p % 64) % 64 / size;
    return head < n ? head : n;
}

static inline gf_vf gf_vf_set(float x)
{
    return x - (gf_vf){0};
}

/* Holds v in a register; otherwise the compiler would load it again for each use. */
static inline gf_vf gf_vf_hold(gf_vf v)
{
#if GF_LANES > 4
    __asm__("" : "+v"(v));
#endif
    return v;
}

/* a * b + c, rounded once. */
static inline gf_vf gf_vf_fma(gf_vf a, gf_vf b, gf_vf c)
{
#if GF_LANES == 16
    return _mm512_fmadd_ps(a, b, c);
#elif GF_LANES == 8
    return _mm256_fmadd_ps(a, b, c);
#else
    gf_vf r = {0};
    for (int i = 0; i < GF_LANES; i++)
        r[i] = fmaf(a[i], b[i], c[i]);
    return r;
#endif
}

static inline gf_vf gf_vf_sqrt(gf_vf v)
{
#if GF_LANES == 16
    return _mm512_sqrt_ps(v);
#elif GF_LANES == 8
    return _mm256_sqrt_ps(v);
#else
    for (int i = 0; i < GF_LANES; i++)
        v[i] = sqrtf(v[i]);
    return v;
#endif
}

/* Each lane of the mask must be all ones or all zeros. */
static inline gf_vf gf_vf_select(gf_vi mask, gf_vf yes, gf_vf no)
{
#if GF_LANES == 8
    return _mm256_blendv_ps(no, yes, (gf_vf)mask);
#else
    return (gf_vf)(((gf_vi)yes & mask) | ((gf_vi)no & ~mask));
#endif
}

/* v clamped to 0..max; NaN becomes 0. */
static inline gf_vf gf_vf_clamp(gf_vf v, gf_vf max)
{
    gf_vf zero = gf_vf_set(0.0f);
#if GF_LANES == 16
    return _mm512_min_ps(_mm512_max_ps(v, zero), max); /* max returns its second operand if the first is NaN */
#elif GF_LANES == 8
    return _mm256_min_ps(_mm256_max_ps(v, zero), max);
#else
    v = gf_vf_select(v > zero, v, zero);
    return gf_vf_select(v < max, v, max);
#endif
}

/* Stores whole numbers 0..255, or 0..65535, at any address. */
static inline void gf_vi_store_u8(gf_u8_any *p, gf_vi v)
{
#if GF_LANES == 16
    _mm_storeu_si128((__m128i_u *)p, _mm512_cvtepi32_epi8((__m512i)v));
#elif GF_LANES == 8
    __m256i w = (__m256i)v;
    __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
    _mm_storeu_si64(p, _mm_packus_epi16(words, words));
#else
    for (int i = 0; i < GF_LANES; i++)
        p[i] = (uint8_t)v[i];
#endif
}

static inline void gf_vi_store_u16(gf_u16_any *p, gf_vi v)
{
#if GF_LANES == 16
    _mm256_storeu_si256((__m256i_u *)p, _mm512_cvtepi32_epi16((__m512i)v));
#elif GF_LANES == 8
    __m256i w = (__m256i)v;
    _mm_storeu_si128((__m128i_u *)p, _mm_packus_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1)));
#else
    for (int i = 0; i < GF_LANES; i++)
        p[i] = (uint16_t)v[i];
#endif
}

/* Copies alpha, the last of 2 or 4 channels, to all channels of its pixel. */
static inline gf_vf gf_vf_alpha(gf_vf v, uint32_t channels)
{
#if __has_builtin(__builtin_shuffle)
    gf_vi lanes = {0};
    for (int i = 0; i < GF_LANES; i++)
        lanes[i] = i | (int)(channels - 1);
    return __builtin_shuffle(v, lanes);
#else /* clang */
    gf_vf alpha = v;
    for (int i = 0; i < GF_LANES; i++)
        alpha[i] = v[i | (int)(channels - 1)];
    return alpha;
#endif
}

/* All ones where a lane is alpha. */
static inline gf_vi gf_vf_alpha_lanes(uint32_t channels)
{
    gf_vi mask = {0};
    for (int i = 0; i < GF_LANES; i++)
        mask[i] = (i & (int)(channels - 1)) == (int)channels - 1 ? -1 : 0;
    return mask;
}

#endif
