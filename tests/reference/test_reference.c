/* SPDX-License-Identifier: MIT */
/*
 * The reference against values computed by hand, or in exact arithmetic if the comment says so, because the backends
 * are only compared with the reference.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/convolve.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/gaussian.h"
#include "reference.h"
#include "reference_expr.h"
#include "reference_image.h"

/* Runs an op on tight data. */
static enum gf_status run(const struct gf_op *op, const union gf_params *params, struct gf_view src, const void *pixels,
                          struct gf_view mask, const float *coefs, void *ret_pixels)
{
    struct gf_reference_buf in[2] = {{(void *)(uintptr_t)pixels, src}, {(void *)(uintptr_t)coefs, mask}};
    struct gf_view views[2] = {src, mask};
    struct gf_reference_buf out = {.data = ret_pixels};
    struct gf_error err = {0};
    enum gf_status status = gf_op_infer(op, views, op->n_inputs, params, &out.view, &err);
    if (status != GF_OK)
        fail_msg("%s", err.text);
    return gf_reference_run(op, params, in, &out, &err);
}

static void assert_bits(const float *got, const float *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t a, b;
        memcpy(&a, &got[i], sizeof(a));
        memcpy(&b, &want[i], sizeof(b));
        if (a != b)
            fail_msg("value %zu is %a (%08x), expected %a (%08x)", i, (double)got[i], a, (double)want[i], b);
    }
}

static void extends_abcdefgh_by_every_border(void **state)
{
    (void)state;
    static const struct {
        uint32_t border;
        const char *text; /* from index -10 to 17 */
    } rows[] = {
        {GF_BORDER_REPLICATE, "aaaaaaaaaaabcdefghhhhhhhhhhh"}, {GF_BORDER_WRAP, "ghabcdefghabcdefghabcdefghab"},
        {GF_BORDER_REFLECT, "ghhgfedcbaabcdefghhgfedcbaab"},   {GF_BORDER_REFLECT101, "efghgfedcbabcdefghgfedcbabcd"},
        {GF_BORDER_CONSTANT, "vvvvvvvvvvabcdefghvvvvvvvvvv"},
    };
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        for (int64_t i = -10; i <= 17; i++) {
            int64_t from = gf_reference_border(rows[k].border, i, 8);
            assert_int_equal(from < 0 ? 'v' : "abcdefgh"[from], rows[k].text[i + 10]);
            from = gf_reference_border(rows[k].border, i, 1);
            assert_int_equal(from, rows[k].border == GF_BORDER_CONSTANT && i != 0 ? -1 : 0);
        }
}

static void rounds_ties_to_even_and_saturates(void **state)
{
    (void)state;
    const struct gf_op *op = gf_op_by_name("correlate");
    const uint8_t in[8] = {0, 1, 3, 5, 7, 20, 254, 255};
    const float half = 0.5f, two = 2.0f;
    uint8_t out[8];
    union gf_params params;
    gf_op_params_default(op, &params);
    struct gf_view one = gf_view_tight(GF_F32, 1, 1, 1);

    const uint8_t halves[8] = {0, 0, 2, 2, 4, 10, 127, 128};
    assert_int_equal(run(op, &params, gf_view_tight(GF_U8, 8, 1, 1), in, one, &half, out), GF_OK);
    assert_memory_equal(out, halves, sizeof(halves));

    const uint8_t outside[8] = {0, 0, 0, 0, 2, 28, 255, 255};
    GF_SET_PARAM(&params, correlate, offset, -12.0f);
    assert_int_equal(run(op, &params, gf_view_tight(GF_U8, 8, 1, 1), in, one, &two, out), GF_OK);
    assert_memory_equal(out, outside, sizeof(outside));
}

static void saturates_u16_at_both_ends(void **state)
{
    (void)state;
    const struct gf_op *op = gf_op_by_name("correlate");
    const uint16_t in[3] = {0, 40000, 65535}, want[3] = {0, 65535, 65535};
    const float two = 2.0f;
    uint16_t out[3];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, correlate, offset, -1.0f);
    assert_int_equal(run(op, &params, gf_view_tight(GF_U16, 3, 1, 1), in, gf_view_tight(GF_F32, 1, 1, 1), &two, out),
                     GF_OK);
    assert_memory_equal(out, want, sizeof(want));
}

static void correlates_and_convolves_around_an_impulse(void **state)
{
    (void)state;
    const float in[5] = {0, 0, 1, 0, 0}, mask[4] = {1, 2, 3, 4};
    const float correlated[5] = {0, 4, 3, 2, 1}; /* anchor 2: out[x] = in[x-2] + 2 in[x-1] + 3 in[x] + 4 in[x+1] */
    const float convolved[5] = {1, 2, 3, 4, 0};  /* anchor 2: out[x] = Σ in[x+2-k] mask[k] */
    float out[5];
    struct gf_view src = gf_view_tight(GF_F32, 5, 1, 1), view = gf_view_tight(GF_F32, 4, 1, 1);
    union gf_params params;
    gf_op_params_default(gf_op_by_name("correlate"), &params);
    assert_int_equal(run(gf_op_by_name("correlate"), &params, src, in, view, mask, out), GF_OK);
    assert_bits(out, correlated, 5);
    gf_op_params_default(gf_op_by_name("convolve"), &params);
    assert_int_equal(run(gf_op_by_name("convolve"), &params, src, in, view, mask, out), GF_OK);
    assert_bits(out, convolved, 5);
}

static void keeps_the_rules_for_signs_and_nan(void **state)
{
    (void)state;
    const struct gf_op *op = gf_op_by_name("correlate");
    const float in[4] = {-0.0f, INFINITY, -1.0f, 0x1p-149f}, mask[2] = {1.0f, 0.0f};
    const float nan = NAN; /* 0x7FC00000 */
    float out[4];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, correlate, anchor, (struct gf_u32v){2, {0, 0}});
    /* -0 beside inf*0; inf; -1; the smallest denormal */
    const float want[4] = {nan, INFINITY, -1.0f, 0x1p-149f};
    assert_int_equal(run(op, &params, gf_view_tight(GF_F32, 4, 1, 1), in, gf_view_tight(GF_F32, 2, 1, 1), mask, out),
                     GF_OK);
    assert_bits(out, want, 4);

    /* 1x1 mask: -0 becomes +0 through acc = +0; acc that underflows to -0 becomes +0 through the last fma. */
    const float tiny = -0x1p-149f, small = 0x1p-10f, plus[1] = {0.0f};
    GF_SET_PARAM(&params, correlate, anchor.n, 0);
    struct gf_view one = gf_view_tight(GF_F32, 1, 1, 1);
    assert_int_equal(run(op, &params, one, &in[0], one, mask, out), GF_OK);
    assert_bits(out, plus, 1);
    assert_int_equal(run(op, &params, one, &tiny, one, &small, out), GF_OK);
    assert_bits(out, plus, 1);
}

static void premultiplies_a_pair_of_pixels(void **state)
{
    (void)state;
    /* p = 200*255 + 0, a = 255 + 0, Sc = 1/2: A = 127.5, colours 25500/127.5 and 0; the hidden green stays out. */
    const struct gf_op *op = gf_op_by_name("correlate");
    const uint8_t in[8] = {200, 0, 0, 255, 0, 100, 0, 0}, want[8] = {200, 0, 0, 128, 0, 0, 0, 0};
    const float mask[2] = {1, 1};
    uint8_t out[8];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, correlate, anchor, (struct gf_u32v){2, {0, 0}});
    GF_SET_PARAM(&params, correlate, normalize, GF_NORMALIZE_SUM);
    GF_SET_PARAM(&params, correlate, alpha, GF_ALPHA_AUTO);
    assert_int_equal(run(op, &params, gf_view_tight(GF_U8, 2, 1, 4), in, gf_view_tight(GF_F32, 2, 1, 1), mask, out),
                     GF_OK);
    assert_memory_equal(out, want, sizeof(want));
}

static void copies_alpha_from_under_the_anchor(void **state)
{
    (void)state;
    /* Sum of the mask 0: auto ignores alpha. valid leaves pixels 0 and 1; the anchor says that they belong to 1 and 2.
     */
    const struct gf_op *op = gf_op_by_name("correlate");
    const uint8_t in[6] = {10, 1, 30, 2, 70, 3}, want[4] = {20, 2, 40, 3};
    const float mask[2] = {-1, 1};
    uint8_t out[4];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, correlate, size, GF_SIZE_VALID);
    GF_SET_PARAM(&params, correlate, alpha, GF_ALPHA_AUTO);
    assert_int_equal(run(op, &params, gf_view_tight(GF_U8, 3, 1, 2), in, gf_view_tight(GF_F32, 2, 1, 1), mask, out),
                     GF_OK);
    assert_memory_equal(out, want, sizeof(want));
}

static void refuses_to_divide_by_zero_and_infinite_masks(void **state)
{
    (void)state;
    const struct gf_op *op = gf_op_by_name("convolve");
    const float in[2] = {1, 2}, zero_sum[2] = {-1, 1}, infinite[2] = {1, INFINITY};
    float out[2];
    struct gf_view view = gf_view_tight(GF_F32, 2, 1, 1);
    union gf_params params;
    gf_op_params_default(op, &params);
    assert_int_equal(run(op, &params, view, in, view, infinite, out), GF_E_BAD_PARAM);
    GF_SET_PARAM(&params, convolve, normalize, GF_NORMALIZE_SUM);
    assert_int_equal(run(op, &params, view, in, view, zero_sum, out), GF_E_BAD_PARAM);
    GF_SET_PARAM(&params, convolve, normalize, GF_NORMALIZE_ABS_SUM);
    assert_int_equal(run(op, &params, view, in, view, zero_sum, out), GF_OK);
}

static void weighs_by_the_nearest_floats(void **state)
{
    (void)state;
    /* The weights of sigma 1 from 60 decimal digits, rounded to the nearest float. */
    const struct gf_op *op = gf_op_by_name("gaussian");
    const float want[11] = {0,
                            0x1.18a9c4p-13f,
                            0x1.22724cp-8f,
                            0x1.ba4b9ap-5f,
                            0x1.ef8ebap-3f,
                            0x1.9884a4p-2f,
                            0x1.ef8ebap-3f,
                            0x1.ba4b9ap-5f,
                            0x1.22724cp-8f,
                            0x1.18a9c4p-13f,
                            0};
    const float in[11] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    float out[11];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, gaussian, sigma, (struct gf_f32v){2, {1.0f, 0.0f}});
    assert_int_equal(run(op, &params, gf_view_tight(GF_F32, 11, 1, 1), in, (struct gf_view){0}, NULL, out), GF_OK);
    assert_bits(out, want, 11);
    GF_SET_PARAM(&params, gaussian, sigma, (struct gf_f32v){2, {0.0f, 1.0f}});
    assert_int_equal(run(op, &params, gf_view_tight(GF_F32, 1, 11, 1), in, (struct gf_view){0}, NULL, out), GF_OK);
    assert_bits(out, want, 11);
}

static void sums_boxes_of_floats_by_doubling(void **state)
{
    (void)state;
    /* ((2^24 + 1) + (1 + 1)) + (1 + 1) + 1: 2^24, 2^24 + 2, 2^24 + 4, and the last tie stays there. */
    const struct gf_op *op = gf_op_by_name("box");
    const float in[7] = {0x1p24f, 1, 1, 1, 1, 1, 1}, want[1] = {16777220.0f};
    float out[7];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, box, size, (struct gf_u32v){2, {7, 1}});
    GF_SET_PARAM(&params, box, scale, 7.0f);
    assert_int_equal(run(op, &params, gf_view_tight(GF_F32, 7, 1, 1), in, (struct gf_view){0}, NULL, out), GF_OK);
    assert_bits(&out[3], want, 1);
}

static void takes_rows_of_the_constant_outside(void **state)
{
    (void)state;
    /* 2x2 over a single 0 with 4 outside: rows 4 + 0 and 4 + 4, columns 12. */
    const struct gf_op *op = gf_op_by_name("box");
    const float in[1] = {0}, want[1] = {3};
    float out[1];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, box, size, (struct gf_u32v){1, {2}});
    GF_SET_PARAM(&params, box, border, GF_BORDER_CONSTANT);
    GF_SET_PARAM(&params, box, border_value, (struct gf_f32v){1, {4}});
    assert_int_equal(run(op, &params, gf_view_tight(GF_F32, 1, 1, 1), in, (struct gf_view){0}, NULL, out), GF_OK);
    assert_bits(out, want, 1);
}

static void averages_even_boxes_of_integers(void **state)
{
    (void)state;
    /* Windows of two start one to the left: (1+1)/2, (1+2)/2 = 1.5 -> 2, (2+7)/2 = 4.5 -> 4. */
    const struct gf_op *op = gf_op_by_name("box");
    const uint8_t in[3] = {1, 2, 7}, want[3] = {1, 2, 4};
    uint8_t out[3];
    union gf_params params;
    gf_op_params_default(op, &params);
    GF_SET_PARAM(&params, box, size, (struct gf_u32v){2, {2, 1}});
    assert_int_equal(run(op, &params, gf_view_tight(GF_U8, 3, 1, 1), in, (struct gf_view){0}, NULL, out), GF_OK);
    assert_memory_equal(out, want, sizeof(want));
}

static void decodes_and_encodes_linear_light(void **state)
{
    (void)state;
    /* From 60 decimal digits, rounded to the nearest float. */
    static const struct {
        uint32_t v, max;
        float decoded;
    } points[] = {
        {0, 255, 0.0f},
        {1, 255, 0x1.3d0722p-4f},
        {10, 255, 0x1.8c48eap-1f},
        {11, 255, 0x1.b4ec78p-1f},
        {128, 255, 0x1.b85afcp+5f},
        {188, 255, 0x1.0078dcp+7f},
        {254, 255, 0x1.f9764ap+7f},
        {255, 255, 255.0f},
        {1, 65535, 0x1.3d0722p-4f},
        {2650, 65535, 0x1.9a377ap+7f},
        {2651, 65535, 0x1.9a5f42p+7f},
        {32768, 65535, 0x1.b65d32p+13f},
        {65534, 65535, 0x1.fff974p+15f},
        {65535, 65535, 65535.0f},
    };
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        float decoded = gf_reference_decode(points[i].v, points[i].max);
        assert_bits(&decoded, &points[i].decoded, 1);
    }
    for (uint32_t v = 0; v <= 255; v++)
        assert_int_equal(gf_reference_encode(gf_reference_decode(v, 255), 255), v);
    for (uint32_t v = 0; v <= 65535; v += 13)
        assert_int_equal(gf_reference_encode(gf_reference_decode(v, 65535), 65535), v);
    assert_int_equal(gf_reference_encode(NAN, 255), 0);
    assert_int_equal(gf_reference_encode(INFINITY, 255), 255);
    assert_int_equal(gf_reference_encode(-INFINITY, 65535), 0);
}

/* The reference of expressions checks every node: wrong ranges and types are errors here, which no backend reports. */

static struct gf_expr_node whole(int64_t value, int64_t lo, int64_t hi)
{
    return (struct gf_expr_node){.op = GF_EXPR_CONST, .type = GF_EXPR_I64, .lo = lo, .hi = hi, .value.i64 = value};
}

static struct gf_expr_node sum_of(uint16_t a, uint16_t b, enum gf_expr_type type, int64_t lo, int64_t hi)
{
    return (struct gf_expr_node){.op = GF_EXPR_ADD, .type = (uint8_t)type, .n_in = 2, .in = {a, b}, .lo = lo, .hi = hi};
}

/* The value of the last of three nodes. */
static enum gf_status last_of(struct gf_expr_node first, struct gf_expr_node second, struct gf_expr_node third,
                              struct gf_reference_typed *ret)
{
    struct gf_expr expr = {.n_nodes = 3, .n_results = 1, .nodes = {first, second, third}, .results = {2}};
    const struct gf_reference_buf none = {.data = NULL};
    const struct gf_reference_place place = {.in = &none, .width = 1, .height = 1};
    struct gf_reference_typed values[GF_EXPR_MAX_NODES] = {{0}};
    enum gf_status status = gf_reference_expr_nodes(&expr, &place, values, NULL);
    *ret = values[2];
    return status;
}

static void computes_what_is_sound(void **state)
{
    struct gf_reference_typed v;
    (void)state;
    assert_int_equal(last_of(whole(3, 3, 3), whole(4, 0, 9), sum_of(0, 1, GF_EXPR_I64, 3, 12), &v), GF_OK);
    assert_int_equal(v.type, GF_EXPR_I64);
    assert_int_equal((int64_t)v.whole, 7);
    assert_int_equal(
        last_of(whole(INT64_MAX, 0, INT64_MAX), whole(1, 1, 1), sum_of(0, 1, GF_EXPR_I64, INT64_MIN, INT64_MAX), &v),
        GF_OK);
    assert_true(v.whole == INT64_MIN);
}

static void finds_values_outside_of_their_range(void **state)
{
    struct gf_reference_typed v;
    (void)state;
    assert_int_equal(last_of(whole(3, 3, 3), whole(4, 4, 4), sum_of(0, 1, GF_EXPR_I64, 0, 6), &v), GF_E_INTERNAL);
    assert_int_equal(last_of(whole(3, 3, 3), whole(4, 4, 4), sum_of(0, 1, GF_EXPR_I64, 8, 9), &v), GF_E_INTERNAL);
    assert_int_equal(last_of(whole(3, 4, 9), whole(4, 4, 4), sum_of(0, 1, GF_EXPR_I64, 0, 9), &v), GF_E_INTERNAL);
}

static void finds_operands_and_results_of_other_types(void **state)
{
    const struct gf_expr_node real = {.op = GF_EXPR_CONST, .type = GF_EXPR_F64, .value.f64 = 0.5};
    const struct gf_expr_node truth = {.op = GF_EXPR_CONST, .type = GF_EXPR_BOOL, .value.b = true};
    struct gf_expr_node late = sum_of(0, 2, GF_EXPR_I64, 0, 9), division = sum_of(0, 0, GF_EXPR_I64, 0, 9);
    struct gf_reference_typed v;
    (void)state;
    division.op = GF_EXPR_DIV;
    assert_int_equal(last_of(whole(3, 3, 3), real, sum_of(0, 1, GF_EXPR_I64, 0, 9), &v), GF_E_INTERNAL);
    assert_int_equal(last_of(whole(3, 3, 3), real, sum_of(0, 0, GF_EXPR_F64, 0, 9), &v), GF_E_INTERNAL);
    assert_int_equal(last_of(whole(3, 3, 3), truth, sum_of(1, 1, GF_EXPR_BOOL, 0, 0), &v), GF_E_INTERNAL);
    assert_int_equal(last_of(whole(3, 3, 3), real, late, &v), GF_E_INTERNAL);
    assert_int_equal(last_of(whole(3, 3, 3), real, division, &v), GF_E_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extends_abcdefgh_by_every_border),
        cmocka_unit_test(rounds_ties_to_even_and_saturates),
        cmocka_unit_test(saturates_u16_at_both_ends),
        cmocka_unit_test(correlates_and_convolves_around_an_impulse),
        cmocka_unit_test(keeps_the_rules_for_signs_and_nan),
        cmocka_unit_test(premultiplies_a_pair_of_pixels),
        cmocka_unit_test(copies_alpha_from_under_the_anchor),
        cmocka_unit_test(refuses_to_divide_by_zero_and_infinite_masks),
        cmocka_unit_test(weighs_by_the_nearest_floats),
        cmocka_unit_test(sums_boxes_of_floats_by_doubling),
        cmocka_unit_test(takes_rows_of_the_constant_outside),
        cmocka_unit_test(averages_even_boxes_of_integers),
        cmocka_unit_test(decodes_and_encodes_linear_light),
        cmocka_unit_test(computes_what_is_sound),
        cmocka_unit_test(finds_values_outside_of_their_range),
        cmocka_unit_test(finds_operands_and_results_of_other_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
