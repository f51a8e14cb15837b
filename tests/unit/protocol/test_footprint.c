/* SPDX-License-Identifier: MIT */
/* The memory of a program beside its data, against counts by hand. conformance.memory tests that the CPU takes no more.
 */
#include "protocol/ops/footprint.h"

#include <string.h>

#include "protocol/ops/op_codec.h"
#include "tests/unit/unit.h"

#define PAGE UINT64_C(65536)

static struct gf_program p;

static uint16_t operand(struct gf_view view, uint32_t id, uint64_t offset)
{
    p.operands[p.n_operands] = (struct gf_operand){
        .way = GF_WAY_ARENA, .id = id, .offset = offset, .length = gf_view_bytes(&view), .view = view};
    return (uint16_t)p.n_operands++;
}

static struct gf_ref from(uint16_t index)
{
    return (struct gf_ref){.index = index};
}

static struct gf_ref made_by(uint16_t step)
{
    return (struct gf_ref){.from = GF_FROM_STEP, .index = step};
}

static uint16_t step(const char *op, struct gf_ref first, struct gf_ref second)
{
    struct gf_step *s = &p.steps[p.n_steps];
    s->op = gf_op_by_name(op);
    gf_op_params_default(s->op, &s->params);
    s->in[0] = first;
    s->in[1] = second;
    for (uint32_t i = s->op->n_required > 1 || second.from != GF_FROM_NOTHING ? 2 : 1; i < GF_MAX_INPUTS; i++)
        s->in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
    return (uint16_t)p.n_steps++;
}

static void result(uint16_t of)
{
    p.results[p.n_results++] = (struct gf_result){.step = of, .way = GF_WAY_INLINE};
}

static struct gf_footprint figure(void)
{
    struct gf_error error = {0};
    struct gf_footprint f;
    strcpy(p.device, "auto");
    if (gf_program_check(&p, true, &error) != GF_OK)
        fail_msg("%s", error.text);
    gf_footprint_find(&p, 2, false, &f);
    return f;
}

static int clear(void **state)
{
    UNUSED(state);
    memset(&p, 0, sizeof p);
    return 0;
}

static const struct gf_ref nothing = {.from = GF_FROM_NOTHING};

static void the_users_of_outputs_and_operands_are_found(void **state)
{
    UNUSED(state);
    struct gf_uses uses;
    const struct gf_view view = gf_view_tight(GF_U8, 10, 10, 1);
    uint16_t first = operand(view, 1, 0), second = operand(view, 2, 0);
    step("copy", from(first), nothing);
    result(step("copy", made_by(0), nothing));
    step("combine", made_by(0), from(second));
    result(2);
    result(2);
    (void)figure();
    gf_program_uses(&p, &uses);
    assert_int_equal(uses.outputs[0][0].last, 2);
    assert_int_equal(uses.outputs[0][0].n_sinks, 0);
    assert_int_equal(uses.outputs[1][0].last, 1);
    assert_int_equal(uses.outputs[1][0].n_sinks, 1);
    assert_int_equal(uses.outputs[2][0].last, 2);
    assert_int_equal(uses.outputs[2][0].n_sinks, 2);
    assert_int_equal(uses.operands[first], 0);
    assert_int_equal(uses.operands[second], 2);
}

static void a_result_has_its_own_memory_and_costs_none(void **state)
{
    UNUSED(state);
    result(step("copy", from(operand(gf_view_tight(GF_U8, 1000, 1000, 1), 1, 0)), nothing));
    struct gf_footprint f = figure();
    assert_int_equal(f.copies + f.work, 0);
    /* An output that is read again keeps its memory until then, besides its copy in the result. */
    result(step("copy", made_by(0), nothing));
    f = figure();
    assert_int_equal(f.work, (1000000 + PAGE - 1) / PAGE * PAGE);
    assert_int_equal(gf_footprint_total(&f, false), 0);
}

static void an_outer_product_is_as_large_as_it_is(void **state)
{
    UNUSED(state);
    uint16_t a = operand(gf_view_tight(GF_F32, 1, 32768, 1), 1, 0);
    uint16_t b = operand(gf_view_tight(GF_F32, 32768, 1, 1), 1, 131072);
    uint16_t product = step("matmul", from(a), from(b));
    result(step("reduce", made_by(product), nothing));
    struct gf_footprint f = figure();
    assert_in_range(f.work, UINT64_C(4) << 30, (UINT64_C(4) << 30) + (UINT64_C(512) << 20));
}

static void what_nobody_reads_any_more_is_gone(void **state)
{
    UNUSED(state);
    uint64_t size = (UINT64_C(4096) * 4096 + PAGE - 1) / PAGE * PAGE;
    uint16_t last = step("copy", from(operand(gf_view_tight(GF_U8, 4096, 4096, 1), 1, 0)), nothing);
    for (int i = 0; i < 10; i++)
        last = step("copy", made_by(last), nothing);
    result(last);
    assert_int_equal(figure().work, 2 * size); /* the one that is read and the one that is made */
    p.n_results = 0;
    result(0);
    for (int i = 0; i < 9; i++)
        p.steps[2 + i].in[0] = made_by(0); /* all read the first step, and no step reads them */
    assert_int_equal(figure().work, 2 * size);
}

static void a_region_that_is_named_often_is_copied_once(void **state)
{
    UNUSED(state);
    uint16_t src = operand(gf_view_tight(GF_U8, 12, 1, 1), 1, 0);
    struct gf_view list = gf_view_tight(GF_U32, 1000, 1, 1);
    for (int i = 0; i < 24; i++)
        result(step("scan", from(src), from(operand(list, 2, 0))));
    assert_int_equal(figure().copies, 4000);
    assert_int_equal(gf_footprint_copied(&p), ((UINT64_C(1) << 24) - 1) << 1);
    assert_int_equal(gf_footprint_copy_of(&p, 24), 1);
    p.operands[2].offset = 4;   /* another place, */
    p.operands[3].id = 3;       /* another arena, */
    p.operands[4].view.width--; /* another length: copies of their own */
    assert_int_equal(figure().copies, 4 * 4000 - 4);
}

static void the_most_there_can_be_does_not_wrap(void **state)
{
    UNUSED(state);
    uint16_t last = step("scan", from(operand(gf_view_tight(GF_U8, UINT64_C(1) << 36, 1, 1), 1, 0)), nothing);
    for (int i = 0; i < 62; i++)
        last = step("scan", made_by(0), nothing);
    result(last);
    struct gf_footprint f = figure();
    assert_true(f.work >= UINT64_C(2) << 39);
    f.copies = UINT64_MAX;
    assert_int_equal(gf_footprint_total(&f, true), UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_users_of_outputs_and_operands_are_found, clear),
        cmocka_unit_test_setup(a_result_has_its_own_memory_and_costs_none, clear),
        cmocka_unit_test_setup(an_outer_product_is_as_large_as_it_is, clear),
        cmocka_unit_test_setup(what_nobody_reads_any_more_is_gone, clear),
        cmocka_unit_test_setup(a_region_that_is_named_often_is_copied_once, clear),
        cmocka_unit_test_setup(the_most_there_can_be_does_not_wrap, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
