/* SPDX-License-Identifier: MIT */
/* Converts bytes of RGB to planes of YCbCr 4:2:0 and back. Compiled once per instruction set; called by yuv420.c. */
#include "simd_colour.h"
#include "simd_formulas.h"
#include "simd_parts.h"

#if GF_LANES > 4
#define PIXELS (16u * GF_PARTS)

/* A shuffle that widens four bytes of a part to 32 bits. */
#define WIDE(a, b, c, d)                                                                                               \
    {                                                                                                                  \
        a, GF_NO, GF_NO, GF_NO, b, GF_NO, GF_NO, GF_NO, c, GF_NO, GF_NO, GF_NO, d, GF_NO, GF_NO, GF_NO                 \
    }

/* Per quad, the bytes of luma, and the bytes of chroma, of which one pair serves two pixels. */
static const uint8_t luma_of[GF_QUADS][16] = {WIDE(0, 1, 2, 3), WIDE(4, 5, 6, 7), WIDE(8, 9, 10, 11),
                                              WIDE(12, 13, 14, 15)};
static const uint8_t cb_of[GF_QUADS][16] = {WIDE(0, 0, 2, 2), WIDE(4, 4, 6, 6), WIDE(8, 8, 10, 10),
                                            WIDE(12, 12, 14, 14)};
static const uint8_t cr_of[GF_QUADS][16] = {WIDE(1, 1, 3, 3), WIDE(5, 5, 7, 7), WIDE(9, 9, 11, 11),
                                            WIDE(13, 13, 15, 15)};

/* Interleaves eight bytes with the next eight. */
static const uint8_t in_turn[16] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};

/* A byte is placed in the low bits of the float 2^23, which is then subtracted together with a whole number. */
GF_ALWAYS gf_vf widen(gf_vb bytes, const uint8_t *places, gf_vf taken)
{
    gf_vb wide = GF_VB(shuffle_epi8)(bytes, gf_vb_parts(places));
    return (gf_vf)((gf_vi)wide | (gf_vi)gf_vf_set(8388608.0f)) - taken;
}

/* Packs whole numbers of four vectors to bytes, saturated. */
GF_ALWAYS gf_vb pack(gf_vb a, gf_vb b, gf_vb c, gf_vb d)
{
    return GF_VB(packus_epi16)(GF_VB(packs_epi32)(a, b), GF_VB(packs_epi32)(c, d));
}

/* Elements 0 and 2, or 1 and 3, of two vectors, part by part. */
#define EVEN(a, b) GF_VB(shuffle_ps)(a, b, _MM_SHUFFLE(2, 0, 2, 0))
#define ODD(a, b) GF_VB(shuffle_ps)(a, b, _MM_SHUFFLE(3, 1, 3, 1))

/* Stores eight bytes of Cb and eight of Cr from each part. */
GF_ALWAYS void store_chroma(uint8_t *cb, uint8_t *cr, gf_vb v, bool apart)
{
    if (!apart) {
        gf_vb_store(cb, 16, GF_VB(shuffle_epi8)(v, gf_vb_parts(in_turn)), false);
        return;
    }
#if GF_LANES == 16
    v = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
    _mm256_storeu_si256((__m256i_u *)cb, _mm512_castsi512_si256(v));
    _mm256_storeu_si256((__m256i_u *)cr, _mm512_extracti64x4_epi64(v, 1));
#else
    v = _mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storeu_si128((__m128i_u *)cb, _mm256_castsi256_si128(v));
    _mm_storeu_si128((__m128i_u *)cr, _mm256_extracti128_si256(v, 1));
#endif
}

/* Loads pairs of Cb and Cr into each part. */
GF_ALWAYS gf_vb load_chroma(const uint8_t *cb, const uint8_t *cr, bool apart)
{
    if (!apart)
        return gf_vb_load(cb, 16);
#if GF_LANES == 16
    __m256i b = _mm256_loadu_si256((const __m256i_u *)cb), r = _mm256_loadu_si256((const __m256i_u *)cr);
    return _mm512_permutex2var_epi64(_mm512_castsi256_si512(_mm256_unpacklo_epi8(b, r)),
                                     _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                                     _mm512_castsi256_si512(_mm256_unpackhi_epi8(b, r)));
#else
    __m128i b = _mm_loadu_si128((const __m128i_u *)cb), r = _mm_loadu_si128((const __m128i_u *)cr);
    return _mm256_set_m128i(_mm_unpackhi_epi8(b, r), _mm_unpacklo_epi8(b, r));
#endif
}

GF_ALWAYS size_t to_by(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n, bool apart)
{
    const struct gf_vf_matrix luma = gf_vf_matrix_of(&k[0]), chroma = gf_vf_matrix_of(&k[1]);
    const gf_vf place = gf_vf_set(8388608.0f), quarter = gf_vf_set(0.25f);
    size_t i = 0;
    for (; i + PIXELS <= n; i += PIXELS) {
        gf_vb bright[2][GF_QUADS], differences[2][2];
        gf_vf sums[GF_QUADS][3];
#pragma GCC unroll 4
        for (size_t q = 0; q < GF_QUADS; q++) {
            gf_vf x[2][3], v;
#pragma GCC unroll 2
            for (size_t r = 0; r < 2; r++) {
                gf_vb in = gf_load_quad((const uint8_t *)at->rgb[r] + 3 * i, q);
#pragma GCC unroll 3
                for (size_t c = 0; c < 3; c++)
                    x[r][c] = widen(in, gf_widening[q == 3][c], place);
                gf_vf_linear(&luma, 3, 1, true, x[r], &v);
                bright[r][q] = GF_VB(cvtps_epi32)(v);
            }
#pragma GCC unroll 3
            for (size_t c = 0; c < 3; c++)
                sums[q][c] = x[0][c] + x[1][c];
        }
        for (size_t r = 0; r < 2; r++)
            gf_vb_store((uint8_t *)at->luma[r] + i, 16, pack(bright[r][0], bright[r][1], bright[r][2], bright[r][3]),
                        false);
#pragma GCC unroll 2
        for (size_t h = 0; h < 2; h++) {
            gf_vf mean[3], v[2];
#pragma GCC unroll 3
            for (size_t c = 0; c < 3; c++) {
                gf_vf a = sums[2 * h][c], b = sums[2 * h + 1][c];
                mean[c] = ((gf_vf)EVEN(a, b) + (gf_vf)ODD(a, b)) * quarter;
            }
            gf_vf_linear(&chroma, 3, 2, true, mean, v);
            differences[0][h] = GF_VB(cvtps_epi32)(v[0]);
            differences[1][h] = GF_VB(cvtps_epi32)(v[1]);
        }
        store_chroma((uint8_t *)at->cb + (apart ? i / 2 : i), apart ? (uint8_t *)at->cr + i / 2 : NULL,
                     pack(differences[0][0], differences[0][1], differences[1][0], differences[1][1]), apart);
    }
    return i;
}

GF_ALWAYS size_t from_by(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n, bool apart, bool stream)
{
    const struct gf_vf_matrix m = gf_vf_matrix_of(k);
    const gf_vf place = gf_vf_set(8388608.0f),
                taken[3] = {place + m.before[0], place + m.before[1], place + m.before[2]};
    size_t i = 0;
    for (; i + PIXELS <= n; i += PIXELS) {
        gf_vb luma = gf_vb_load((const uint8_t *)at->luma[0] + i, 16), placed[GF_QUADS];
        gf_vb chroma = load_chroma((const uint8_t *)at->cb + (apart ? i / 2 : i),
                                   apart ? (const uint8_t *)at->cr + i / 2 : NULL, apart);
#pragma GCC unroll 4
        for (size_t q = 0; q < GF_QUADS; q++) {
            gf_vf v[3], x[3] = {widen(luma, luma_of[q], taken[0]), widen(chroma, cb_of[q], taken[1]),
                                widen(chroma, cr_of[q], taken[2])};
            gf_vf_linear(&m, 3, 3, true, x, v);
            placed[q] = gf_place_quad(GF_VB(cvtps_epi32)(v[0]), GF_VB(cvtps_epi32)(v[1]), GF_VB(cvtps_epi32)(v[2]), q);
        }
        gf_store_quads((uint8_t *)at->rgb[0] + 3 * i, placed, stream);
    }
    return i;
}

size_t GF_ISA_NAME(gf_simd_to_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n)
{
    return at->apart ? to_by(k, at, n, true) : to_by(k, at, n, false);
}

size_t GF_ISA_NAME(gf_simd_from_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n,
                                        bool stream)
{
    if (stream && (uintptr_t)at->rgb[0] % 16 == 0)
        return at->apart ? from_by(k, at, n, true, true) : from_by(k, at, n, false, true);
    return at->apart ? from_by(k, at, n, true, false) : from_by(k, at, n, false, false);
}
#else
size_t GF_ISA_NAME(gf_simd_to_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n)
{
    (void)k, (void)at, (void)n;
    return 0;
}

size_t GF_ISA_NAME(gf_simd_from_yuv420)(const struct gf_colour *k, const struct gf_yuv420_rows *at, size_t n,
                                        bool stream)
{
    (void)k, (void)at, (void)n, (void)stream;
    return 0;
}
#endif
