/* SPDX-License-Identifier: MIT */
/* kernels/cpu/geometry/simd_pyramid.h: both directions equal sums in plain loops with every instruction set, and no
 * byte outside the rows is read or written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/geometry/simd_pyramid.h"
#include "kernels/cpu/simd/simd.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define MOST 70u /* pixels of a row of the source */
#define LINE (MOST * 4 + 3 * GF_PYRAMID_SLACK)

static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_I16, GF_F32};

/* Whole numbers, also for f32, where their sums are exact. */
static double sample(uint32_t dtype, const void *row, size_t i)
{
    return dtype == GF_U8    ? ((const uint8_t *)row)[i]
           : dtype == GF_U16 ? ((const uint16_t *)row)[i]
           : dtype == GF_I16 ? ((const int16_t *)row)[i]
                             : (double)((const float *)row)[i];
}

/* An exact allocation, so that a sanitizer detects accesses past the row. */
static void *random_row(struct gf_prng *prng, uint32_t dtype, size_t n)
{
    unsigned char *row = malloc(n * gf_dtype_size(dtype));
    assert_non_null(row);
    for (size_t i = 0; i < n * gf_dtype_size(dtype); i++)
        row[i] = (unsigned char)gf_prng_below(prng, 256);
    for (size_t i = 0; i < n && dtype == GF_F32; i++)
        ((float *)(void *)row)[i] = 256.0f * (float)gf_prng_below(prng, 64);
    return row;
}

static double rounded(uint32_t dtype, double sum, double unit)
{
    return dtype == GF_F32 ? sum / unit : floor((sum + unit / 2) / unit);
}

/* Sample `at` of rows, added up by the weights. */
static double column(uint32_t dtype, void *const rows[], const double *weights, size_t n_rows, size_t at)
{
    double sum = 0;
    for (size_t i = 0; i < n_rows; i++)
        sum += weights[i] * sample(dtype, rows[i], at);
    return sum;
}

/* Copies pixel 0 to index `at` outside the line, as the caller of the loops must. */
static void put_first(void *line, size_t pixel, ptrdiff_t at)
{
    memcpy((char *)line + at * (ptrdiff_t)pixel, line, pixel);
}

static void check_down(const struct gf_simd_pyramid *simd, struct gf_prng *prng, uint32_t dtype, uint32_t c, size_t n)
{
    static const double b[5] = {1, 4, 6, 4, 1};
    static float lines[2][LINE];
    const size_t sum = dtype == GF_U8 ? 2 : 4, half = (n + 1) / 2;
    char *even = (char *)(lines[0] + GF_PYRAMID_SLACK), *odd = (char *)(lines[1] + GF_PYRAMID_SLACK);
    void *rows[5], *to = random_row(prng, dtype, half * c);
    for (size_t i = 0; i < 5; i++)
        rows[i] = random_row(prng, dtype, n * c);
    simd->down_columns(dtype, c, (const void *const *)rows, n, even, odd);
    put_first(even, c * sum, -1);
    memcpy(odd - c * sum, even, c * sum);
    if (n % 2 != 0)
        memcpy(odd + (half - 1) * c * sum, even, c * sum);
    put_first(even, c * sum, (ptrdiff_t)half);
    simd->down_row(dtype, c, even, odd, half, to);
    for (size_t i = 0; i < half * c; i++) {
        double wanted = 0;
        for (size_t k = 0; k < 5; k++) {
            size_t x = 2 * (i / c) + k; /* two pixels to the right */
            wanted += b[k] * column(dtype, rows, b, 5, (x < 2 || x - 2 >= n ? 0 : x - 2) * c + i % c);
        }
        assert_true(sample(dtype, to, i) == rounded(dtype, wanted, 256));
    }
    for (size_t i = 0; i < 5; i++)
        free(rows[i]);
    free(to);
}

static void check_up(const struct gf_simd_pyramid *simd, struct gf_prng *prng, uint32_t dtype, uint32_t c, size_t n,
                     bool between)
{
    static const double three[3] = {1, 6, 1}, two[3] = {0, 4, 4};
    static float lines[LINE];
    const size_t sum = dtype == GF_U8 ? 2 : 4;
    char *line = (char *)(lines + GF_PYRAMID_SLACK);
    void *rows[3], *to = random_row(prng, dtype, 2 * n * c);
    for (size_t i = 0; i < 3; i++)
        rows[i] = random_row(prng, dtype, n * c);
    simd->up_columns(dtype, (const void *const[3]){between ? NULL : rows[0], rows[1], rows[2]}, n * c, line);
    put_first(line, c * sum, -1);
    put_first(line, c * sum, (ptrdiff_t)n);
    simd->up_row(dtype, c, line, n, to);
    for (size_t i = 0; i < 2 * n * c; i++) {
        double wanted = 0;
        for (size_t k = 0; k < 3; k++) {
            size_t x = i / c / 2 + k; /* a pixel to the right */
            wanted += (i / c % 2 != 0 ? two : three)[k] *
                      column(dtype, rows, between ? two : three, 3, (x < 1 || x - 1 >= n ? 0 : x - 1) * c + i % c);
        }
        assert_true(sample(dtype, to, i) == rounded(dtype, wanted, 64));
    }
    for (size_t i = 0; i < 3; i++)
        free(rows[i]);
    free(to);
}

static void rows_are_sums_with_every_instruction_set(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"generic", "avx2", "avx512"};
    struct gf_prng prng = {26};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        for (size_t d = 0; simd && d < GF_ARRAY_LEN(dtypes); d++)
            for (uint32_t c = 1; c <= 4; c++)
                for (size_t n = 1; n <= MOST; n++) {
                    check_down(simd->pyramid, &prng, dtypes[d], c, n);
                    check_up(simd->pyramid, &prng, dtypes[d], c, n, false);
                    check_up(simd->pyramid, &prng, dtypes[d], c, n, true);
                }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sums_with_every_instruction_set),
    };
    return cmocka_run_group_tests_name("cpu_simd_pyramid", tests, NULL, NULL);
}
