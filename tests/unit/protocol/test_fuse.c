/* SPDX-License-Identifier: MIT */
/* Which steps are fused, and the program after that. conformance.fused tests that the bits stay the same. */
#include "protocol/fuse/fuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "protocol/expr/expr.h"
#include "protocol/ops/op_codec.h"
#include "tests/unit/unit.h"

#define SIDE 1024u

static struct gf_program p;
static struct gf_fused fused;

static int clear(void **state)
{
    UNUSED(state);
    memset(&p, 0, sizeof p);
    strcpy(p.device, "auto");
    return 0;
}

static int release(void **state)
{
    UNUSED(state);
    gf_fused_deinit(&fused);
    return 0;
}

static struct gf_ref operand(uint32_t dtype, uint32_t channels)
{
    struct gf_view view = gf_view_tight(dtype, SIDE, SIDE, channels);
    p.operands[p.n_operands] =
        (struct gf_operand){.way = GF_WAY_ARENA, .id = p.n_operands + 1, .length = gf_view_bytes(&view), .view = view};
    return (struct gf_ref){.index = (uint16_t)p.n_operands++};
}

static struct gf_ref made_by(uint16_t step)
{
    return (struct gf_ref){.from = GF_FROM_STEP, .index = step};
}

/* Adds a step on one input or, with `other`, on two; pairs of parameter name and value follow, then NULL. */
static uint16_t step(const char *op, struct gf_ref first, const struct gf_ref *other, ...)
{
    struct gf_step *s = &p.steps[p.n_steps];
    struct gf_error err = {0};
    s->op = gf_op_by_name(op);
    gf_op_params_default(s->op, &s->params);
    for (uint32_t i = 0; i < GF_MAX_INPUTS; i++)
        s->in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
    s->in[0] = first;
    if (other != NULL)
        s->in[1] = *other;
    va_list args;
    va_start(args, other);
    for (const char *name; (name = va_arg(args, const char *)) != NULL;)
        if (gf_op_param_parse(s->op, gf_op_param(s->op, name), va_arg(args, const char *), &s->params, &err) != GF_OK)
            fail_msg("%s", err.text);
    va_end(args);
    return (uint16_t)p.n_steps++;
}

static uint16_t expr(struct gf_ref a, const char *text)
{
    return step("expr", a, NULL, "expression", text, NULL);
}

static void result(uint16_t of)
{
    p.results[p.n_results++] = (struct gf_result){.step = of, .way = GF_WAY_INLINE};
}

/* Fuses for a GPU or for a CPU with some threads. Returns the description of the fused steps. */
static const char *fuse_on(uint32_t threads)
{
    static char text[256];
    struct gf_error err = {0};
    if (gf_program_check(&p, true, &err) != GF_OK)
        fail_msg("%s", err.text);
    gf_fused_deinit(&fused);
    gf_fuse(&p, threads, false, &fused);
    return gf_fused_text(&fused, p.n_steps, 0, text, sizeof text);
}

static const char *fuse(void)
{
    return fuse_on(0);
}

static uint32_t count(const struct gf_expr *nodes, enum gf_expr_op op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < nodes->n_nodes; i++)
        n += nodes->nodes[i].op == op;
    return n;
}

static void a_run_between_filters_is_one_step(void **state)
{
    UNUSED(state);
    uint16_t s = step("gaussian", operand(GF_U8, 1), NULL, NULL);
    s = step("map", made_by(s), NULL, "scale", "1.5", NULL);
    s = expr(made_by(s), "a/2 + 3");
    s = step("threshold", made_by(s), NULL, "value", "60", NULL);
    s = step("median", made_by(s), NULL, NULL);
    result(s);
    assert_string_equal(fuse(), "steps 2-4 fused");
    assert_int_equal(p.n_steps, 3);
    assert_string_equal(p.steps[1].op->name, "expr");
    assert_int_equal(p.steps[1].in[0].index, 0);
    assert_int_equal(p.steps[1].in[1].from, GF_FROM_NOTHING);
    assert_int_equal(p.steps[2].in[0].index, 1);
    assert_int_equal(p.results[0].step, 2);
    assert_null(p.steps[0].nodes);
    /* Two stores between three steps; the last store belongs to the fused step itself. */
    assert_int_equal(count(p.steps[1].nodes, GF_EXPR_WHOLE), 2);
    const uint16_t numbers[] = {0, 1, 4, 5};
    assert_memory_equal(fused.numbers, numbers, sizeof numbers);
    /* Steps that a kernel went on with stand beside it. */
    char text[64];
    assert_string_equal(gf_fused_text(&fused, p.n_steps, 1u << 0, text, sizeof text), "steps 1-4 fused");
    assert_string_equal(gf_fused_text(&fused, p.n_steps, 1u << 1, text, sizeof text), "steps 2-5 fused");
    assert_string_equal(gf_fused_text(&fused, p.n_steps, 3u, text, sizeof text), "steps 1-5 fused");
}

static void what_is_asked_for_or_read_twice_ends_a_run(void **state)
{
    UNUSED(state);
    uint16_t s = expr(operand(GF_F32, 1), "a+1");
    s = expr(made_by(s), "a*2");
    result(s);
    s = expr(made_by(s), "a+3");
    s = expr(made_by(s), "a*4");
    uint16_t twice = s;
    s = expr(made_by(s), "a+5");
    s = step("gaussian", made_by(s), NULL, NULL);
    struct gf_ref other = made_by(twice);
    s = step("combine", made_by(s), &other, NULL);
    result(s);
    assert_string_equal(fuse(), "steps 1-2 and 3-4 fused");
    assert_int_equal(p.n_steps, 5);
    assert_int_equal(p.results[0].step, 0);
    assert_int_equal(p.steps[1].in[0].index, 0);
    assert_int_equal(p.steps[4].in[0].index, 3);
    assert_int_equal(p.steps[4].in[1].index, 1);
    assert_int_equal(p.results[1].step, 4);
}

static void branches_that_meet_are_one_step(void **state)
{
    UNUSED(state);
    uint16_t one = step("map", operand(GF_U8, 3), NULL, "dtype", "f32", NULL);
    uint16_t two = step("map", operand(GF_U8, 3), NULL, "dtype", "f32", "scale", "2", NULL);
    struct gf_ref other = made_by(two);
    result(step("combine", made_by(one), &other, "mode", "absdiff", NULL));
    assert_string_equal(fuse(), "steps 1-3 fused");
    assert_int_equal(p.n_steps, 1);
    assert_int_equal(p.steps[0].in[0].index, 0);
    assert_int_equal(p.steps[0].in[1].index, 1);
    assert_int_equal(p.steps[0].nodes->inputs, 3);
}

static void a_fifth_input_begins_anew(void **state)
{
    UNUSED(state);
    struct gf_ref other = operand(GF_F32, 1);
    uint16_t s = step("combine", operand(GF_F32, 1), &other, NULL);
    for (int i = 0; i < 4; i++) {
        other = operand(GF_F32, 1);
        s = step("combine", made_by(s), &other, NULL);
    }
    result(s);
    assert_string_equal(fuse(), "steps 1-3 and 4-5 fused");
    assert_int_equal(p.steps[1].in[0].from, GF_FROM_STEP);
    assert_int_equal(p.steps[1].in[2].index, 5);
}

static void what_depends_on_more_than_a_sample_is_not_fused(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *name, *value;
    } ops[] = {{"threshold", "bins", "256"}, {"map", "gamma", "2"}, {"map", "dtype", "f16"},
               {"equalize", NULL, NULL},     {"flip", "axis", "x"}, {"gray", NULL, NULL}};
    for (size_t i = 0; i < GF_ARRAY_LEN(ops); i++) {
        clear(NULL);
        uint16_t s = step(ops[i].op, operand(GF_U8, 1), NULL, ops[i].name, ops[i].value, NULL);
        if (strcmp(ops[i].op, "gray") == 0)
            p.operands[0].view.channels = 3, p.operands[0].view.pitch *= 3, p.operands[0].length *= 3;
        result(step("map", made_by(s), NULL, NULL));
        assert_string_equal(fuse(), "");
        assert_int_equal(p.n_steps, 2);
    }
    clear(NULL);
    result(step("threshold", made_by(step("map", operand(GF_U8, 3), NULL, NULL)), NULL, "value", "3", NULL));
    assert_string_equal(fuse(), ""); /* of the brightness */
}

static void the_last_step_may_make_f16(void **state)
{
    UNUSED(state);
    uint16_t s = step("map", operand(GF_F16, 1), NULL, "dtype", "f32", NULL);
    result(step("map", made_by(s), NULL, "dtype", "f16", NULL));
    assert_string_equal(fuse(), "steps 1-2 fused");
}

static void channels_that_are_named_are_computed_by_pixels(void **state)
{
    UNUSED(state);
    uint16_t s = step("map", operand(GF_U8, 3), NULL, "scale", "2", NULL);
    s = expr(made_by(s), "a[2], a[1], a[0]");
    result(step("map", made_by(s), NULL, "offset", "1", NULL));
    assert_string_equal(fuse(), "steps 1-3 fused");
    assert_true(p.steps[0].nodes->pixels);
    assert_int_equal(p.steps[0].nodes->n_results, 3);
    assert_int_equal(count(p.steps[0].nodes, GF_EXPR_SAMPLE), 3);
}

static void alpha_is_chosen_once(void **state)
{
    UNUSED(state);
    uint16_t s = step("map", operand(GF_U8, 4), NULL, "scale", "2", "alpha", "auto", NULL);
    s = step("map", made_by(s), NULL, "scale", "3", "alpha", "auto", NULL);
    result(step("map", made_by(s), NULL, "offset", "1", "alpha", "auto", NULL));
    assert_string_equal(fuse(), "steps 1-3 fused");
    assert_int_equal(count(p.steps[0].nodes, GF_EXPR_CH), 1);
    assert_int_equal(count(p.steps[0].nodes, GF_EXPR_SELECT), 1);
}

/* The limit is the number of nodes: each step has 25 products, sums, numbers and their conversions. */
static void a_run_ends_where_an_expression_does(void **state)
{
    UNUSED(state);
    static char text[GF_FUSE_STEPS][GF_EXPR_MAX_TEXT];
    struct gf_ref in = operand(GF_F32, 1);
    for (uint32_t s = 0; s < 4; s++) {
        int n = sprintf(text[s], "a");
        for (int k = 0; k < 25; k++)
            n += sprintf(text[s] + n, "*a + %u%02d", s + 1, k);
        in = made_by(expr(in, text[s]));
    }
    result(in.index);
    assert_string_equal(fuse(), "steps 1-2 and 3-4 fused");
    assert_in_range(p.steps[0].nodes->n_nodes, 190, GF_EXPR_MAX_NODES);
}

static void long_runs_are_cut(void **state)
{
    UNUSED(state);
    struct gf_ref in = operand(GF_F32, 1);
    for (uint32_t s = 0; s < 2 * GF_FUSE_STEPS + 1; s++)
        in = made_by(step("map", in, NULL, "scale", "2", NULL));
    result(in.index);
    assert_string_equal(fuse(), "steps 1-16 and 17-32 fused");
    assert_int_equal(p.n_steps, 3);
    assert_int_equal(p.steps[2].in[0].index, 1);
    assert_int_equal(fused.numbers[3], 33);
}

static void memory_is_never_more(void **state)
{
    UNUSED(state);
    /* Not fused: the fused step would hold the f32 input until the f32 output is made; the u8 between them is smaller.
     */
    uint16_t s = step("gaussian", operand(GF_F32, 1), NULL, NULL);
    s = step("expr", made_by(s), NULL, "expression", "a", "dtype", "u8", NULL);
    s = step("expr", made_by(s), NULL, "expression", "a", "dtype", "f32", NULL);
    result(step("gaussian", made_by(s), NULL, NULL));
    assert_string_equal(fuse(), "");
    /* A picture smaller than the scratch of the threads. */
    clear(NULL);
    s = step("map", operand(GF_U8, 1), NULL, NULL);
    result(step("map", made_by(s), NULL, NULL));
    assert_string_equal(fuse_on(64), "");
    assert_string_equal(fuse_on(1), "steps 1-2 fused");
}

static void less_memory_is_counted(void **state)
{
    UNUSED(state);
    struct gf_footprint before, after;
    struct gf_ref in = operand(GF_F32, 4);
    for (uint32_t s = 0; s < 4; s++)
        in = made_by(step("map", in, NULL, "scale", "2", NULL));
    result(in.index);
    p.unfused = true;
    assert_string_equal(fuse_on(2), "");
    gf_footprint_find(&p, 2, false, &before);
    p.unfused = false;
    assert_string_equal(fuse_on(2), "steps 1-4 fused");
    gf_footprint_find(&p, 2, false, &after);
    assert_int_equal(before.work, 2 * 16 * (uint64_t)SIDE * SIDE);
    assert_in_range(after.work, 1, UINT64_C(1) << 20);
}

static void the_program_may_forbid_it(void **state)
{
    UNUSED(state);
    uint16_t s = step("map", operand(GF_F32, 1), NULL, NULL);
    result(step("map", made_by(s), NULL, NULL));
    p.unfused = true;
    assert_string_equal(fuse(), "");
    assert_int_equal(p.n_steps, 2);
    assert_int_equal(fused.numbers[2], 2);
}

static void the_text_is_cut_off(void **state)
{
    UNUSED(state);
    char text[12];
    uint16_t s = step("map", operand(GF_F32, 1), NULL, NULL);
    for (int i = 0; i < 3; i++) {
        s = step("map", made_by(s), NULL, NULL);
        result(s);
        s = step("map", made_by(s), NULL, NULL);
    }
    result(s);
    assert_string_equal(fuse(), "steps 1-2, 3-4 and 5-6 fused");
    assert_string_equal(gf_fused_text(&fused, p.n_steps, 0, text, sizeof text), "steps 1-2, ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, release)
    const struct CMUnitTest tests[] = {
        TEST(a_run_between_filters_is_one_step),
        TEST(what_is_asked_for_or_read_twice_ends_a_run),
        TEST(branches_that_meet_are_one_step),
        TEST(a_fifth_input_begins_anew),
        TEST(what_depends_on_more_than_a_sample_is_not_fused),
        TEST(the_last_step_may_make_f16),
        TEST(channels_that_are_named_are_computed_by_pixels),
        TEST(alpha_is_chosen_once),
        TEST(a_run_ends_where_an_expression_does),
        TEST(long_runs_are_cut),
        TEST(memory_is_never_more),
        TEST(less_memory_is_counted),
        TEST(the_program_may_forbid_it),
        TEST(the_text_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
