/* SPDX-License-Identifier: MIT */
/*
 * Products of pictures, sums of columns, scores and their peaks. Compiled once per instruction set; match.c calls it
 * through gf_simd_match.
 */
#include "simd_match.h"

#include "kernels/cpu/simd/simd_isa.h"

#define VECTORS 4u /* vectors of columns, with two rows of sums each: as many as there are registers for */

typedef gf_vi gf_vi_any __attribute__((aligned(4), may_alias));

#ifdef __AVX512VNNI__
#define TAPS 4u
#define LESS 128
#else
#define TAPS 2u
#define LESS 0
#endif

GF_ALWAYS void take_channel(const uint8_t *src, size_t channels, size_t n, uint8_t *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = src[i * channels];
}

static void spread(const uint8_t *src, size_t channels, size_t left, size_t n, int32_t *words)
{
    uint8_t row[GF_MATCH_WORDS + TAPS];
    const size_t wanted = n + TAPS - 1, there = left < wanted ? left : wanted;
    if (channels == 1)
        take_channel(src, 1, there, row);
    else if (channels == 3)
        take_channel(src, 3, there, row);
    else
        take_channel(src, channels, there, row);
    memset(row + there, 0, wanted - there);
    for (size_t i = 0; i < n; i++) {
        uint32_t word = 0;
        for (size_t k = 0; k < TAPS; k++)
            word |= (uint32_t)row[i + k] << 32 / TAPS * k;
        words[i] = (int32_t)word;
    }
}

/* Adds the products of the samples of two words to the sum, lane by lane. */
GF_ALWAYS gf_vi multiply_add(gf_vi picture, gf_vi templ, gf_vi sum)
{
#ifdef __AVX512VNNI__
    return (gf_vi)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)picture, (__m512i)templ);
#elif GF_LANES == 16
    return sum + (gf_vi)_mm512_madd_epi16((__m512i)picture, (__m512i)templ);
#elif GF_LANES == 8
    return sum + (gf_vi)_mm256_madd_epi16((__m256i)picture, (__m256i)templ);
#else
    return sum + (picture & 0xFFFF) * (templ & 0xFFFF) + (picture >> 16) * (templ >> 16);
#endif
}

/* Row r of the picture meets row r of the template for the first row of sums, and row r - 1 for the second. */
static void correlate(const int32_t *words, size_t stride, const int32_t *templ, size_t rows, size_t n, size_t columns,
                      int32_t *const sums[2])
{
    for (size_t x = 0; x < columns; x += VECTORS * GF_LANES) {
        gf_vi first[VECTORS] = {{0}}, second[VECTORS] = {{0}};
        for (size_t r = 0; r <= rows; r++) {
            const int32_t *row = words + r * stride + x, *t = templ + r * n;
            for (size_t i = 0; i < n; i++) {
                const gf_vi before = t[i] - (gf_vi){0}, own = t[n + i] - (gf_vi){0};
                for (size_t v = 0; v < VECTORS; v++) {
                    const gf_vi p = *(const gf_vi_any *)(const void *)(row + TAPS * i + v * GF_LANES);
                    first[v] = multiply_add(p, own, first[v]);
                    second[v] = multiply_add(p, before, second[v]);
                }
            }
        }
        for (size_t v = 0; v < VECTORS; v++) {
            *(gf_vi_any *)(void *)(sums[0] + x + v * GF_LANES) = first[v];
            *(gf_vi_any *)(void *)(sums[1] + x + v * GF_LANES) = second[v];
        }
    }
}

/* Samples are at most 255, squares at most 65025; over 65535 rows both sums stay below 2^32. */
static void slide(const uint8_t *add, const uint8_t *take, size_t n, uint32_t *restrict sums,
                  uint32_t *restrict squares)
{
    for (size_t i = 0; add != NULL && i < n; i++) {
        sums[i] += add[i];
        squares[i] += (uint32_t)add[i] * add[i];
    }
    for (size_t i = 0; take != NULL && i < n; i++) {
        sums[i] -= take[i];
        squares[i] -= (uint32_t)take[i] * take[i];
    }
}

#if GF_LANES == 16
#define REALS 8u
typedef __m512d reals;
GF_ALWAYS reals reals_of(const int64_t *v)
{
    return _mm512_cvtepi64_pd(_mm512_loadu_si512(v));
}

GF_ALWAYS reals all(double v)
{
    return _mm512_set1_pd(v);
}

GF_ALWAYS reals root_of(reals v)
{
    return _mm512_sqrt_pd(v);
}

/* Stores q, at most 1, where the root is not 0; otherwise `none`. */
GF_ALWAYS void put(reals q, reals root, double none, float *to)
{
    const __mmask8 is_empty = _mm512_cmp_pd_mask(root, _mm512_setzero_pd(), _CMP_EQ_OQ);
    const reals v = _mm512_mask_mov_pd(_mm512_min_pd(q, all(1.0)), is_empty, all(none));
    _mm256_storeu_ps(to, _mm512_cvtpd_ps(v));
}
#elif GF_LANES == 8
#define REALS 4u
typedef __m256d reals;
/* The halves of each number become exact f64, the upper half signed: their bits are put into the mantissa of a power of
 * two, which is then subtracted. The sum of both is rounded once. */
GF_ALWAYS reals reals_of(const int64_t *v)
{
    const __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)v);
    const __m256i low = _mm256_blend_epi32(_mm256_set1_epi64x(0x4330000000000000), bits, 0x55);
    const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(bits, 32), _mm256_set1_epi64x(0x4530000080000000));
    const __m256d powers = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), powers), _mm256_castsi256_pd(low));
}

GF_ALWAYS reals all(double v)
{
    return _mm256_set1_pd(v);
}

GF_ALWAYS reals root_of(reals v)
{
    return _mm256_sqrt_pd(v);
}

GF_ALWAYS void put(reals q, reals root, double none, float *to)
{
    const reals is_empty = _mm256_cmp_pd(root, _mm256_setzero_pd(), _CMP_EQ_OQ);
    _mm_storeu_ps(to, _mm256_cvtpd_ps(_mm256_blendv_pd(_mm256_min_pd(q, all(1.0)), all(none), is_empty)));
}
#endif

static void score(const int64_t *numerators, const int64_t *squares, double square, int differs, size_t n, void *scores)
{
    const double none = differs ? 1.0 : 0.0;
    gf_f32_any *to = scores;
    size_t i = 0;
#ifdef REALS
    for (; i + REALS <= n; i += REALS) {
        const reals root = root_of(reals_of(squares + i) * all(square));
        put(reals_of(numerators + i) / root, root, none, (float *)scores + i);
    }
#endif
    for (; i < n; i++) {
        const double root = sqrt((double)squares[i] * square), q = (double)numerators[i] / root;
        to[i] = (float)(root == 0.0 ? none : q < 1.0 ? q : 1.0);
    }
}

/* Clears the flags of scores that a score of a neighbouring row beats. `before`: an equal score beats it too. */
GF_ALWAYS void compare_rows(const gf_f32_any *row, const gf_f32_any *other, int before, float sign, size_t n,
                            uint8_t *flags)
{
    for (size_t d = 0; d < 3; d++) { /* the neighbour to the left, straight, to the right */
        size_t from = d == 0, to = d == 2 ? n - 1 : n;
        for (size_t i = from; i < to; i++) {
            float own = sign * row[i], beside = sign * other[i + d - 1];
            flags[i] &= before ? own > beside : own >= beside;
        }
    }
}

/* An equal score beats a place if it comes before that place in the picture, not if it comes after. */
static void tops(const void *above, const void *own_row, const void *below, float sign, size_t n, uint8_t *flags)
{
    const gf_f32_any *row = own_row;
    flags[0] = 1;
    for (size_t i = 1; i < n; i++)
        flags[i] = sign * row[i] > sign * row[i - 1];
    for (size_t i = 0; i + 1 < n; i++)
        flags[i] &= sign * row[i] >= sign * row[i + 1];
    if (above != NULL)
        compare_rows(row, above, 1, sign, n, flags);
    if (below != NULL)
        compare_rows(row, below, 0, sign, n, flags);
}

extern const struct gf_simd_match GF_ISA_NAME(gf_simd_match);
const struct gf_simd_match GF_ISA_NAME(gf_simd_match) = {
    .taps = TAPS,
    .less = LESS,
    .spread = spread,
    .correlate = correlate,
    .slide = slide,
    .score = score,
    .tops = tops,
};
