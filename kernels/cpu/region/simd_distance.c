/* SPDX-License-Identifier: MIT */
/*
 * Heights over the nearest 0 of a column, and roots of squares. Compiled once per instruction set; distance.c calls it
 * through gf_simd_distance.
 */
#include "simd_distance.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"

/* height + 1, but GF_NO_HEIGHT stays. */
GF_ALWAYS uint16_t one_more(uint16_t height)
{
    return (uint16_t)(height + (height != GF_NO_HEIGHT));
}

/* The mask removes the sign of floats, so that -0 is 0. */
#define BELOW_OF(name, any, mask)                                                                                      \
    static void name(const void *src, const uint16_t *restrict before, uint16_t *restrict heights, size_t n)           \
    {                                                                                                                  \
        const any *x = src;                                                                                            \
        for (size_t i = 0; before == NULL && i < n; i++)                                                               \
            heights[i] = (x[i] & (mask)) != 0 ? GF_NO_HEIGHT : 0;                                                      \
        for (size_t i = 0; before != NULL && i < n; i++)                                                               \
            heights[i] = (x[i] & (mask)) != 0 ? one_more(before[i]) : 0;                                               \
    }

BELOW_OF(below_8, gf_u8_any, 0xFFu)
BELOW_OF(below_16, gf_u16_any, 0xFFFFu)
BELOW_OF(below_f16, gf_u16_any, 0x7FFFu)
BELOW_OF(below_f32, gf_u32_any, 0x7FFFFFFFu)

static void below(uint32_t dtype, const void *src, const uint16_t *before, uint16_t *heights, size_t n)
{
    if (dtype == GF_U8)
        below_8(src, before, heights, n);
    else if (dtype == GF_F16)
        below_f16(src, before, heights, n);
    else if (dtype == GF_F32)
        below_f32(src, before, heights, n);
    else
        below_16(src, before, heights, n);
}

static void above(const uint16_t *restrict after, uint16_t *restrict heights, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t other = one_more(after[i]);
        heights[i] = other < heights[i] ? other : heights[i];
    }
}

static void roots(const double *squares, size_t n, void *dst)
{
    gf_f32_any *to = dst;
    size_t i = 0;
#if GF_LANES == 16
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps((float *)dst + i, _mm512_cvtpd_ps(_mm512_sqrt_pd(_mm512_loadu_pd(squares + i))));
#elif GF_LANES == 8
    for (; i + 4 <= n; i += 4)
        _mm_storeu_ps((float *)dst + i, _mm256_cvtpd_ps(_mm256_sqrt_pd(_mm256_loadu_pd(squares + i))));
#endif
    for (; i < n; i++)
        to[i] = (float)sqrt(squares[i]);
}

static void whole(const double *squares, size_t n, void *dst)
{
    gf_u32_any *to = dst;
    for (size_t i = 0; i < n; i++)
        to[i] = squares[i] < 0x1p32 ? (uint32_t)squares[i] : UINT32_MAX;
}

extern const struct gf_simd_distance GF_ISA_NAME(gf_simd_distance);
const struct gf_simd_distance GF_ISA_NAME(gf_simd_distance) = {
    .below = below, .above = above, .roots = roots, .whole = whole};
