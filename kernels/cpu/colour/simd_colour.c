/* SPDX-License-Identifier: MIT */
/* Colour conversions plane by plane, docs/numerics.md, "Colour". Compiled once per instruction set; called by colour.c.
 */
#include "simd_colour.h"

#include "protocol/base/dtype.h"
#include "simd_formulas.h"

#if GF_LANES > 4
/* Two pairs of 16-bit products are added up; green takes part in both with half of its weight. */
static size_t luma_vectors(const uint32_t *w, const gf_u8_any *r, const gf_u8_any *g, const gf_u8_any *b, gf_u8_any *to,
                           size_t n)
{
    const __m256i first = _mm256_set1_epi32((int)(w[0] | w[1] / 2 << 16)), half = _mm256_set1_epi32(32768);
    const __m256i second = _mm256_set1_epi32((int)(w[2] | (w[1] - w[1] / 2) << 16));
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i red = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)(r + i)));
        __m256i green = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)(g + i)));
        __m256i blue = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)(b + i)));
        __m256i low = _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpacklo_epi16(red, green), first),
                                       _mm256_madd_epi16(_mm256_unpacklo_epi16(blue, green), second));
        __m256i high = _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpackhi_epi16(red, green), first),
                                        _mm256_madd_epi16(_mm256_unpackhi_epi16(blue, green), second));
        low = _mm256_srli_epi32(_mm256_add_epi32(low, half), 16);
        high = _mm256_srli_epi32(_mm256_add_epi32(high, half), 16);
        __m256i words = _mm256_packus_epi32(low, high);
        __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        _mm_storeu_si128((__m128i_u *)(to + i), bytes);
    }
    return i;
}
#else
static size_t luma_vectors(const uint32_t *w, const gf_u8_any *r, const gf_u8_any *g, const gf_u8_any *b, gf_u8_any *to,
                           size_t n)
{
    (void)w, (void)r, (void)g, (void)b, (void)to, (void)n;
    return 0;
}
#endif

static void luma_u8(const uint32_t *w, const gf_u8_any *restrict r, const gf_u8_any *restrict g,
                    const gf_u8_any *restrict b, gf_u8_any *restrict to, size_t n)
{
    const uint32_t red = w[0], green = w[1], blue = w[2];
    for (size_t i = luma_vectors(w, r, g, b, to, n); i < n; i++)
        to[i] = (uint8_t)((red * r[i] + green * g[i] + blue * b[i] + 32768u) >> 16);
}

static void luma_u16(const uint32_t *w, const gf_u16_any *restrict r, const gf_u16_any *restrict g,
                     const gf_u16_any *restrict b, gf_u16_any *restrict to, size_t n)
{
    const uint32_t red = w[0], green = w[1], blue = w[2];
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)((red * r[i] + green * g[i] + blue * b[i] + 32768u) >> 16);
}

/* Rounds x / 255 and x / 65535 to the nearest, for x up to their squares: (x + half) * (1 + 1/range) / range. */
static void over_u8(uint32_t behind, const gf_u8_any *restrict from, const gf_u8_any *restrict alpha,
                    gf_u8_any *restrict to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t a = alpha[i], x = from[i] * a + behind * (255u - a) + 128u;
        to[i] = (uint8_t)((x + (x >> 8)) >> 8);
    }
}

static void over_u16(uint32_t behind, const gf_u16_any *restrict from, const gf_u16_any *restrict alpha,
                     gf_u16_any *restrict to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t a = alpha[i], x = from[i] * a + behind * (65535u - a) + 32768u;
        to[i] = (uint16_t)((x + (x >> 16)) >> 16);
    }
}

void GF_ISA_NAME(gf_simd_whole)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n)
{
    bool bytes = k->from == GF_U8;
    if (k->kind == GF_COLOUR_LUMA) {
        if (bytes)
            luma_u8(k->weights, from[0], from[1], from[2], to[0], n);
        else
            luma_u16(k->weights, from[0], from[1], from[2], to[0], n);
        return;
    }
    for (uint32_t c = 0; c < k->colours; c++)
        if (bytes)
            over_u8(k->behind[c], from[c], from[k->colours], to[c], n);
        else
            over_u16(k->behind[c], from[c], from[k->colours], to[c], n);
}

/* The numbers of channels and colours are compile-time constants. */
GF_ALWAYS void linear(const struct gf_colour *k, size_t channels, size_t colours, bool dense, float *const *from,
                      float *const *to, size_t n)
{
    const struct gf_vf_matrix m = gf_vf_matrix_of(k);
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf x[GF_MAX_CHANNELS], v[GF_MAX_CHANNELS];
        for (size_t c = 0; c < channels; c++)
            x[c] = gf_vf_load(from[c] + i) - m.before[c];
        gf_vf_linear(&m, channels, colours, dense, x, v);
        for (size_t r = 0; r < colours; r++)
            gf_vf_store(to[r] + i, v[r]);
    }
}

GF_ALWAYS void linear_from(const struct gf_colour *k, size_t channels, bool dense, float *const *from, float *const *to,
                           size_t n)
{
    if (k->colours == 1)
        linear(k, channels, 1, dense, from, to, n);
    else if (k->colours == 2)
        linear(k, channels, 2, dense, from, to, n);
    else if (k->colours == 3)
        linear(k, channels, 3, dense, from, to, n);
    else
        linear(k, channels, 4, dense, from, to, n);
}

GF_ALWAYS void linear_of(const struct gf_colour *k, bool dense, float *const *from, float *const *to, size_t n)
{
    if (k->channels == 1)
        linear_from(k, 1, dense, from, to, n);
    else if (k->channels == 2)
        linear_from(k, 2, dense, from, to, n);
    else if (k->channels == 3)
        linear_from(k, 3, dense, from, to, n);
    else
        linear_from(k, 4, dense, from, to, n);
}

#if GF_LANES > 4
#define BYTES 32u /* bytes of a plane processed at a time */

/* A byte is placed in the low bits of the float 2^23, which is then subtracted together with `before`, a whole number.
 * Packing saturates the sums. */
GF_ALWAYS void linear_bytes(const struct gf_colour *k, size_t channels, size_t colours, const gf_u8_any *const *from,
                            gf_u8_any *const *to, size_t i)
{
    __m256 x[GF_MAX_CHANNELS][4];
    const __m256 place = _mm256_set1_ps(8388608.0f);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (size_t c = 0; c < channels; c++)
        for (size_t q = 0; q < 4; q++) {
            __m256i whole = _mm256_cvtepu8_epi32(_mm_loadu_si64(from[c] + i + 8 * q));
            __m256 at = _mm256_or_ps(_mm256_castsi256_ps(whole), place);
            x[c][q] = _mm256_sub_ps(at, _mm256_set1_ps(8388608.0f + k->before[c]));
        }
    for (size_t r = 0; r < colours; r++) {
        __m256i rounded[4];
        for (size_t q = 0; q < 4; q++) {
            __m256 v = _mm256_set1_ps(k->after[r]);
            for (size_t c = channels; c-- > 0;)
                v = _mm256_fmadd_ps(_mm256_set1_ps(k->matrix[r][c]), x[c][q], v);
            rounded[q] = _mm256_cvtps_epi32(v);
        }
        __m256i bytes =
            _mm256_packus_epi16(_mm256_packs_epi32(rounded[0], rounded[1]), _mm256_packs_epi32(rounded[2], rounded[3]));
        _mm256_storeu_si256((__m256i_u *)(to[r] + i), _mm256_permutevar8x32_epi32(bytes, order));
    }
}
#else
#define BYTES 1u

GF_ALWAYS void linear_bytes(const struct gf_colour *k, size_t channels, size_t colours, const gf_u8_any *const *from,
                            gf_u8_any *const *to, size_t i)
{
    for (size_t r = 0; r < colours; r++) {
        float v = k->after[r];
        for (size_t c = channels; c-- > 0;)
            v = fmaf(k->matrix[r][c], (float)from[c][i] - k->before[c], v);
        to[r][i] = (uint8_t)rintf(v > 0.0f ? v < 255.0f ? v : 255.0f : 0.0f);
    }
}
#endif

/* The last, partial block goes through `ends`. */
GF_ALWAYS void linear_line(const struct gf_colour *k, size_t channels, size_t colours, const void *const *from,
                           void *const *to, size_t n)
{
    gf_u8_any ends[2][GF_MAX_CHANNELS][BYTES] = {{{0}}};
    const gf_u8_any *read[GF_MAX_CHANNELS], *last_read[GF_MAX_CHANNELS];
    gf_u8_any *made[GF_MAX_CHANNELS], *last_made[GF_MAX_CHANNELS];
    const size_t whole = n - n % BYTES;
    for (size_t c = 0; c < GF_MAX_CHANNELS; c++) {
        last_read[c] = ends[0][c];
        last_made[c] = ends[1][c];
    }
    for (size_t c = 0; c < channels; c++)
        read[c] = from[c];
    for (size_t r = 0; r < colours; r++)
        made[r] = to[r];
    for (size_t i = 0; i < whole; i += BYTES)
        linear_bytes(k, channels, colours, read, made, i);
    if (whole == n)
        return;
    for (size_t c = 0; c < channels; c++)
        memcpy(ends[0][c], read[c] + whole, n - whole);
    linear_bytes(k, channels, colours, last_read, last_made, 0);
    for (size_t r = 0; r < colours; r++)
        memcpy(made[r] + whole, ends[1][r], n - whole);
}

GF_ALWAYS void linear_u8_from(const struct gf_colour *k, size_t channels, const void *const *from, void *const *to,
                              size_t n)
{
    if (k->colours == 1)
        linear_line(k, channels, 1, from, to, n);
    else if (k->colours == 2)
        linear_line(k, channels, 2, from, to, n);
    else if (k->colours == 3)
        linear_line(k, channels, 3, from, to, n);
    else
        linear_line(k, channels, 4, from, to, n);
}

void GF_ISA_NAME(gf_simd_linear_u8)(const struct gf_colour *k, const void *const *from, void *const *to, size_t n)
{
    if (k->channels == 1)
        linear_u8_from(k, 1, from, to, n);
    else if (k->channels == 2)
        linear_u8_from(k, 2, from, to, n);
    else if (k->channels == 3)
        linear_u8_from(k, 3, from, to, n);
    else
        linear_u8_from(k, 4, from, to, n);
}

static void linear_any(const struct gf_colour *k, float *const *from, float *const *to, size_t n)
{
    if (gf_colour_is_dense(k))
        linear_of(k, true, from, to, n);
    else
        linear_of(k, false, from, to, n);
}

static void scale(const struct gf_colour *k, float *const *from, float *const *to, size_t n)
{
    const gf_vf unit = gf_vf_set(k->unit);
    for (size_t c = 0; c < k->channels; c++) {
        const gf_vf mean = gf_vf_set(k->before[c]), std = gf_vf_set(k->after[c]);
        for (size_t i = 0; i < n; i += GF_LANES) {
            gf_vf x = gf_vf_load(from[c] + i);
            x = k->unit != 1.0f ? x / unit : x;
            gf_vf_store(to[c] + i, (x - mean) / std);
        }
    }
}

static void over_f32(const struct gf_colour *k, float *const *from, float *const *to, size_t n)
{
    const float *alpha = from[k->colours];
    for (size_t c = 0; c < k->colours; c++) {
        const gf_vf behind = gf_vf_set(k->after[c]);
        for (size_t i = 0; i < n; i += GF_LANES) {
            gf_vf a = gf_vf_load(alpha + i);
            gf_vf_store(to[c] + i, gf_vf_fma(gf_vf_load(from[c] + i), a, behind * (1.0f - a)));
        }
    }
}

static void to_hsv(const struct gf_colour *k, float *const *from, float *const *to, size_t n)
{
    const bool whole = k->from != GF_F32;
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf v[3], x[3] = {gf_vf_load(from[0] + i), gf_vf_load(from[1] + i), gf_vf_load(from[2] + i)};
        gf_vf_to_hsv(k, whole, x, v);
        for (size_t c = 0; c < 3; c++)
            gf_vf_store(to[c] + i, v[c]);
    }
}

static void from_hsv(const struct gf_colour *k, float *const *from, float *const *to, size_t n)
{
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf v[3], x[3] = {gf_vf_load(from[0] + i), gf_vf_load(from[1] + i), gf_vf_load(from[2] + i)};
        gf_vf_from_hsv(k, x, v);
        for (size_t c = 0; c < 3; c++)
            gf_vf_store(to[c] + i, v[c]);
    }
}

void GF_ISA_NAME(gf_simd_real)(const struct gf_colour *k, float *const *from, float *const *to, size_t n)
{
    if (k->kind == GF_COLOUR_LINEAR)
        linear_any(k, from, to, n);
    else if (k->kind == GF_COLOUR_SCALE)
        scale(k, from, to, n);
    else if (k->kind == GF_COLOUR_TO_HSV)
        to_hsv(k, from, to, n);
    else if (k->kind == GF_COLOUR_FROM_HSV)
        from_hsv(k, from, to, n);
    else
        over_f32(k, from, to, n);
}

const struct gf_simd_colour GF_ISA_NAME(gf_simd_colour) = {
    .split = GF_ISA_NAME(gf_simd_split),
    .join = GF_ISA_NAME(gf_simd_join),
    .pick = GF_ISA_NAME(gf_simd_pick),
    .pixels = GF_ISA_NAME(gf_simd_pixels),
    .to_yuv420 = GF_ISA_NAME(gf_simd_to_yuv420),
    .from_yuv420 = GF_ISA_NAME(gf_simd_from_yuv420),
    .linear_u8 = GF_ISA_NAME(gf_simd_linear_u8),
    .whole = GF_ISA_NAME(gf_simd_whole),
    .real = GF_ISA_NAME(gf_simd_real),
};
