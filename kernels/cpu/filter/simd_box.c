/* SPDX-License-Identifier: MIT */
/* Boxes over bytes whose sums fit in 16 bits. Compiled once per instruction set; called by box_bytes.c. */
#include "simd_filter.h"

#include "kernels/cpu/simd/simd_isa.h"

/* 2^23: adding it to a float rounds to nearest, ties to even, and leaves a whole number 0..255 in the low bits. */
#define ROUNDING 8388608.0f

void GF_ISA_NAME(gf_simd_box_columns)(uint16_t *sums, const uint8_t *in, const uint8_t *out, size_t n)
{
    uint16_t *restrict to = sums;
    const uint8_t *restrict more = in, *restrict less = out;
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(to[i] + more[i] - less[i]);
}

static void add_shifted(const uint16_t *restrict a, const uint16_t *restrict b, uint16_t *restrict out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint16_t)(a[i] + b[i]);
}

static void add_to(uint16_t *restrict out, const uint16_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint16_t)(out[i] + a[i]);
}

/* Forms the sums of 1, 2, 4... neighbours and adds up the ones whose bits are set in `width`. */
void GF_ISA_NAME(gf_simd_box_window)(uint16_t *columns, uint32_t width, uint32_t step, uint16_t *spare, size_t n,
                                     uint16_t *out)
{
    uint16_t *sums = columns, *next = spare;
    size_t covered = 0, length = n + (size_t)(width - 1) * step;
    for (uint32_t bit = 1; bit <= width; bit *= 2) {
        if (width & bit) {
            if (covered == 0)
                memcpy(out, sums, n * sizeof(*out));
            else
                add_to(out, sums + covered * step, n);
            covered += bit;
        }
        if (2 * bit > width)
            break;
        length -= (size_t)bit * step;
        add_shifted(sums, sums + (size_t)bit * step, next, length);
        uint16_t *used = sums == columns ? spare + n + (size_t)width * step : sums;
        sums = next;
        next = used;
    }
}

static inline gf_vf load_u16(const uint16_t *p)
{
#if GF_LANES == 16
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)p)));
#elif GF_LANES == 8
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)p)));
#else
    gf_vf v;
    for (int i = 0; i < GF_LANES; i++)
        v[i] = (float)p[i];
    return v;
#endif
}

void GF_ISA_NAME(gf_simd_box_store)(const uint16_t *sums, float scale, float offset, void *dst, size_t n)
{
    const gf_vf factor = gf_vf_set(scale), more = gf_vf_set(offset), max = gf_vf_set(255.0f);
    gf_u8_any *to = dst, last[GF_LANES];
    for (size_t i = 0; i < n; i += GF_LANES) {
        bool is_full = n - i >= GF_LANES;
        gf_vf v = gf_vf_fma(load_u16(sums + i), factor, more);
        gf_vi_store_u8(is_full ? to + i : last, (gf_vi)(gf_vf_clamp(v, max) + ROUNDING) & 0xFF);
        if (!is_full)
            memcpy(to + i, last, n - i);
    }
}
