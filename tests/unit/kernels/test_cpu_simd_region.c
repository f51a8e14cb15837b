/* SPDX-License-Identifier: MIT */
/* kernels/cpu/region: bits, runs, rows of numbers, heights, roots, gradients, ridges, products and scores are the same
 * with every instruction set, and no byte outside their rows is read or written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/region/simd_canny.h"
#include "kernels/cpu/region/simd_distance.h"
#include "kernels/cpu/region/simd_match.h"
#include "kernels/cpu/region/simd_region.h"
#include "kernels/cpu/simd/simd.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define MOST 200u

static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_I16, GF_F16, GF_F32};

/* A separate allocation, so that a sanitizer detects accesses past it. */
static void *room(size_t size)
{
    void *data = malloc(size + 1);
    assert_non_null(data);
    return (char *)data + 1; /* at any address */
}

static void drop(void *data)
{
    free((char *)data - 1);
}

/* n samples, each 0 if `zeros` is set for it (floats: of either sign), otherwise with one random bit set. */
static void *random_samples(struct gf_prng *prng, uint32_t dtype, size_t n, bool *zeros)
{
    size_t size = gf_dtype_size(dtype);
    bool is_float = gf_dtype_kind(dtype) == GF_KIND_FLOAT;
    char *data = room(n * size);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = 1u << gf_prng_below(prng, (uint32_t)(8 * size) - (is_float ? 1 : 0));
        zeros[i] = gf_prng_below(prng, 2) == 0;
        if (zeros[i])
            bits = is_float && gf_prng_below(prng, 2) == 0 ? 1u << (8 * size - 1) : 0;
        memcpy(data + i * size, &bits, size);
    }
    return data;
}

static void check_row(const struct gf_simd_region *simd, struct gf_prng *prng, uint32_t dtype, size_t n)
{
    static uint16_t edges[MOST + 64];
    static uint64_t words[MOST / 64 + 1];
    bool zeros[MOST];
    uint32_t runs[MOST], numbers[MOST], expected[MOST] = {0};
    void *src = random_samples(prng, dtype, n, zeros), *row = room(n * sizeof(uint32_t));
    size_t n_runs = simd->bits(dtype, src, n, words);
    assert_int_equal(simd->edges(words, n / 64 + 1, edges), n_runs);
    for (size_t i = 0; i < n_runs; i++) {
        runs[i] = (uint32_t)(n_runs - 1 - i);
        numbers[i] = gf_prng_below(prng, 1u << 30) + 1;
    }
    size_t k = 0;
    for (size_t x = 0; x < n; x++) {
        bool begins = !zeros[x] && (x == 0 || zeros[x - 1]), ends = !zeros[x] && (x + 1 == n || zeros[x + 1]);
        if (begins)
            assert_int_equal(edges[2 * k], x);
        expected[x] = zeros[x] ? 0 : numbers[runs[k]];
        if (ends)
            assert_int_equal(edges[2 * k++ + 1], x + 1);
    }
    assert_int_equal(k, n_runs);
    simd->paint(edges, n_runs, runs, numbers, row, n);
    assert_memory_equal(row, expected, n * sizeof(uint32_t));
    drop(src);
    drop(row);
}

static void check_heights(const struct gf_simd_distance *simd, struct gf_prng *prng, uint32_t dtype, size_t n)
{
    bool zeros[MOST];
    uint16_t before[MOST], heights[MOST], after[MOST], lower[MOST];
    void *src = random_samples(prng, dtype, n, zeros);
    for (size_t i = 0; i < n; i++) {
        before[i] = gf_prng_below(prng, 4) == 0 ? GF_NO_HEIGHT : (uint16_t)gf_prng_below(prng, 65534);
        after[i] = gf_prng_below(prng, 4) == 0 ? GF_NO_HEIGHT : (uint16_t)gf_prng_below(prng, 65534);
    }
    simd->below(dtype, src, NULL, heights, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(heights[i], zeros[i] ? 0 : GF_NO_HEIGHT);
    simd->below(dtype, src, before, heights, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(heights[i], zeros[i] ? 0 : before[i] == GF_NO_HEIGHT ? GF_NO_HEIGHT : before[i] + 1);
    memcpy(lower, heights, sizeof lower);
    simd->above(after, lower, n);
    for (size_t i = 0; i < n; i++) {
        uint16_t other = after[i] == GF_NO_HEIGHT ? GF_NO_HEIGHT : (uint16_t)(after[i] + 1);
        assert_int_equal(lower[i], heights[i] < other ? heights[i] : other);
    }
    drop(src);
}

static void check_roots(const struct gf_simd_distance *simd, struct gf_prng *prng, size_t n)
{
    double squares[MOST];
    void *real = room(n * sizeof(float)), *whole = room(n * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++)
        squares[i] = gf_prng_below(prng, 9) == 0 ? (double)INFINITY : (double)(gf_prng_next(prng) >> 31);
    simd->roots(squares, n, real);
    simd->whole(squares, n, whole);
    for (size_t i = 0; i < n; i++) {
        float root;
        uint32_t square;
        memcpy(&root, (char *)real + i * sizeof root, sizeof root);
        memcpy(&square, (char *)whole + i * sizeof square, sizeof square);
        assert_true(root == (float)sqrtl((long double)squares[i]));
        assert_int_equal(square, squares[i] < 0x1p32 ? (uint32_t)squares[i] : UINT32_MAX);
    }
    drop(real);
    drop(whole);
}

struct canny_row {
    int32_t numbers[4][3 * 4 * MOST]; /* sums, with room around them; gradients of samples, room for f64 */
    int32_t dx[3][MOST], dy[3][MOST];
    double magnitudes[3][MOST + 2];
    uint64_t weak[MOST / 64 + 1], strong[MOST / 64 + 1];
    uint8_t bytes[MOST];
};

/* Finds the gradients of three rows and the ridges of the middle row. */
static void find_ridges(const struct gf_simd_canny *simd, const struct gf_canny_kind *kind, const void *const *rows,
                        size_t n, struct canny_row *row)
{
    size_t halo = 3 * 4 * sizeof(int32_t), size = gf_canny_magnitude_size(kind);
    static double magnitudes[4 * MOST];
    const struct gf_canny_workspace work = {
        (char *)row->numbers[0] + halo, (char *)row->numbers[1] + halo, {row->numbers[2], row->numbers[3], magnitudes}};
    static const int64_t thresholds[] = {300, 700};
    struct gf_canny_line lines[3];
    memset(row, 0, sizeof *row);
    for (size_t i = 0; i < 3; i++) {
        lines[i] = (struct gf_canny_line){row->dx[i], row->dy[i], (char *)row->magnitudes[i] + size};
        simd->gradients(kind, rows + i, n, &work, &lines[i]);
    }
    simd->ridges(kind, lines, n, thresholds, row->weak, row->strong);
    simd->paint(row->weak, row->bytes, n);
    memset(row->numbers, 0, sizeof row->numbers);
}

/* Conformance compares the generic set on machines without vectors; here every other set must equal it. */
static void check_edges(const struct gf_simd_canny *simd, struct gf_prng *prng, size_t n)
{
    static const uint32_t whole[] = {GF_U8, GF_U16, GF_I16};
    static struct canny_row expected, got;
    struct gf_canny_kind kind = {whole[gf_prng_below(prng, 3)], 1 + gf_prng_below(prng, 4), 1 + gf_prng_below(prng, 3),
                                 gf_prng_below(prng, 2) != 0};
    size_t bytes = n * kind.channels * gf_dtype_size(kind.dtype);
    void *rows[9];
    for (size_t i = 0; i < 9; i++) {
        rows[i] = room(bytes);
        for (size_t k = 0; k < bytes; k++)
            ((uint8_t *)rows[i])[k] = (uint8_t)gf_prng_next(prng);
    }
    find_ridges(gf_simd_generic.canny, &kind, (const void *const *)rows, n, &expected);
    find_ridges(simd, &kind, (const void *const *)rows, n, &got);
    assert_memory_equal(&got, &expected, sizeof got);
    for (size_t x = 0; x < n; x++)
        assert_int_equal(got.bytes[x], (got.weak[x / 64] >> x % 64 & 1) != 0 ? 255 : 0);
    for (size_t i = 0; i < 9; i++)
        drop(rows[i]);
}

/* Checks the words of one channel, and two rows of products with a part of a template. */
static void check_products(const struct gf_simd_match *simd, struct gf_prng *prng, size_t rows, size_t n)
{
    enum { COLUMNS = 2 * GF_MATCH_COLUMNS, STRIDE = COLUMNS + 80, MOST_ROWS = 20 };
    static int32_t words[MOST_ROWS + 1][STRIDE], templ[(MOST_ROWS + 2) * 20], sums[2][COLUMNS];
    int32_t *const to[2] = {sums[0], sums[1]};
    const size_t taps = simd->taps;
    size_t left = COLUMNS - gf_prng_below(prng, 50), needed = COLUMNS + taps * n;
    uint8_t *src = room((MOST_ROWS + 1) * 3 * left);
    for (size_t i = 0; i < (MOST_ROWS + 1) * 3 * left; i++)
        src[i] = gf_prng_below(prng, 4) == 0 ? 255 : (uint8_t)gf_prng_next(prng);
    for (size_t r = 0; r <= rows; r++)
        simd->spread(src + r * 3 * left + 1, 3, left, needed, words[r]);
    for (size_t i = 0; i < (rows + 2) * n; i++)
        templ[i] = i < n || i >= (rows + 1) * n ? 0 : (int32_t)(gf_prng_next(prng) & (taps == 4 ? ~0u : 0xFF00FF));
    simd->correlate(words[0], STRIDE, templ, rows, n, COLUMNS, to);
    for (size_t x = 0; x < COLUMNS; x++) {
        int32_t expected[2] = {0, 0};
        for (size_t r = 0; r < 2; r++)
            for (size_t j = 0; j < rows; j++)
                for (size_t i = 0; i < taps * n; i++) {
                    int32_t word = templ[(j + 1) * n + i / taps], t = word >> 32 / taps * (i % taps);
                    t = taps == 4 ? (int8_t)t : t & 0xFF;
                    expected[r] += x + i < left ? t * src[((r + j) * left + x + i) * 3 + 1] : 0;
                }
        assert_int_equal(sums[0][x], expected[0]);
        assert_int_equal(sums[1][x], expected[1]);
    }
    drop(src);
}

/* Numbers beyond 2^53 are rounded once. */
static void check_scores(const struct gf_simd_match *simd, struct gf_prng *prng, size_t n)
{
    int64_t numerators[MOST], squares[MOST];
    double square = (double)(gf_prng_next(prng) >> gf_prng_below(prng, 40) >> 2);
    void *scores = room(n * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        squares[i] = gf_prng_below(prng, 9) == 0 ? 0 : (int64_t)(gf_prng_next(prng) >> 2 >> gf_prng_below(prng, 60));
        numerators[i] = (int64_t)gf_prng_next(prng) >> 1 >> gf_prng_below(prng, 60);
    }
    for (int differs = 0; differs < 2; differs++) {
        simd->score(numerators, squares, square, differs, n, scores);
        for (size_t i = 0; i < n; i++) {
            double root = sqrt((double)squares[i] * square);
            double value = root == 0.0 ? (double)differs : fmin((double)numerators[i] / root, 1.0);
            float score;
            memcpy(&score, (char *)scores + i * sizeof(score), sizeof(score));
            assert_true(score == (float)value);
        }
    }
    drop(scores);
}

/* Checks the sums of columns, and the local maxima among all neighbours. */
static void check_sums_and_tops(const struct gf_simd_match *simd, struct gf_prng *prng, size_t n)
{
    uint8_t *rows = room(2 * n), *flags = room(n);
    char *scores = room(3 * n * sizeof(float));
    uint32_t sums[MOST] = {0}, squares[MOST] = {0};
    float s[3][MOST];
    for (size_t i = 0; i < 2 * n; i++)
        rows[i] = (uint8_t)gf_prng_next(prng);
    simd->slide(rows, NULL, n, sums, squares);
    simd->slide(rows + n, NULL, n, sums, squares);
    simd->slide(rows, rows, n, sums, squares);
    simd->slide(rows + n, rows, n, sums, squares);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(sums[i], 2 * rows[n + i]);
        assert_int_equal(squares[i], 2 * rows[n + i] * rows[n + i]);
        for (size_t r = 0; r < 3; r++) {
            s[r][i] = (float)gf_prng_below(prng, 5) / 4;
            memcpy(scores + (r * n + i) * sizeof(float), &s[r][i], sizeof(float));
        }
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        const char *own = scores + n * sizeof(float), *below = own + n * sizeof(float);
        simd->tops(sign < 0 ? scores : NULL, own, sign < 0 ? below : NULL, (float)sign, n, flags);
        for (size_t i = 0; i < n; i++) {
            float v = (float)sign * s[1][i];
            bool top = (i == 0 || v > (float)sign * s[1][i - 1]) && (i + 1 == n || v >= (float)sign * s[1][i + 1]);
            for (size_t k = i == 0 ? 0 : i - 1; sign < 0 && k < n && k <= i + 1; k++)
                top = top && v > -s[0][k] && v >= -s[2][k];
            assert_int_equal(flags[i], top);
        }
    }
    drop(rows);
    drop(flags);
    drop(scores);
}

static void instruction_sets_agree(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"generic", "avx2", "avx512", "avx512vnni"};
    struct gf_prng prng = {22};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        if (!simd)
            continue;
        for (size_t n = 1; n <= MOST; n++) {
            for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++) {
                check_row(simd->region, &prng, dtypes[d], n);
                check_heights(simd->distance, &prng, dtypes[d], n);
            }
            check_roots(simd->distance, &prng, n);
            check_edges(simd->canny, &prng, n);
            check_scores(simd->match, &prng, n);
            check_sums_and_tops(simd->match, &prng, n);
            if (n <= 20)
                check_products(simd->match, &prng, n, 1 + n * 7 % 20);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests_name("cpu_simd_region", tests, NULL, NULL);
}
