/* SPDX-License-Identifier: MIT */
/* Rows of integral images of bytes, modulo 2^32. Compiled once per instruction set; called by integral_bytes.c. */
#include "simd_scan.h"

#include "kernels/cpu/simd/simd_isa.h"

GF_ALWAYS void sum_channels(const gf_u8_any *restrict src, const gf_u32_any *restrict above, gf_u32_any *restrict out,
                            size_t n, uint32_t channels, uint32_t *sums)
{
    for (size_t i = 0; i < n; i += channels)
        for (uint32_t c = 0; c < channels; c++) {
            sums[c] += src[i + c];
            out[i + c] = above[i + c] + sums[c];
        }
}

#if GF_LANES == 16
/* The inclusive sums of 16 bytes: within groups of four by products with ones and zeros, then across groups of four and
 * of eight. */
GF_ALWAYS __m512i running_sums(__m128i bytes)
{
    const __m512i fours = _mm512_setr_epi32(0x03020100, 0x03020100, 0x03020100, 0x03020100, 0x07060504, 0x07060504,
                                            0x07060504, 0x07060504, 0x0B0A0908, 0x0B0A0908, 0x0B0A0908, 0x0B0A0908,
                                            0x0F0E0D0C, 0x0F0E0D0C, 0x0F0E0D0C, 0x0F0E0D0C);
    const __m512i upto = _mm512_set4_epi32(0x01010101, 0x00010101, 0x00000101, 0x00000001);
    const __m512i third = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11);
    const __m512i seventh = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 7, 7, 7, 7);
    __m512i v = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytes), fours);
    v = _mm512_madd_epi16(_mm512_maddubs_epi16(v, upto), _mm512_set1_epi16(1));
    v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(0xFFF0, third, v));
    return _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(0xFF00, seventh, v));
}

static void sum_one_channel(const gf_u8_any *src, const gf_u32_any *above, gf_u32_any *out, size_t n)
{
    const __m512i last = _mm512_set1_epi32(15);
    uint32_t sum = 0;
    size_t i = gf_line_head(out, sizeof(*out), n);
    sum_channels(src, above, out, i, 1, &sum);
    __m512i carry = _mm512_set1_epi32((int)sum);
    for (; i + 16 <= n; i += 16) {
        __m512i v = running_sums(_mm_loadu_si128((const __m128i_u *)(src + i)));
        _mm512_storeu_si512(out + i, _mm512_add_epi32(_mm512_loadu_si512(above + i), _mm512_add_epi32(v, carry)));
        carry = _mm512_add_epi32(carry, _mm512_permutexvar_epi32(last, v));
    }
    sum = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(carry));
    sum_channels(src + i, above + i, out + i, n - i, 1, &sum);
}
#elif GF_LANES == 8
static void sum_one_channel(const gf_u8_any *src, const gf_u32_any *above, gf_u32_any *out, size_t n)
{
    const __m256i last = _mm256_set1_epi32(7), middle = _mm256_set1_epi32(3),
                  upper = _mm256_setr_epi32(0, 0, 0, 0, -1, -1, -1, -1);
    uint32_t sum = 0;
    size_t i = gf_line_head(out, sizeof(*out), n);
    sum_channels(src, above, out, i, 1, &sum);
    __m256i carry = _mm256_set1_epi32((int)sum);
    for (; i + 8 <= n; i += 8) {
        __m256i v = _mm256_cvtepu8_epi32(_mm_loadu_si64(src + i));
        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
        v = _mm256_add_epi32(v, _mm256_and_si256(upper, _mm256_permutevar8x32_epi32(v, middle)));
        __m256i sums = _mm256_add_epi32(_mm256_loadu_si256((const __m256i_u *)(above + i)), _mm256_add_epi32(v, carry));
        _mm256_storeu_si256((__m256i_u *)(out + i), sums);
        carry = _mm256_add_epi32(carry, _mm256_permutevar8x32_epi32(v, last));
    }
    sum = (uint32_t)_mm256_cvtsi256_si32(carry);
    sum_channels(src + i, above + i, out + i, n - i, 1, &sum);
}
#else
static void sum_one_channel(const gf_u8_any *src, const gf_u32_any *above, gf_u32_any *out, size_t n)
{
    uint32_t sum = 0;
    sum_channels(src, above, out, n, 1, &sum);
}
#endif

void GF_ISA_NAME(gf_simd_integral)(const void *src, uint32_t channels, size_t n, const void *above, void *out)
{
    uint32_t sums[GF_MAX_CHANNELS] = {0};
    if (channels == 1)
        sum_one_channel(src, above, out, n);
    else if (channels == 2)
        sum_channels(src, above, out, n, 2, sums);
    else if (channels == 3)
        sum_channels(src, above, out, n, 3, sums);
    else
        sum_channels(src, above, out, n, 4, sums);
}

void GF_ISA_NAME(gf_simd_add_bytes)(const void *src, size_t n, uint32_t *sums)
{
    const gf_u8_any *restrict from = src;
    uint32_t *restrict to = sums;
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}
