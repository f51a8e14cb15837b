/* SPDX-License-Identifier: MIT */
/* The reference of expressions checks every node: wrong ranges and types are errors here, which no backend reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reference_expr.h"

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
        cmocka_unit_test(computes_what_is_sound),
        cmocka_unit_test(finds_values_outside_of_their_range),
        cmocka_unit_test(finds_operands_and_results_of_other_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
