/* SPDX-License-Identifier: MIT */
/* kernels/filter and kernels/light: masks, weights, factors, the role of alpha, borders, tables. */
#include "kernels/shared/filter.h"

#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "tests/unit/unit.h"

/* A step with the defaults, overridden by parameters given as text. */
static struct gf_step make_step(const char *name, const char *const params[][2], size_t n)
{
    struct gf_step step = {.op = gf_op_by_name(name)};
    gf_op_params_default(step.op, &step.params);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(
            gf_op_param_parse(step.op, gf_op_param(step.op, params[i][0]), params[i][1], &step.params, NULL), GF_OK);
    return step;
}
#define STEP(op, ...)                                                                                                  \
    make_step(op, (const char *const[][2]){__VA_ARGS__},                                                               \
              sizeof((const char *const[][2]){__VA_ARGS__}) / sizeof(char *[2]))

static struct gf_filter init(struct gf_step step, uint32_t dtype, uint32_t channels, const struct gf_buf *mask)
{
    struct gf_view src = gf_view_tight(dtype, 8, 8, channels);
    struct gf_filter f = GF_FILTER_NULL;
    struct gf_error err = {0};
    if (gf_filter_init(&f, &step, &src, mask, &err) != GF_OK)
        fail_msg("%s", err.text);
    return f;
}

static void assert_refused(struct gf_step step, uint32_t dtype, const struct gf_buf *mask, const char *says)
{
    struct gf_view src = gf_view_tight(dtype, 8, 8, 3);
    struct gf_filter f = GF_FILTER_NULL;
    struct gf_error err = {0};
    assert_int_equal(gf_filter_init(&f, &step, &src, mask, &err), GF_E_BAD_PARAM);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    assert_null(f.coefs);
}

static float counting[6] = {1, 2, 3, 4, 5, 6};
static const struct gf_buf mask_3x2 = {counting, {GF_F32, 1, 3, 2, 12}};

static void convolve_flips_mask_and_anchor(void **state)
{
    UNUSED(state);
    static const float flipped[6] = {6, 5, 4, 3, 2, 1};
    struct gf_filter f = init(STEP("convolve", {"border", "wrap"}), GF_U8, 1, &mask_3x2);
    assert_memory_equal(f.coefs, flipped, sizeof(flipped));
    assert_int_equal(f.anchor_x, 1);
    assert_int_equal(f.anchor_y, 0); /* 2 - 1 - floor(2 / 2) */
    assert_int_equal(f.border, GF_BORDER_WRAP);
    gf_filter_deinit(&f);

    f = init(STEP("convolve", {"anchor", "0,1"}, {"size", "valid"}), GF_U8, 1, &mask_3x2);
    assert_int_equal(f.anchor_x, 2);
    assert_int_equal(f.origin_x, 2);
    assert_int_equal(f.origin_y, 0);
    gf_filter_deinit(&f);
}

static void normalize_divides_the_scale(void **state)
{
    UNUSED(state);
    static float signs[2] = {-1, 3};
    const struct gf_buf mask = {signs, {GF_F32, 1, 2, 1, 8}};
    struct gf_filter f = init(STEP("correlate", {"normalize", "sum"}, {"scale", "3"}), GF_F32, 1, &mask);
    assert_true(f.scale == 1.5f);
    gf_filter_deinit(&f);
    f = init(STEP("correlate", {"normalize", "abs-sum"}), GF_F32, 1, &mask);
    assert_true(f.scale == 0.25f);
    assert_memory_equal(f.coefs, signs, sizeof(signs));
    gf_filter_deinit(&f);
}

static void refuses_what_cannot_be_computed(void **state)
{
    UNUSED(state);
    static float zero_sum[2] = {-1, 1}, infinite[2] = {1, INFINITY};
    const struct gf_buf zero = {zero_sum, {GF_F32, 1, 2, 1, 8}}, inf = {infinite, {GF_F32, 1, 2, 1, 8}};
    assert_refused(STEP("correlate", {"normalize", "sum"}), GF_U8, &zero, "abs-sum");
    assert_refused(STEP("correlate", {"scale", "1"}), GF_U8, &inf, "row 0, column 1");
    assert_refused(STEP("gaussian", {"light", "linear"}, {"border", "constant"}, {"border_value", "0.5"}), GF_U8, NULL,
                   "border_value=0.5");
    assert_refused(STEP("gaussian", {"light", "linear"}, {"border", "constant"}, {"border_value", "256"}), GF_U8, NULL,
                   "0..255");
    struct gf_filter f =
        init(STEP("gaussian", {"light", "linear"}, {"border", "constant"}, {"border_value", "256"}), GF_U16, 3, NULL);
    assert_true(f.linear);
    gf_filter_deinit(&f);
}

static void alpha_depends_on_channels_and_sum(void **state)
{
    UNUSED(state);
    static float edge[2] = {-1, 1};
    const struct gf_buf mask = {edge, {GF_F32, 1, 2, 1, 8}};
    const struct {
        const struct gf_buf *mask;
        uint32_t channels, alpha;
    } cases[] = {{&mask_3x2, 4, GF_ALPHA_PREMULTIPLIED},
                 {&mask_3x2, 3, GF_ALPHA_STRAIGHT},
                 {&mask, 2, GF_ALPHA_IGNORE},
                 {&mask, 1, GF_ALPHA_STRAIGHT}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gf_filter f = init(STEP("correlate", {"alpha", "auto"}), GF_U8, cases[i].channels, cases[i].mask);
        assert_int_equal(f.alpha, cases[i].alpha);
        gf_filter_deinit(&f);
    }
    struct gf_filter f = init(STEP("box", {"alpha", "straight"}), GF_U8, 4, NULL);
    assert_int_equal(f.alpha, GF_ALPHA_STRAIGHT);
    gf_filter_deinit(&f);
}

static void exactness_rule_finds_the_power_of_two(void **state)
{
    UNUSED(state);
    static float halves[3] = {0.5f, -1.5f, 0.0f}, wide[2] = {16777216.0f, 1.0f};
    static const int32_t whole[3] = {1, -3, 0};
    const struct gf_buf mask = {halves, {GF_F32, 1, 3, 1, 12}}, too_wide = {wide, {GF_F32, 1, 2, 1, 8}};
    struct gf_filter f = init(STEP("correlate", {"border", "wrap"}), GF_U16, 3, &mask);
    assert_true(f.integer_exact);
    assert_int_equal(f.exponent, -1);
    assert_memory_equal(f.int_coefs, whole, sizeof(whole));
    gf_filter_deinit(&f);
    f = init(STEP("correlate", {"border", "wrap"}), GF_U8, 1, &too_wide);
    assert_false(f.integer_exact);
    assert_null(f.int_coefs);
    gf_filter_deinit(&f);
    f = init(STEP("correlate", {"border", "constant"}, {"border_value", "0.5"}), GF_U8, 1, &mask);
    assert_false(f.integer_exact);
    gf_filter_deinit(&f);
    f = init(STEP("correlate", {"border", "wrap"}), GF_F32, 1, &mask);
    assert_false(f.integer_exact);
    gf_filter_deinit(&f);
}

static void gaussian_weights_are_symmetric_and_sum_to_one(void **state)
{
    UNUSED(state);
    struct gf_filter f = init(STEP("gaussian", {"sigma", "2,0"}), GF_U8, 1, NULL);
    assert_int_equal(f.width, 17);
    assert_int_equal(f.anchor_x, 8);
    assert_int_equal(f.height, 1);
    assert_true(f.taps_y[0] == 1.0f);
    double sum = 0.0;
    for (uint32_t i = 0; i < f.width; i++) {
        assert_true(f.taps_x[i] == f.taps_x[f.width - 1 - i]);
        sum += (double)f.taps_x[i];
    }
    assert_true(fabs(sum - 1.0) < 1e-6);
    assert_true(f.taps_x[8] == 0x1.98862ap-3f); /* 0.19947464786... */
    gf_filter_deinit(&f);
    /* exp(-15 * 15 / 2) and what lies beyond round to 0. */
    f = init(STEP("gaussian", {"sigma", "1"}, {"truncate", "30"}), GF_U8, 1, NULL);
    assert_int_equal(f.width, 29);
    assert_true(f.taps_x[0] > 0.0f);
    gf_filter_deinit(&f);
}

static void zeros_of_built_in_masks_are_no_taps(void **state)
{
    UNUSED(state);
    static const uint32_t places[9] = {0, 1, 3, 4, 5, 7, 8};
    static const float weights[9] = {-2, -1, -1, 1, 1, 1, 2};
    struct gf_filter f = init(STEP("emboss", {"scale", "1"}), GF_U8, 1, NULL);
    assert_int_equal(f.kind, GF_FILTER_STENCIL);
    assert_int_equal(f.n_stencils, 1);
    assert_int_equal(f.stencils[0].n, 7);
    assert_int_equal(f.stencils[0].apart, 0);
    assert_memory_equal(f.stencils[0].place, places, sizeof(places));
    assert_memory_equal(f.stencils[0].weight, weights, sizeof(weights));
    gf_filter_deinit(&f);
    f = init(STEP("sharpen", {"amount", "-0.25"}), GF_U8, 1, NULL); /* 1 + 4s = 0 */
    assert_int_equal(f.stencils[0].n, 4);
    gf_filter_deinit(&f);
}

static void gradients_are_of_differences(void **state)
{
    UNUSED(state);
    static const uint32_t places[9] = {6, 7, 8};
    static const float weights[9] = {1, 2, 1};
    struct gf_filter f = init(STEP("sobel", {"output", "dy"}), GF_U8, 1, NULL);
    assert_int_equal(f.kind, GF_FILTER_STENCIL);
    assert_int_equal(f.n_stencils, 1);
    assert_int_equal(f.stencils[0].n, 3);
    assert_int_equal(f.stencils[0].apart, GF_STENCIL_DOWN);
    assert_memory_equal(f.stencils[0].place, places, sizeof(places));
    assert_memory_equal(f.stencils[0].weight, weights, sizeof(weights));
    gf_filter_deinit(&f);
    f = init(STEP("prewitt", {"output", "magnitude"}, {"alpha", "auto"}), GF_U8, 4, NULL);
    assert_int_equal(f.n_stencils, 2);
    assert_int_equal(f.alpha, GF_ALPHA_IGNORE);
    gf_filter_deinit(&f);
}

static void second_derivative_of_a_constant_is_zero(void **state)
{
    UNUSED(state);
    struct gf_filter f = init(STEP("log", {"sigma", "1.5,0.7"}), GF_U8, 1, NULL);
    double sum = 0.0;
    assert_int_equal(f.width, 13);
    assert_int_equal(f.height, 7);
    for (uint32_t i = 0; i < f.width; i++) {
        assert_true(f.taps_x[i] == f.taps_x[f.width - 1 - i]);
        sum += (double)f.taps_x[i];
    }
    assert_true(fabs(sum) < 1e-7 && f.taps_x[6] < 0.0f && f.second_y[3] < 0.0f && f.taps_y[3] > 0.0f);
    gf_filter_deinit(&f);
}

static void borders_take_any_index(void **state)
{
    UNUSED(state);
    static const int64_t expected[5][12] = {/* n = 3, i = -6..5 */
                                            {0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2},
                                            {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2},
                                            {0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0},
                                            {2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1},
                                            {-1, -1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1}};
    for (uint32_t border = 0; border < 5; border++)
        for (int64_t i = -6; i < 6; i++)
            assert_int_equal(gf_border_index(border, i, 3), expected[border][i + 6]);
    assert_int_equal(gf_border_index(GF_BORDER_REFLECT101, -7, 1), 0);
    assert_int_equal(gf_border_index(GF_BORDER_WRAP, -65536, 65535), 65534);
}

static void light_tables_round_trip(void **state)
{
    UNUSED(state);
    for (uint32_t max = 255; max <= 65535; max += 65280) {
        struct gf_light_tables t = gf_light_tables(max);
        assert_true(t.decode[0] == 0.0f && t.decode[max] == (float)max);
        for (uint32_t v = 1; v <= max; v++) {
            assert_true(t.encode[v] <= t.decode[v]);
            assert_true(t.decode[v - 1] < t.encode[v]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolve_flips_mask_and_anchor),
        cmocka_unit_test(normalize_divides_the_scale),
        cmocka_unit_test(refuses_what_cannot_be_computed),
        cmocka_unit_test(alpha_depends_on_channels_and_sum),
        cmocka_unit_test(exactness_rule_finds_the_power_of_two),
        cmocka_unit_test(gaussian_weights_are_symmetric_and_sum_to_one),
        cmocka_unit_test(zeros_of_built_in_masks_are_no_taps),
        cmocka_unit_test(gradients_are_of_differences),
        cmocka_unit_test(second_derivative_of_a_constant_is_zero),
        cmocka_unit_test(borders_take_any_index),
        cmocka_unit_test(light_tables_round_trip),
    };
    return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
