/* SPDX-License-Identifier: MIT */
/*
 * Column chains run over whole lines. For row chains, as many lines as a vector has lanes are transposed, so that a
 * vector holds the same sample of each line, and a window of any width and position is again a chain of whole vectors.
 * Compiled once per instruction set.
 */
#include "simd_resize.h"

#include "kernels/cpu/simd/simd_isa.h"

#define DOWN_BLOCK (GF_LANES == 16 ? 8 : 4)

GF_ALWAYS void down_block(const float *const *lines, const float *weights, uint32_t n_lines, bool begins, size_t x,
                          int block, float *out)
{
    gf_vf acc[DOWN_BLOCK];
    for (int b = 0; b < block; b++)
        acc[b] = begins ? gf_vf_set(0.0f) : gf_vf_load(out + x + (size_t)b * GF_LANES);
    for (uint32_t k = 0; k < n_lines; k++) {
        const float *p = lines[k] + x;
        gf_vf w = gf_vf_set(weights[k]);
#pragma GCC unroll 8
        for (int b = 0; b < block; b++)
            acc[b] = gf_vf_fma(gf_vf_load(p + b * GF_LANES), w, acc[b]);
    }
    for (int b = 0; b < block; b++)
        gf_vf_store(out + x + (size_t)b * GF_LANES, acc[b]);
}

static void down(const float *const *lines, const float *weights, uint32_t n_lines, bool begins, size_t n, float *acc)
{
    size_t x = 0;
    for (; x + (DOWN_BLOCK - 1) * GF_LANES < n; x += DOWN_BLOCK * GF_LANES)
        down_block(lines, weights, n_lines, begins, x, DOWN_BLOCK, acc);
    for (; x < n; x += GF_LANES)
        down_block(lines, weights, n_lines, begins, x, 1, acc);
}

/* Transposes: lane i of vector j becomes lane j of vector i. */
#if GF_LANES == 16
GF_ALWAYS void turn_vectors(gf_vf *v)
{
    __m512 u[4][4];
    for (int g = 0; g < 4; g++) {
        __m512 a = _mm512_unpacklo_ps(v[4 * g], v[4 * g + 1]), b = _mm512_unpackhi_ps(v[4 * g], v[4 * g + 1]);
        __m512 c = _mm512_unpacklo_ps(v[4 * g + 2], v[4 * g + 3]), d = _mm512_unpackhi_ps(v[4 * g + 2], v[4 * g + 3]);
        u[g][0] = _mm512_shuffle_ps(a, c, 0x44);
        u[g][1] = _mm512_shuffle_ps(a, c, 0xEE);
        u[g][2] = _mm512_shuffle_ps(b, d, 0x44);
        u[g][3] = _mm512_shuffle_ps(b, d, 0xEE);
    }
    for (int j = 0; j < 4; j++) { /* 128-bit lane L of u[g][j] is column 4 L + j of rows 4 g to 4 g + 3 */
        __m512 a = _mm512_shuffle_f32x4(u[0][j], u[1][j], 0x88), b = _mm512_shuffle_f32x4(u[0][j], u[1][j], 0xDD);
        __m512 c = _mm512_shuffle_f32x4(u[2][j], u[3][j], 0x88), d = _mm512_shuffle_f32x4(u[2][j], u[3][j], 0xDD);
        v[j] = _mm512_shuffle_f32x4(a, c, 0x88);
        v[4 + j] = _mm512_shuffle_f32x4(b, d, 0x88);
        v[8 + j] = _mm512_shuffle_f32x4(a, c, 0xDD);
        v[12 + j] = _mm512_shuffle_f32x4(b, d, 0xDD);
    }
}
#elif GF_LANES == 8
GF_ALWAYS void turn_vectors(gf_vf *v)
{
    __m256 u[2][4];
    for (int g = 0; g < 2; g++) {
        __m256 a = _mm256_unpacklo_ps(v[4 * g], v[4 * g + 1]), b = _mm256_unpackhi_ps(v[4 * g], v[4 * g + 1]);
        __m256 c = _mm256_unpacklo_ps(v[4 * g + 2], v[4 * g + 3]), d = _mm256_unpackhi_ps(v[4 * g + 2], v[4 * g + 3]);
        u[g][0] = _mm256_shuffle_ps(a, c, 0x44);
        u[g][1] = _mm256_shuffle_ps(a, c, 0xEE);
        u[g][2] = _mm256_shuffle_ps(b, d, 0x44);
        u[g][3] = _mm256_shuffle_ps(b, d, 0xEE);
    }
    for (int j = 0; j < 4; j++) {
        v[j] = _mm256_permute2f128_ps(u[0][j], u[1][j], 0x20);
        v[4 + j] = _mm256_permute2f128_ps(u[0][j], u[1][j], 0x31);
    }
}
#else
GF_ALWAYS void turn_vectors(gf_vf *v)
{
    for (int i = 0; i < GF_LANES; i++)
        for (int j = 0; j < i; j++) {
            float t = v[i][j];
            v[i][j] = v[j][i];
            v[j][i] = t;
        }
}
#endif

static void turn(const float *lines, size_t line, size_t n, float *turned)
{
    for (size_t i = 0; i < n; i += GF_LANES) {
        gf_vf v[GF_LANES];
        for (int r = 0; r < GF_LANES; r++)
            v[r] = gf_vf_load(lines + (size_t)r * line + i);
        turn_vectors(v);
        for (int r = 0; r < GF_LANES; r++)
            gf_vf_store(turned + (i + (size_t)r) * GF_LANES, v[r]);
    }
}

/* Samples of a few lines, turned without lines in between: a vector holds one sample in each row of the result. */
GF_ALWAYS void down_samples(const float *const *lines, const float *weights, uint32_t n_lines, bool whole, size_t x,
                            int block, float *turned)
{
    gf_vf acc[DOWN_BLOCK];
    for (int b = 0; b < block; b++)
        acc[b] = gf_vf_set(0.0f);
    for (uint32_t k = 0; k < n_lines; k++) {
        const gf_vf w = gf_vf_load(weights + (size_t)k * GF_LANES);
        const gf_vi is_tap = w == w;
#pragma GCC unroll 8
        for (int b = 0; b < block; b++) {
            gf_vf v = gf_vf_fma(gf_vf_set(lines[k][x + (size_t)b]), w, acc[b]);
            acc[b] = whole ? v : gf_vf_select(is_tap, v, acc[b]);
        }
    }
    for (int b = 0; b < block; b++)
        gf_vf_store(turned + (x + (size_t)b) * GF_LANES, acc[b]);
}

GF_ALWAYS void down_all(const float *const *lines, const float *weights, uint32_t n_lines, bool whole, size_t n,
                        float *turned)
{
    size_t x = 0;
    for (; x + DOWN_BLOCK <= n; x += DOWN_BLOCK)
        down_samples(lines, weights, n_lines, whole, x, DOWN_BLOCK, turned);
    for (; x < n; x++)
        down_samples(lines, weights, n_lines, whole, x, 1, turned);
}

static void down_turned(const float *const *lines, const float *weights, uint32_t n_lines, bool whole, size_t n,
                        float *turned)
{
    if (whole)
        down_all(lines, weights, n_lines, true, n, turned);
    else
        down_all(lines, weights, n_lines, false, n, turned);
}

/* The chain of one pixel over its window. */
GF_ALWAYS void across_pixel(const float *at, const float *weights, uint32_t n, uint32_t channels, gf_vf *ret)
{
    gf_vf acc[GF_MAX_CHANNELS];
    if (n == 2) { /* linear without shrinking: too short for a loop */
        gf_vf w0 = gf_vf_set(weights[0]), w1 = gf_vf_set(weights[1]);
        for (uint32_t c = 0; c < channels; c++)
            ret[c] = gf_vf_fma(gf_vf_load(at + (channels + c) * GF_LANES), w1,
                               gf_vf_fma(gf_vf_load(at + c * GF_LANES), w0, gf_vf_set(0.0f)));
        return;
    }
    for (uint32_t c = 0; c < channels; c++)
        acc[c] = gf_vf_set(0.0f);
    for (uint32_t k = 0; k < n; k++, at += channels * GF_LANES) {
        gf_vf w = gf_vf_set(weights[k]);
#pragma GCC unroll 4
        for (uint32_t c = 0; c < channels; c++)
            acc[c] = gf_vf_fma(gf_vf_load(at + c * GF_LANES), w, acc[c]);
    }
    for (uint32_t c = 0; c < channels; c++)
        ret[c] = acc[c];
}

/* Stores up to a vector of sums of a row, n of them. */
GF_ALWAYS void store_sums(gf_vf v, bool stored, size_t n, unsigned char *to)
{
    if (stored) {
        v = gf_vf_fma(v, gf_vf_set(1.0f), gf_vf_set(0.0f));
        v = gf_vf_select(v == v, v, gf_vf_set(__builtin_nanf("")));
    }
    if (n == GF_LANES)
        *(gf_vf_byte *)to = v;
    else
        memcpy(to, &v, n * sizeof(float));
}

/* Stores n pixels of sums from pixel i of the strip on. */
GF_ALWAYS void store_pixels(const struct gf_resize_strip *s, uint32_t channels, gf_vf *block, uint32_t i, uint32_t n,
                            bool stored, unsigned char *out, size_t pitch)
{
    for (uint32_t k = n * channels; k < GF_LANES * channels; k++)
        block[k] = gf_vf_set(0.0f);
    for (uint32_t g = 0; g < channels && g * GF_LANES < n * channels; g++) {
        size_t left = n * channels - g * GF_LANES;
        turn_vectors(block + g * GF_LANES);
        for (uint32_t r = 0; r < s->rows; r++)
            store_sums(block[g * GF_LANES + r], stored, left < GF_LANES ? left : GF_LANES,
                       out + r * pitch + ((size_t)i * channels + g * GF_LANES) * sizeof(float));
    }
}

GF_ALWAYS void across_strip(const struct gf_resize_strip *s, uint32_t channels, const float *turned, bool stored,
                            unsigned char *out, size_t pitch)
{
    gf_vf block[GF_LANES * GF_MAX_CHANNELS];
    for (uint32_t i = 0; i < s->n; i += GF_LANES) {
        uint32_t n = s->n - i < GF_LANES ? s->n - i : GF_LANES;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t x = s->first + i + k, at = s->axis->at[x];
            size_t from = s->packed ? at - s->axis->at[s->first] : s->axis->first[x] - s->source;
            across_pixel(turned + from * channels * GF_LANES, s->axis->weights + at, s->axis->at[x + 1] - at, channels,
                         block + k * channels);
        }
        store_pixels(s, channels, block, i, n, stored, out, pitch);
    }
}

GF_ALWAYS void across_channels(const struct gf_resize_strip *strip, const float *turned, bool stored,
                               unsigned char *out, size_t pitch)
{
    if (strip->channels == 1)
        across_strip(strip, 1, turned, stored, out, pitch);
    else if (strip->channels == 2)
        across_strip(strip, 2, turned, stored, out, pitch);
    else if (strip->channels == 3)
        across_strip(strip, 3, turned, stored, out, pitch);
    else
        across_strip(strip, 4, turned, stored, out, pitch);
}

static void across(const struct gf_resize_strip *strip, const float *turned, bool stored, unsigned char *out,
                   size_t pitch)
{
    if (stored)
        across_channels(strip, turned, true, out, pitch);
    else
        across_channels(strip, turned, false, out, pitch);
}

/* Continues the chains of `many` neighbouring pixels of the strip, from pixel x of the result on, over source pixels
 * from .. end - 1, which lie in the windows of all of them. */
GF_ALWAYS void go_on(const struct gf_resize_strip *s, uint32_t channels, uint32_t many, uint32_t x, uint32_t from,
                     uint32_t end, const float *turned, float *sums)
{
    gf_vf acc[4 * GF_MAX_CHANNELS];
    const float *weights[4];
    float *to = sums + (size_t)(x - s->first) * channels * GF_LANES;
    const float *at = turned + (size_t)(from - s->source) * channels * GF_LANES;
    for (uint32_t i = 0; i < many; i++) {
        bool begins = from == s->axis->first[x + i];
        weights[i] = s->axis->weights + s->axis->at[x + i] + (from - s->axis->first[x + i]);
        for (uint32_t c = 0; c < channels; c++)
            acc[i * channels + c] = begins ? gf_vf_set(0.0f) : gf_vf_load(to + (i * channels + c) * GF_LANES);
    }
    for (uint32_t k = 0; k < end - from; k++, at += channels * GF_LANES)
#pragma GCC unroll 4
        for (uint32_t c = 0; c < channels; c++) {
            const gf_vf v = gf_vf_load(at + c * GF_LANES);
#pragma GCC unroll 4
            for (uint32_t i = 0; i < many; i++)
                acc[i * channels + c] = gf_vf_fma(v, gf_vf_set(weights[i][k]), acc[i * channels + c]);
        }
    for (uint32_t k = 0; k < many * channels; k++)
        gf_vf_store(to + k * GF_LANES, acc[k]);
}

/* A wide window takes in most parts whole, and so do its neighbours, whose chains do not wait for each other. */
GF_ALWAYS void part_of_strip(const struct gf_resize_strip *s, uint32_t channels, uint32_t many, uint32_t end,
                             const float *turned, float *sums)
{
    const struct gf_resize_axis *axis = s->axis;
    for (uint32_t x = s->first, n = 1; x < s->first + s->n; x += n) {
        uint32_t from = axis->first[x], to = from + (axis->at[x + 1] - axis->at[x]);
        from = from > s->source ? from : s->source;
        to = to < end ? to : end;
        for (n = 1; n < many && x + n < s->first + s->n; n++)
            if (axis->first[x + n] > s->source || axis->first[x + n] + (axis->at[x + n + 1] - axis->at[x + n]) < end)
                break;
        n = n == many && from == s->source && to == end ? many : 1;
        if (from < to && n == many)
            go_on(s, channels, many, x, from, to, turned, sums);
        else if (from < to)
            go_on(s, channels, 1, x, from, to, turned, sums);
    }
}

static void across_part(const struct gf_resize_strip *strip, const float *turned, uint32_t end, float *sums)
{
    if (strip->channels == 1)
        part_of_strip(strip, 1, 4, end, turned, sums);
    else if (strip->channels == 2)
        part_of_strip(strip, 2, 4, end, turned, sums);
    else if (strip->channels == 3)
        part_of_strip(strip, 3, 2, end, turned, sums);
    else
        part_of_strip(strip, 4, 2, end, turned, sums);
}

static void finish(const struct gf_resize_strip *strip, const float *sums, bool stored, unsigned char *out,
                   size_t pitch)
{
    gf_vf block[GF_LANES * GF_MAX_CHANNELS];
    for (uint32_t i = 0; i < strip->n; i += GF_LANES) {
        uint32_t n = strip->n - i < GF_LANES ? strip->n - i : GF_LANES;
        for (uint32_t k = 0; k < n * strip->channels; k++)
            block[k] = gf_vf_load(sums + ((size_t)i * strip->channels + k) * GF_LANES);
        store_pixels(strip, strip->channels, block, i, n, stored, out, pitch);
    }
}

/* Takes the samples at `place` from one vector, or from two. */
GF_ALWAYS gf_vf take(const float *p, gf_vi place, bool within)
{
#if GF_LANES == 16
    if (within)
        return _mm512_permutexvar_ps((__m512i)place, gf_vf_load(p));
    return _mm512_permutex2var_ps(gf_vf_load(p), (__m512i)place, gf_vf_load(p + GF_LANES));
#elif GF_LANES == 8
    __m256i at = (__m256i)place;
    gf_vf v = _mm256_permutevar8x32_ps(gf_vf_load(p), at);
    if (within)
        return v;
    gf_vf w = _mm256_permutevar8x32_ps(gf_vf_load(p + GF_LANES), at);
    return _mm256_blendv_ps(v, w, _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)));
#else
    gf_vf v = {0};
    (void)within;
    for (int i = 0; i < GF_LANES; i++)
        v[i] = p[place[i]];
    return v;
#endif
}

/* Computes n results of each row with the tables of vector k. */
GF_ALWAYS void pair_vector(const struct gf_resize_pairs *p, size_t k, const float *lines, size_t line, uint32_t rows,
                           bool within, bool stored, size_t n, unsigned char *out, size_t pitch)
{
    const gf_vf left = gf_vf_load(p->weights[0] + k * GF_LANES), right = gf_vf_load(p->weights[1] + k * GF_LANES);
    const gf_vi place = (gf_vi)gf_vf_load((const float *)(const void *)(p->places + k * GF_LANES));
    const gf_vf none = gf_vf_set(0.0f);
    const float *from = lines + p->bases[k];
    for (uint32_t r = 0; r < rows; r++, from += line) {
        gf_vf v = gf_vf_select(left != none, gf_vf_fma(take(from, place, within), left, none), none);
        v = gf_vf_select(right != none, gf_vf_fma(take(from + p->channels, place, within), right, v), v);
        store_sums(v, stored, n, out + r * pitch);
    }
}

/* Vectors overlap if whole pixels do not fill them. Lanes beyond the last pixel are not stored. */
GF_ALWAYS void pair_rows(const struct gf_resize_pairs *p, size_t first, size_t samples, const float *lines, size_t line,
                         uint32_t rows, bool within, bool stored, unsigned char *out, size_t pitch)
{
    const size_t step = GF_LANES / p->channels * p->channels;
    size_t at = 0, k = first;
    for (; at + GF_LANES <= samples; at += step, k++)
        pair_vector(p, k, lines, line, rows, within, stored, GF_LANES, out + at * sizeof(float), pitch);
    for (; at < samples; at += step, k++)
        pair_vector(p, k, lines, line, rows, within, stored, samples - at, out + at * sizeof(float), pitch);
}

GF_ALWAYS void pair_strip(const struct gf_resize_pairs *p, const struct gf_resize_strip *s, uint32_t number,
                          const float *lines, size_t line, bool within, bool stored, unsigned char *out, size_t pitch)
{
    const size_t first = (size_t)number * p->vectors, samples = (size_t)s->n * p->channels;
    uint32_t r = 0;
    for (; r + 4 <= s->rows; r += 4)
        pair_rows(p, first, samples, lines + r * line, line, 4, within, stored, out + r * pitch, pitch);
    for (; r < s->rows; r++)
        pair_rows(p, first, samples, lines + r * line, line, 1, within, stored, out + r * pitch, pitch);
}

static void pairs(const struct gf_resize_pairs *p, const struct gf_resize_strip *strip, uint32_t number,
                  const float *lines, size_t line, bool stored, unsigned char *out, size_t pitch)
{
    if (p->within && stored)
        pair_strip(p, strip, number, lines, line, true, true, out, pitch);
    else if (p->within)
        pair_strip(p, strip, number, lines, line, true, false, out, pitch);
    else if (stored)
        pair_strip(p, strip, number, lines, line, false, true, out, pitch);
    else
        pair_strip(p, strip, number, lines, line, false, false, out, pitch);
}

typedef uint8_t v8 __attribute__((vector_size(16)));
typedef uint16_t v16 __attribute__((vector_size(16)));

/* Picks groups of 1 or 2 bytes in whole vectors, which are stored at once. Returns how many groups were picked. */
GF_ALWAYS size_t pick_vectors(size_t pixel, size_t bytes, const unsigned char *restrict row, const uint32_t *columns,
                              size_t n, unsigned char *restrict to)
{
    const size_t each = 16 / bytes;
    size_t i = 0;
    for (; i + each <= n; i += each) {
        v8 ones = {0};
        v16 twos = {0};
#pragma GCC unroll 16
        for (size_t k = 0; k < each; k++)
            if (bytes == 1)
                ones[k] = row[columns[i + k] * pixel];
            else
                twos[k % 8] = *(const gf_u16_any *)(const void *)(row + columns[i + k] * pixel);
        memcpy(to + i * bytes, bytes == 1 ? (const void *)&ones : &twos, 16);
    }
    return i;
}

GF_ALWAYS void pick_pixels(size_t pixel, size_t bytes, const unsigned char *restrict row, const uint32_t *columns,
                           size_t n, unsigned char *restrict to)
{
    for (size_t i = bytes <= 2 ? pick_vectors(pixel, bytes, row, columns, n, to) : 0; i < n; i++)
        memcpy(to + i * bytes, row + columns[i] * pixel, bytes);
}

static void pick(size_t pixel, uint32_t group, const unsigned char *row, const uint32_t *columns, size_t n,
                 unsigned char *to)
{
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
#pragma GCC unroll 8
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        if (pixel == sizes[i] && group == 1)
            pick_pixels(sizes[i], sizes[i], row, columns, n, to);
        else if (pixel == sizes[i])
            pick_pixels(sizes[i], 2 * sizes[i], row, columns, n, to);
}

/* A quarter of a sum of four, ties to even. */
static inline uint8_t quarter(uint32_t sum)
{
    return (uint8_t)((sum + 1 + (sum >> 2 & 1)) >> 2);
}

#if GF_LANES >= 8
/* A shuffle, for both 128-bit lanes, that makes the samples to be added neighbours. For three channels, 12 bytes of a
 * lane are used. */
GF_ALWAYS __m256i pairs_of(uint32_t channels)
{
    const __m128i two = _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15),
                  three = _mm_setr_epi8(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11, -1, -1, -1, -1),
                  four = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    return _mm256_broadcastsi128_si256(channels == 2 ? two : channels == 3 ? three : four);
}

/* Halves whole vectors. Returns how many samples of the result were made. */
GF_ALWAYS size_t halve_vectors(const uint8_t *a, const uint8_t *b, uint32_t channels, size_t samples, uint8_t *to)
{
    const size_t lane = channels == 3 ? 12 : 16, made = lane / 2;
    const __m256i pairs = pairs_of(channels), ones = _mm256_set1_epi8(1), one = _mm256_set1_epi16(1);
    size_t i = 0;
    for (; i + 16 <= samples; i += 2 * made) { /* surplus reads and writes stay within the rows */
        const uint8_t *p = a + 2 * i, *q = b + 2 * i;
        __m256i x = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i_u *)p)),
                                            _mm_loadu_si128((const __m128i_u *)(p + lane)), 1);
        __m256i y = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i_u *)q)),
                                            _mm_loadu_si128((const __m128i_u *)(q + lane)), 1);
        if (channels > 1) {
            x = _mm256_shuffle_epi8(x, pairs);
            y = _mm256_shuffle_epi8(y, pairs);
        }
        __m256i sum = _mm256_add_epi16(_mm256_maddubs_epi16(x, ones), _mm256_maddubs_epi16(y, ones));
        __m256i odd = _mm256_and_si256(_mm256_srli_epi16(sum, 2), one);
        sum = _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(sum, one), odd), 2);
        __m256i bytes = _mm256_packus_epi16(sum, sum);
        _mm_storeu_si64(to + i, _mm256_castsi256_si128(bytes));
        _mm_storeu_si64(to + i + made, _mm256_extracti128_si256(bytes, 1));
    }
    return i;
}
#else
GF_ALWAYS size_t halve_vectors(const uint8_t *a, const uint8_t *b, uint32_t channels, size_t samples, uint8_t *to)
{
    (void)a, (void)b, (void)channels, (void)samples, (void)to;
    return 0;
}
#endif

GF_ALWAYS void halve_bytes(const uint8_t *restrict a, const uint8_t *restrict b, uint32_t channels, size_t n,
                           uint8_t *restrict to)
{
    size_t done = halve_vectors(a, b, channels, n * channels, to) / channels;
    for (size_t i = done; i < n; i++)
        for (uint32_t c = 0; c < channels; c++) {
            size_t p = 2 * i * channels + c, q = p + channels;
            to[i * channels + c] = quarter((uint32_t)a[p] + a[q] + b[p] + b[q]);
        }
}

static void halve_u8(const uint8_t *a, const uint8_t *b, uint32_t channels, size_t n, uint8_t *to)
{
    if (channels == 1)
        halve_bytes(a, b, 1, n, to);
    else if (channels == 2)
        halve_bytes(a, b, 2, n, to);
    else if (channels == 3)
        halve_bytes(a, b, 3, n, to);
    else
        halve_bytes(a, b, 4, n, to);
}

/* Lanes 0, 2, 4 ... or 1, 3, 5 ... of two vectors, vector after vector. */
#if GF_LANES == 16
#define PICK_LANES(a, b, odd)                                                                                          \
    (gf_vf) _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7),                                        \
                                     (__m512i)_mm512_shuffle_ps(a, b, (odd) ? 0xDD : 0x88))
#elif GF_LANES == 8
#define PICK_LANES(a, b, odd) (gf_vf) _mm256_permute4x64_pd((__m256d)_mm256_shuffle_ps(a, b, (odd) ? 0xDD : 0x88), 0xD8)
#else
#define PICK_LANES(a, b, odd) ((gf_vf){a[odd], a[2 + (odd)], b[odd], b[2 + (odd)]})
#endif

/* A chain of two taps of 1/2. */
static inline gf_vf half_of(gf_vf x, gf_vf y)
{
    const gf_vf half = gf_vf_set(0.5f);
    return gf_vf_fma(y, half, gf_vf_fma(x, half, gf_vf_set(0.0f)));
}

static void halve_f32(const unsigned char *a, const unsigned char *b, size_t n, unsigned char *to)
{
    float rest[2][2 * GF_LANES];
    for (size_t i = 0; i < n; i += GF_LANES) {
        size_t m = n - i < GF_LANES ? n - i : GF_LANES;
        const unsigned char *x = a + i * 8, *y = b + i * 8;
        if (m < GF_LANES) {
            memset(rest, 0, sizeof rest);
            x = memcpy(rest[0], x, m * 8);
            y = memcpy(rest[1], y, m * 8);
        }
        gf_vf left = half_of(*(const gf_vf_byte *)x, *(const gf_vf_byte *)y);
        gf_vf right = half_of(*(const gf_vf_byte *)(x + sizeof(gf_vf)), *(const gf_vf_byte *)(y + sizeof(gf_vf)));
        gf_vf v = half_of(PICK_LANES(left, right, 0), PICK_LANES(left, right, 1));
        v = gf_vf_fma(v, gf_vf_set(1.0f), gf_vf_set(0.0f));
        v = gf_vf_select(v == v, v, gf_vf_set(__builtin_nanf("")));
        if (m == GF_LANES)
            *(gf_vf_byte *)(to + i * 4) = v;
        else
            memcpy(to + i * 4, &v, m * 4);
    }
}

const struct gf_simd_resize GF_ISA_NAME(gf_simd_resize) = {
    .rows = GF_LANES,
    .down = down,
    .down_turned = down_turned,
    .turn = turn,
    .across = across,
    .across_part = across_part,
    .finish = finish,
    .pairs = pairs,
    .pick = pick,
    .halve_u8 = halve_u8,
    .halve_f32 = halve_f32,
};
