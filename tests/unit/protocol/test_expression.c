/* SPDX-License-Identifier: MIT */
/* Op expr before it computes: shapes, messages, nodes of alpha, and the reach of a step. */
#include "protocol/ops/texts/expression.h"

#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/reach.h"
#include "tests/unit/unit.h"

static struct gf_step step_of(const char *text, uint32_t dtype)
{
    struct gf_step step = {.op = &gf_ops[GF_INDEX_expr]};
    gf_op_params_default(step.op, &step.params);
    assert_int_equal(gf_op_param_parse(step.op, gf_op_param(step.op, "expression"), text, &step.params, NULL), GF_OK);
    GF_SET_PARAM(&step.params, expr, dtype, dtype);
    return step;
}

/* The result view of a text on a and, if b has channels, on b. */
static struct gf_view result_of(const char *text, uint32_t dtype, struct gf_view a, struct gf_view b)
{
    struct gf_step step = step_of(text, dtype);
    const struct gf_view in[GF_MAX_INPUTS] = {a, b};
    struct gf_view out;
    struct gf_error err;
    if (gf_op_infer(step.op, in, step.op->n_inputs, &step.params, &out, &err) != GF_OK)
        fail_msg("%s: %s", text, err.text);
    return out;
}

static void assert_refused(const char *text, struct gf_view a, struct gf_view b, enum gf_status status,
                           const char *says)
{
    struct gf_step step = step_of(text, GF_DTYPE_SAME);
    const struct gf_view in[GF_MAX_INPUTS] = {a, b};
    struct gf_view out;
    struct gf_error err = {0};
    assert_int_equal(gf_op_infer(step.op, in, step.op->n_inputs, &step.params, &out, &err), status);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, says);
}

static const struct gf_view none;

static void results_have_sides_of_a_and_most_channels(void **state)
{
    UNUSED(state);
    struct gf_view grey = gf_view_tight(GF_U8, 40, 30, 1), colour = gf_view_tight(GF_F32, 40, 30, 3), out;
    out = result_of("a + b", GF_DTYPE_SAME, grey, colour);
    assert_true(gf_view_same_shape(&out, &(struct gf_view){.dtype = GF_U8, .width = 40, .height = 30, .channels = 3}));
    out = result_of("a*2", GF_DTYPE_F64, colour, none);
    assert_true(out.dtype == GF_F64 && out.channels == 3 && out.pitch == 40 * 3 * 8);
    assert_int_equal(result_of("a[2], a[0]", GF_DTYPE_SAME, colour, none).channels, 2);
    assert_int_equal(result_of("a[1]", GF_DTYPE_SAME, colour, none).channels, 1);
    assert_int_equal(result_of("a, a, a, 255", GF_DTYPE_SAME, grey, none).channels, 4);
    assert_int_equal(result_of("x", GF_DTYPE_SAME, gf_view_tight(GF_I64, UINT64_C(1) << 30, 1, 1), none).dtype, GF_I64);
}

static void what_does_not_fit_is_said(void **state)
{
    UNUSED(state);
    struct gf_view a = gf_view_tight(GF_U8, 40, 30, 4);
    assert_refused("", a, none, GF_E_BAD_PARAM, "expression is missing; give one, such as expression=\"clamp(");
    assert_refused("a + b", a, gf_view_tight(GF_U8, 40, 31, 4), GF_E_BAD_VIEW,
                   "expr: b is 40x31, a is 40x30; sides must be equal");
    assert_refused("a + b", a, gf_view_tight(GF_U8, 40, 30, 3), GF_E_BAD_VIEW,
                   "expr: b has 3 channels, another input has 4; allowed: as many, or 1");
    assert_refused("a + b", a, none, GF_E_BAD_PARAM, "expr: expression: column 5: b");
    assert_refused("a + q", a, none, GF_E_BAD_PARAM, "expr: expression: column 5: ");
    struct gf_step step = step_of("a", GF_DTYPE_SAME);
    struct gf_view out;
    struct gf_error err;
    GF_SET_PARAM(&step.params, expr, alpha, GF_ALPHA_PREMULTIPLIED);
    assert_int_equal(gf_op_infer(step.op, &a, 1, &step.params, &out, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "allowed: auto, straight or ignore"));
}

static struct gf_expr nodes_of(const char *text, uint32_t dtype, uint32_t alpha, struct gf_view a)
{
    struct gf_step step = step_of(text, dtype);
    const struct gf_view in[GF_MAX_INPUTS] = {a};
    struct gf_expr expr;
    struct gf_error err;
    GF_SET_PARAM(&step.params, expr, alpha, alpha);
    if (gf_expr_with_alpha(in, &step.params, &expr, &err) != GF_OK)
        fail_msg("%s: %s", text, err.text);
    return expr;
}

static void alpha_is_chosen_where_it_is_copied(void **state)
{
    UNUSED(state);
    struct gf_view picture = gf_view_tight(GF_U8, 40, 30, 4);
    struct gf_expr expr = nodes_of("a*1.5", GF_DTYPE_SAME, GF_ALPHA_AUTO, picture);
    const struct gf_expr_node *result = &expr.nodes[expr.results[0]];
    assert_int_equal(result->op, GF_EXPR_SELECT);
    assert_int_equal(result->type, GF_EXPR_F32); /* no u8 is lost there */
    assert_int_not_equal(expr.uses >> GF_EXPR_CH & 1, 0);
    expr = nodes_of("1000000000000*a", GF_DTYPE_F32, GF_ALPHA_IGNORE, picture);
    result = &expr.nodes[expr.results[0]];
    assert_int_equal(result->op, GF_EXPR_SELECT);
    assert_int_equal(result->type, GF_EXPR_F32); /* rounded once, as by the store */
    assert_int_equal(expr.nodes[result->in[2]].op, GF_EXPR_TO_F32);
    assert_int_equal(expr.nodes[result->in[1]].op, GF_EXPR_DIV);
    expr = nodes_of("a*1.5", GF_DTYPE_SAME, GF_ALPHA_STRAIGHT, picture);
    assert_int_equal(expr.nodes[expr.results[0]].op, GF_EXPR_MUL);
    expr = nodes_of("a[0]*1.5, a[3], a[3], 0", GF_DTYPE_SAME, GF_ALPHA_AUTO, picture);
    assert_int_equal(expr.nodes[expr.results[0]].op, GF_EXPR_MUL);
    picture.channels = 3;
    expr = nodes_of("a*1.5", GF_DTYPE_SAME, GF_ALPHA_AUTO, gf_view_tight(GF_U8, 40, 30, 3));
    assert_int_equal(expr.nodes[expr.results[0]].op, GF_EXPR_MUL);
}

static void alpha_is_that_of_the_first_with_all_channels(void **state)
{
    UNUSED(state);
    const struct gf_view one = gf_view_tight(GF_U8, 40, 30, 1), four = gf_view_tight(GF_U16, 40, 30, 4);
    const struct gf_view cases[][GF_MAX_INPUTS] = {{four, one}, {one, four}, {one, one, four, four}, {four, four}};
    const uint32_t from[] = {0, 1, 2, 0};
    for (uint32_t i = 0; i < 4; i++) {
        struct gf_step step = step_of("a", GF_DTYPE_SAME);
        struct gf_expr expr;
        GF_SET_PARAM(&step.params, expr, alpha, GF_ALPHA_AUTO);
        assert_int_equal(gf_expr_alpha_input(cases[i]), from[i]);
        assert_int_equal(gf_expr_with_alpha(cases[i], &step.params, &expr, NULL), GF_OK);
        assert_int_equal(expr.inputs, 1 | 1 << from[i]);
    }
}

static void a_place_needs_the_whole_of_its_axis(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text;
        uint64_t width, height;
        bool across, down;
    } cases[] = {
        {"a*2", 40, 30, false, false},
        {"a + x", 40, 30, true, false},
        {"a/w", 40, 30, true, false},
        {"y", 40, 30, false, true},
        {"h", 40, 30, false, true},
        {"x < y", 40, 30, true, true},
        {"ch", 40, 30, false, false},
        {"y", (UINT64_C(1) << 24) + 1, 2, true, true}, /* typed by the other side */
        {"a", (UINT64_C(1) << 24) + 1, 2, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gf_step step = step_of(cases[i].text, GF_DTYPE_SAME);
        const struct gf_view in[GF_MAX_INPUTS] = {gf_view_tight(GF_U8, cases[i].width, cases[i].height, 1)};
        struct gf_reach reach;
        gf_step_reach(&step, in, &reach);
        assert_true(reach.axes[GF_X].before == (cases[i].across ? GF_REACH_EVERY : 0));
        assert_true(reach.axes[GF_X].after == reach.axes[GF_X].before && !reach.axes[GF_X].wrap);
        assert_true(reach.axes[GF_Y].before == (cases[i].down ? GF_REACH_EVERY : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_sides_of_a_and_most_channels),
        cmocka_unit_test(what_does_not_fit_is_said),
        cmocka_unit_test(alpha_is_chosen_where_it_is_copied),
        cmocka_unit_test(alpha_is_that_of_the_first_with_all_channels),
        cmocka_unit_test(a_place_needs_the_whole_of_its_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
