/* SPDX-License-Identifier: MIT */
/* Ticks of an axis: round, apart and readable for any numbers. */
#include "tests/unit/unit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "client/cli/report/axis.h"

static void expect_texts(const struct gf_axis *axis, const char *texts)
{
    char got[512] = "";
    for (uint32_t i = 0; i < axis->n; i++)
        gf_text_append(got, sizeof(got), "%s%s", i > 0 ? " " : "", axis->texts[i]);
    assert_string_equal(got, texts);
}

static void test_ticks_are_round(void **state)
{
    static const struct {
        double lo, hi;
        uint32_t n;
        const char *texts;
    } rows[] = {
        {0, 256, 8, "0 50 100 150 200 250"},
        {0, 100, 10, "0 20 40 60 80 100"},
        {0, 1, 6, "0 0.2 0.4 0.6 0.8 1.0"},
        {-1, 1, 5, "-1.0 -0.5 0 0.5 1.0"},
        {50, 200, 4, "50 100 150 200"},
        {0, 65536, 8, "0 10000 20000 30000 40000 50000 60000"},
        {0.0001, 0.0003, 5, "0.00010 0.00015 0.00020 0.00025 0.00030"},
        {1e9, 1e9 + 4, 5, "1000000000 1000000001 1000000002 1000000003 1000000004"},
        {0, 3e20, 4, "0 1e+20 2e+20 3e+20"},
        {-1.5e308, 1.5e308, 7, "-1.5e+308 -1e+308 -5e+307 0 5e+307 1e+308 1.5e+308"},
        {1e-310, 3e-310, 5, "1e-310 1.5e-310 2e-310 2.5e-310 3e-310"},
        {76.8, 76.8, 6, "76.4 76.6 76.8 77.0 77.2"},
    };
    UNUSED(state);
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++) {
        struct gf_axis axis;
        gf_axis_init(&axis, rows[i].lo, rows[i].hi, rows[i].n);
        expect_texts(&axis, rows[i].texts);
    }
}

static void test_counts_begin_at_0_and_have_units(void **state)
{
    static const struct {
        double max;
        bool whole;
        const char *texts;
    } rows[] = {
        {3, true, "0 1 2 3"},
        {1, true, "0 1"},
        {0, true, "0 1"},
        {0, false, "0 0.2 0.4 0.6 0.8 1.0"},
        {1230, true, "0 500 1000 1500"},
        {9999, true, "0 2k 4k 6k 8k 10k"},
        {99999, true, "0 20k 40k 60k 80k 100k"},
        {3e7, true, "0 5M 10M 15M 20M 25M 30M"},
        {0.031, false, "0 0.01 0.02 0.03 0.04"},
    };
    UNUSED(state);
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++) {
        struct gf_axis axis;
        gf_axis_init_from_zero(&axis, rows[i].max, 6, rows[i].whole);
        expect_texts(&axis, rows[i].texts);
        assert_true(axis.hi >= rows[i].max);
        assert_true(axis.ticks[axis.n - 1] <= axis.hi);
    }
}

static void test_any_range_has_places(void **state)
{
    static const double numbers[] = {-DBL_MAX, -1e300,          -3,   -1e-310, 0,     DBL_TRUE_MIN, 1e-9,
                                     1,        1 + DBL_EPSILON, 76.8, 1e16,    1e300, DBL_MAX};
    UNUSED(state);
    for (size_t i = 0; i < GF_ARRAY_LEN(numbers); i++)
        for (size_t k = i; k < GF_ARRAY_LEN(numbers); k++)
            for (uint32_t n = 1; n <= 12; n++) {
                struct gf_axis axis;
                gf_axis_init(&axis, numbers[i], numbers[k], n);
                assert_true(axis.n <= n);
                for (uint32_t t = 0; t < axis.n; t++) {
                    double share = gf_axis_share(&axis, axis.ticks[t]);
                    assert_true(share > -0.01 && share < 1.01);
                }
                for (uint32_t t = 1; t < axis.n; t++)
                    assert_string_not_equal(axis.texts[t - 1], axis.texts[t]);
                gf_axis_init_ends(&axis, numbers[i], numbers[k]);
                assert_int_equal(axis.n, 2);
                assert_true(gf_axis_share(&axis, axis.ticks[1]) == 1);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_are_round),
        cmocka_unit_test(test_counts_begin_at_0_and_have_units),
        cmocka_unit_test(test_any_range_has_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
