/* SPDX-License-Identifier: MIT */
/* Front and worker parse each text of a request once: the check keeps the nodes for fusing, cutting and computing. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "protocol/expr/build.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/reach.h"
#include "protocol/ops/texts/expression.h"
#include "protocol/ops/texts/operator.h"
#include "protocol/ops/texts/parsed.h"
#include "protocol/wire/request.h"

static unsigned g_parses, g_characters, g_nodes;

enum gf_status __real_gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                                    struct gf_expr *ret_expr, struct gf_error *err);
enum gf_status __wrap_gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                                    struct gf_expr *ret_expr, struct gf_error *err);

enum gf_status __real_gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret);
enum gf_status __wrap_gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret);

enum gf_status __wrap_gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret)
{
    g_nodes++;
    return __real_gf_expr_add_node(builder, node, ret);
}

enum gf_status __wrap_gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                                    struct gf_expr *ret_expr, struct gf_error *err)
{
    g_parses++;
    g_characters += size;
    return __real_gf_expr_parse(text, size, scope, ret_expr, err);
}

static struct gf_program made, decoded;
static uint8_t frame[GF_MAX_FRAME_HEAD];

static struct gf_step *add(const char *op, const char *const *params)
{
    struct gf_step *s = &made.steps[made.n_steps];
    s->op = gf_op_by_name(op);
    gf_op_params_default(s->op, &s->params);
    for (uint32_t k = 0; k < s->op->n_inputs; k++)
        s->in[k].from = GF_FROM_NOTHING;
    s->in[0] = (struct gf_ref){.from = made.n_steps > 0 ? GF_FROM_STEP : GF_FROM_OPERAND,
                               .index = (uint16_t)(made.n_steps > 0 ? made.n_steps - 1 : 0)};
    for (; params[0] != NULL; params += 2)
        assert_int_equal(gf_op_param_parse(s->op, gf_op_param(s->op, params[0]), params[1], &s->params, NULL), GF_OK);
    made.n_steps++;
    return s;
}

static int setup(void **state)
{
    UNUSED(state);
    memset(&made, 0, sizeof made);
    strcpy(made.device, "auto");
    const struct gf_view view = gf_view_tight(GF_F32, 1024, 1024, 4);
    made.n_operands = made.n_results = 1;
    made.operands[0] = (struct gf_operand){.way = GF_WAY_ARENA, .id = 1, .length = gf_view_bytes(&view), .view = view};
    made.results[0] = (struct gf_result){.way = GF_WAY_INLINE};
    return 0;
}

/* Encodes the program whose last step is the result, and decodes it as front and worker do. */
static enum gf_status decode(struct gf_parsed *parsed)
{
    struct gf_writer w;
    made.results[0].step = (uint16_t)(made.n_steps - 1);
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, &made);
    assert_true(gf_writer_finish(&w, GF_FRAME_RUN, 1, 0, 0));
    g_parses = g_characters = 0;
    parsed->n = 0;
    return gf_program_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, 0, &decoded, parsed, NULL);
}

static void an_expression_is_parsed_once(void **state)
{
    UNUSED(state);
    static const char *const texts[] = {"expression", "a * 2 + 1", NULL};
    static struct gf_fused fused;
    static struct gf_parsed parsed;
    static struct gf_expr expr, again;
    struct gf_reach reach;
    struct gf_view in[GF_MAX_INPUTS] = {made.operands[0].view};
    for (int i = 0; i < 8; i++)
        add("expr", texts);
    assert_int_equal(decode(&parsed), GF_OK);
    assert_int_equal(g_parses, 8);
    assert_int_equal(parsed.n, 8);
    struct gf_step first = decoded.steps[0];
    gf_fuse(&decoded, 0, false, &fused);
    assert_int_equal(decoded.n_steps, 1);
    gf_step_reach(&first, in, &reach);
    assert_int_equal(gf_step_expr(&first, in, false, &expr, NULL), GF_OK);
    assert_int_equal(g_parses, 8);
    gf_op_params_default(first.op, &first.params);
    assert_int_equal(gf_op_param_parse(first.op, &first.op->params[0], texts[1], &first.params, NULL), GF_OK);
    assert_int_equal(gf_step_expr(&first, in, false, &again, NULL), GF_OK);
    assert_int_equal(g_parses, 9);
    assert_int_equal(expr.n_nodes, again.n_nodes);
    assert_int_equal(expr.results[0], again.results[0]);
    for (uint32_t i = 0; i < again.n_nodes; i++) {
        const struct gf_expr_node *a = &expr.nodes[i], *b = &again.nodes[i];
        assert_true(a->op == b->op && a->type == b->type && a->column == b->column && a->value.u64 == b->value.u64);
        assert_memory_equal(a->in, b->in, sizeof a->in);
    }
    gf_fused_deinit(&fused);
    gf_parsed_deinit(&parsed);
    assert_int_equal(parsed.n, 0);
}

static void an_operator_is_parsed_once(void **state)
{
    UNUSED(state);
    static const char *const texts[] = {"op",   "user", "lift",   "a, 1.0*a",    "combine", "a0 + b0, a1 + b1",
                                        "axis", "all",  "finish", "a0 / (k+a1)", "set",     "k=2",
                                        NULL};
    static struct gf_parsed parsed;
    static struct gf_operator user;
    struct gf_reach reach;
    struct gf_view in[GF_MAX_INPUTS] = {made.operands[0].view};
    add("reduce", texts);
    assert_int_equal(decode(&parsed), GF_E_BAD_PARAM); /* k is not declared */
    assert_int_equal(parsed.n, 0);
    gf_parsed_deinit(&parsed);
    assert_int_equal(gf_op_param_parse(made.steps[0].op, gf_op_param(made.steps[0].op, "finish"),
                                       "param k = 1; a0 / (k+a1)", &made.steps[0].params, NULL),
                     GF_OK);
    assert_int_equal(decode(&parsed), GF_OK);
    assert_int_equal(parsed.n, 3);
    assert_int_equal(g_characters,
                     strlen("a, 1.0*a") + strlen("a0 + b0, a1 + b1") + strlen("param k = 1; a0 / (k+a1)"));
    gf_step_reach(&decoded.steps[0], in, &reach);
    assert_int_equal(gf_operator_of_step(decoded.steps[0].op, in, &decoded.steps[0].params, &user, NULL), GF_OK);
    assert_int_equal(g_parses, 3);
    gf_parsed_deinit(&parsed);
}

/* The text that is wrong is parsed once more, for the error; the others are not. */
static void a_wrong_text_frees_what_is_kept(void **state)
{
    UNUSED(state);
    static const char *const right[] = {"expression", "a + 1", NULL}, *const wrong[] = {"expression", "a +", NULL};
    static struct gf_parsed parsed;
    for (int i = 0; i < 3; i++)
        add("expr", right);
    add("expr", wrong);
    assert_int_equal(decode(&parsed), GF_E_BAD_PARAM);
    assert_int_equal(g_parses, 5);
    assert_int_equal(parsed.n, 3);
    gf_parsed_deinit(&parsed);
}

/* Steps that keep as many values as an expression may, and would keep b too if they were one: every run is found to be
 * too large only when it is complete. */
static void the_search_for_runs_is_bounded(void **state)
{
    UNUSED(state);
    static char text[512] = "(a+b)";
    const char *const texts[] = {"expression", text, NULL};
    static struct gf_fused fused;
    static struct gf_parsed parsed;
    for (int i = 0; i < 29; i++)
        sprintf(text + strlen(text), "*((a+%d)", i);
    for (int i = 0; i < 29; i++)
        strcat(text, ")");
    made.n_operands = 2;
    made.operands[1] = made.operands[0];
    for (int i = 0; i < 16; i++)
        add("expr", texts)->in[1] = (struct gf_ref){.from = GF_FROM_OPERAND, .index = 1};
    assert_int_equal(decode(&parsed), GF_OK);
    g_parses = g_nodes = 0;
    gf_fuse(&decoded, 0, false, &fused);
    assert_int_equal(decoded.n_steps, 16);
    assert_in_range(g_nodes, 16, 2 * GF_FUSE_WORK); /* 11,050 without the bound */
    assert_int_equal(g_parses, 0);
    gf_fused_deinit(&fused);
    gf_parsed_deinit(&parsed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_expression_is_parsed_once, setup),
        cmocka_unit_test_setup(an_operator_is_parsed_once, setup),
        cmocka_unit_test_setup(a_wrong_text_frees_what_is_kept, setup),
        cmocka_unit_test_setup(the_search_for_runs_is_bounded, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
