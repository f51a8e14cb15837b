/* SPDX-License-Identifier: MIT */
/* kernels/shared/expr: expressions are lowered to programs: constants computed on the host, types, registers. */
#include "kernels/shared/expr/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/shared/expr/lower.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "tests/unit/unit.h"

#define WIDTH 640u
#define HEIGHT 480u

static enum gf_status compile(const char *expression, uint32_t dtype, struct gf_expr_program *ret_program,
                              struct gf_error *err)
{
    struct gf_expr expr;
    struct gf_expr_scope scope = {
        .what = "expr: expression", .dtypes = {dtype, dtype, GF_U64, GF_F64}, .channels = {1, 1, 1, 1}, .place = true};
    enum gf_status status = gf_expr_parse(expression, (uint32_t)strlen(expression), &scope, &expr, err);
    return status == GF_OK ? gf_expr_compile(&expr, WIDTH, HEIGHT, ret_program, err) : status;
}

static struct gf_expr_program compiled(const char *expression, uint32_t dtype)
{
    struct gf_expr_program program;
    struct gf_error err = {0};
    if (compile(expression, dtype, &program, &err) != GF_OK)
        fail_msg("%s: %s", expression, err.text);
    return program;
}

struct case_of {
    const char *expression, *text;
};

static void check(const struct case_of *cases, size_t n, uint32_t dtype)
{
    char text[4096];
    for (size_t i = 0; i < n; i++) {
        struct gf_expr_program program = compiled(cases[i].expression, dtype);
        if (strcmp(gf_expr_program_text(&program, text, sizeof(text)), cases[i].text) != 0)
            fail_msg("%s is\n%snot\n%s", cases[i].expression, text, cases[i].text);
    }
}

static void literals_are_computed_once(void **state)
{
    UNUSED(state);
    static const struct case_of cases[] = {
        {"2 + 3 * 4", "=.i32 14\n"},
        {"1 / 4", "=.f64 0.25\n"},
        {"sqrt(16) + a", "r0 = LOAD.f32 a\nr1 = ADD.f32 4 r0\n=.f32 r1\n"},
        {"a * (w / 2)", "r0 = LOAD.f32 a\nr1 = MUL.f32 r0 320\n=.f32 r1\n"},
        {"h", "=.i32 480\n"},
        {"1 << 40", "=.i64 1099511627776\n"},
        {"select(1 > 2, a, b)", "r0 = LOAD.f32 b\n=.f32 r0\n"},
        {"t = a * 5; u = t + 1; b", "r0 = LOAD.f32 b\n=.f32 r0\n"},
    };
    check(cases, GF_ARRAY_LEN(cases), GF_F32);
}

static void samples_are_loaded_as_they_are_used(void **state)
{
    UNUSED(state);
    static const struct case_of cases[] = {
        {"a * 1.5", "r0 = LOAD.f32 a\nr1 = MUL.f32 r0 1.5\n=.f32 r1\n"},
        {"a * d", "r0 = LOAD.f64 a\nr1 = LOAD.f64 d\nr2 = MUL.f64 r0 r1\n=.f64 r2\n"},
        {"a", "r0 = LOAD.i32 a\n=.i32 r0\n"},
        {"f32(c)", "r0 = LOAD.f32 c\n=.f32 r0\n"},
        {"x * 0.5", "r0 = PLACE.f32 x\nr1 = MUL.f32 r0 0.5\n=.f32 r1\n"},
        {"select(a > b, 1, 2) * 0.5", "r0 = LOAD.i32 b\nr1 = LOAD.i32 a\nr2 = LT.i32 r0 r1\nr0 = SELECT.f64 r2 1 2\n"
                                      "r1 = MUL.f64 r0 0.5\n=.f64 r1\n"},
    };
    check(cases, GF_ARRAY_LEN(cases), GF_U8);
}

static void small_integers_take_half_the_room(void **state)
{
    UNUSED(state);
    static const struct case_of cases[] = {
        {"(a - b) * (a - b)", "r0 = LOAD.i32 a\nr1 = LOAD.i32 b\nr2 = SUB.i32 r0 r1\nr0 = MUL.i32 r2 r2\n=.i32 r0\n"},
        {"a * b", "r0 = LOAD.i64 a\nr1 = LOAD.i64 b\nr2 = MUL.i64 r0 r1\n=.i64 r2\n"},
        {"a * b & 255", "r0 = LOAD.i64 a\nr1 = LOAD.i64 b\nr2 = MUL.i64 r0 r1\nr0 = AND.i64 r2 255\n=.i64 r0\n"},
        {"(a * b & 255) + a", "r0 = LOAD.i64 a\nr1 = LOAD.i64 b\nr2 = MUL.i64 r0 r1\nr0 = AND.i64 r2 255\n"
                              "r1 = TO_I32.i64 r0\nr0 = LOAD.i32 a\nr2 = ADD.i32 r1 r0\n=.i32 r2\n"},
        {"i64(a > b) << 31", "r0 = LOAD.i32 b\nr1 = LOAD.i32 a\nr2 = LT.i32 r0 r1\nr0 = TO_I64.i32 r2\n"
                             "r1 = SHL.i64 r0 31\n=.i64 r1\n"},
    };
    check(cases, 1, GF_U8);
    check(cases + 1, GF_ARRAY_LEN(cases) - 1, GF_U16);
}

static void divisions_by_powers_of_two_are_none(void **state)
{
    UNUSED(state);
    static const struct case_of whole[] = {
        {"a // 8", "r0 = LOAD.i32 a\nr1 = SHR.i32 r0 3\n=.i32 r1\n"},
        {"(a - 5) % 8", "r0 = LOAD.i32 a\nr1 = SUB.i32 r0 5\nr0 = AND.i32 r1 7\n=.i32 r0\n"},
        {"a // 7", "r0 = LOAD.i32 a\nr1 = FLOORDIV.i32 r0 7\n=.i32 r1\n"},
        {"c // 8", "r0 = LOAD.u64 c\nr1 = SHR.u64 r0 3\n=.u64 r1\n"},
        {"c % 8", "r0 = LOAD.u64 c\nr1 = AND.u64 r0 7\n=.u64 r1\n"},
        {"d / -0.25", "r0 = LOAD.f64 d\nr1 = MUL.f64 r0 -4\n=.f64 r1\n"},
    };
    static const struct case_of floats[] = {
        {"a / 2", "r0 = LOAD.f32 a\nr1 = MUL.f32 r0 0.5\n=.f32 r1\n"},
        {"a / 3", "r0 = LOAD.f32 a\nr1 = DIV.f32 r0 3\n=.f32 r1\n"},
        {"a / 0", "r0 = LOAD.f32 a\nr1 = DIV.f32 r0 0\n=.f32 r1\n"},
        {"a / 1e-40", "r0 = LOAD.f32 a\nr1 = DIV.f32 r0 1e-40\n=.f32 r1\n"},
    };
    check(whole, GF_ARRAY_LEN(whole), GF_I16);
    check(floats, GF_ARRAY_LEN(floats), GF_F32);
}

/* Interprets a program of one input, instruction by instruction. */
static union gf_expr_value run(const struct gf_expr_program *program, double a)
{
    union gf_expr_value at[256] = {{0}}, sample = {.i64 = 0};
    memcpy(at + GF_EXPR_FIRST_CONSTANT, program->constants, program->n_constants * sizeof(*at));
    for (uint32_t i = 0; i < program->n_insns; i++) {
        const struct gf_expr_insn *insn = &program->insns[i];
        union gf_expr_value in[3] = {at[insn->in[0]], at[insn->in[1]], at[insn->in[2]]};
        if (insn->op == GF_EXPR_I_LOAD_F32)
            sample.f32 = (float)a;
        else
            sample.f64 = a;
        at[insn->dst] = gf_expr_insn_info(insn->op)->n == 0 ? sample : gf_expr_fold(insn->op, in);
    }
    return at[program->results[0]];
}

/* The instructions for a literal operand give the bits of the operator. */
static void check_cheaper(const char *form, double literal, uint32_t dtype, uint32_t op)
{
    static const double samples[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     2.0,
                                     -2.0,
                                     0.3,
                                     -0.3,
                                     7.25,
                                     -7.25,
                                     1e30,
                                     -1e30,
                                     1e-40,
                                     -1e-40,
                                     1e38,
                                     3e-39,
                                     1e300,
                                     1e-300,
                                     (double)INFINITY,
                                     -(double)INFINITY,
                                     (double)NAN};
    char text[64];
    snprintf(text, sizeof(text), form, dtype == GF_F32 ? 'a' : 'd', literal);
    struct gf_expr_program program = compiled(text, GF_F32);
    for (size_t i = 0; i < GF_ARRAY_LEN(samples); i++) {
        union gf_expr_value in[3] = {{0}}, got = run(&program, samples[i]);
        in[0].f64 = samples[i];
        in[1].f64 = literal;
        if (dtype == GF_F32) {
            in[0] = in[1] = (union gf_expr_value){.i64 = 0};
            in[0].f32 = (float)samples[i];
            in[1].f32 = (float)literal;
        }
        union gf_expr_value expected = gf_expr_fold(op, in);
        bool nans = dtype == GF_F32 ? isnan(got.f32) && isnan(expected.f32) : isnan(got.f64) && isnan(expected.f64);
        if (!nans && got.u64 != expected.u64)
            fail_msg("%s of %g is %llx, not %llx", text, samples[i], (unsigned long long)got.u64,
                     (unsigned long long)expected.u64);
    }
}

static void cheaper_instructions_keep_bits(void **state)
{
    UNUSED(state);
    for (double y = -5.0; y <= 5.0; y += 0.25) {
        check_cheaper("pow(%c, %g)", y, GF_F32, GF_EXPR_I_POW_F32);
        check_cheaper("pow(%c, %g)", y, GF_F64, GF_EXPR_I_POW_F64);
    }
    for (double by = 0x1p-30; by < 1e10; by *= 1.25) {
        check_cheaper("%c / %.17g", by, GF_F64, GF_EXPR_I_DIV_F64);
        check_cheaper("%c / %.17g", (double)(float)by, GF_F32, GF_EXPR_I_DIV_F32);
    }
    for (int exponent = -126; exponent < 128; exponent++)
        check_cheaper("%c / %.17g", ldexp(1.0, exponent), GF_F32, GF_EXPR_I_DIV_F32);
}

static void plain_powers_are_products(void **state)
{
    UNUSED(state);
    static const struct case_of cases[] = {
        {"pow(a, 2)", "r0 = LOAD.f32 a\nr1 = TO_F64.f32 r0\nr0 = MUL.f64 r1 r1\nr1 = TO_F32.f64 r0\n=.f32 r1\n"},
        {"pow(d, 2)", "r0 = LOAD.f64 d\nr1 = MUL.f64 r0 r0\n=.f64 r1\n"},
        {"pow(d, -1)", "r0 = LOAD.f64 d\nr1 = DIV.f64 1 r0\n=.f64 r1\n"},
        {"pow(d, 3)", "r0 = LOAD.f64 d\nr1 = POW.f64 r0 3\n=.f64 r1\n"},
        {"pow(a, 2.2)", "r0 = LOAD.f32 a\nr1 = POW.f32 r0 2.2\n=.f32 r1\n"},
    };
    check(cases, GF_ARRAY_LEN(cases), GF_F32);
}

static void bools_are_whole_numbers(void **state)
{
    UNUSED(state);
    static const struct case_of cases[] = {
        {"isnan(a)", "r0 = LOAD.f32 a\nr1 = NE.f32 r0 r0\n=.i32 r1\n"},
        {"~(a > 1)", "r0 = LOAD.f32 a\nr1 = LT.f32 1 r0\nr0 = EQ.i32 r1 0\n=.i32 r0\n"},
        {"bool(a)", "r0 = LOAD.f32 a\nr1 = NE.f32 r0 0\n=.i32 r1\n"},
        {"f32(a > 1)", "r0 = LOAD.f32 a\nr1 = LT.f32 1 r0\nr0 = TO_F32.i32 r1\n=.f32 r0\n"},
    };
    check(cases, GF_ARRAY_LEN(cases), GF_F32);
}

/* No result shares a register with its operands, and no register holds two live values. The program runs on numbers
 * that identify values. */
static void registers_are_used_again(void **state)
{
    UNUSED(state);
    struct gf_expr_program chain = compiled("((((a + 1) * a + 2) * a + 3) * a + 4) * a + 5", GF_F32);
    assert_int_equal(chain.n_insns, 10);
    assert_int_equal(chain.n_registers, 3);
    for (uint32_t i = 0; i < chain.n_insns; i++)
        for (uint32_t k = 0; k < gf_expr_insn_info(chain.insns[i].op)->n; k++)
            assert_true(chain.insns[i].dst != chain.insns[i].in[k]);
    struct gf_expr_program several = compiled("a, b, a + b", GF_F32);
    assert_true(several.pixels);
    assert_int_equal(several.n_results, 3);
    assert_int_equal(several.n_registers, 3);
    assert_int_equal(several.inputs, 3);
}

static void constants_have_types(void **state)
{
    UNUSED(state);
    struct gf_expr_program program = compiled("(a * b & 5) + 5 + (a & 5)", GF_U16);
    bool narrow = false, wide = false;
    for (uint32_t i = 0; i < program.n_constants; i++) {
        narrow = narrow || program.constant_types[i] == GF_EXPR_M_I32;
        wide = wide || program.constant_types[i] == GF_EXPR_M_I64;
    }
    assert_true(narrow && wide);
    assert_int_equal(program.n_constants, 2);
}

static void longest_texts_have_room(void **state)
{
    UNUSED(state);
    struct gf_expr_program program;
    char text[GF_EXPR_MAX_TEXT + 1] = "d";
    for (int i = 0; i < 84; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "+%d.5", i);
    assert_int_equal(compile(text, GF_F32, &program, NULL), GF_OK);
    assert_int_equal(program.n_constants, 84);
    strcpy(text, "t0=d");
    for (int i = 1; i < 32; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), ";t%d=fma(fma(t%d,%d.5,%d.25),%d.125,%d)", i, i - 1,
                 i, i, i, i);
    strcat(text, ";t31");
    assert_int_equal(compile(text, GF_F32, &program, NULL), GF_OK);
    assert_int_equal(program.n_constants, 124);
}

static void folds(void **state)
{
    UNUSED(state);
    union gf_expr_value in[3] = {{.i32 = -7}, {.i32 = 2}, {0}};
    assert_int_equal(gf_expr_fold(GF_EXPR_I_FLOORDIV_I32, in).i32, -4);
    assert_int_equal(gf_expr_fold(GF_EXPR_I_MOD_I32, in).i32, 1);
    in[1].i32 = 0;
    assert_int_equal(gf_expr_fold(GF_EXPR_I_FLOORDIV_I32, in).i32, 0);
    assert_int_equal(gf_expr_fold(GF_EXPR_I_MOD_I32, in).i32, 0);
    in[0].i64 = INT64_MIN;
    in[1].i64 = -1;
    assert_true(gf_expr_fold(GF_EXPR_I_FLOORDIV_I64, in).i64 == INT64_MIN);
    assert_true(gf_expr_fold(GF_EXPR_I_MOD_I64, in).i64 == 0);
    assert_true(gf_expr_fold(GF_EXPR_I_ABS_I64, in).i64 == INT64_MIN);
    in[1].i64 = 64;
    assert_true(gf_expr_fold(GF_EXPR_I_SHR_I64, in).i64 == -1);
    assert_true(gf_expr_fold(GF_EXPR_I_SHL_I64, in).i64 == 0);
    in[0].f64 = 1e300;
    assert_true(gf_expr_fold(GF_EXPR_I_TO_I64_F64, in).i64 == INT64_MAX);
    assert_true(gf_expr_fold(GF_EXPR_I_TO_U64_F64, in).u64 == UINT64_MAX);
    in[0].f64 = -1e300;
    assert_true(gf_expr_fold(GF_EXPR_I_TO_I64_F64, in).i64 == INT64_MIN);
    assert_true(gf_expr_fold(GF_EXPR_I_TO_U64_F64, in).u64 == 0);
    in[0].f64 = (double)NAN;
    assert_true(gf_expr_fold(GF_EXPR_I_TO_I64_F64, in).i64 == 0);
    in[0].f32 = 0.0f;
    in[1].f32 = -0.0f;
    assert_true(signbit(gf_expr_fold(GF_EXPR_I_MIN_F32, in).f32));
    assert_false(signbit(gf_expr_fold(GF_EXPR_I_MAX_F32, in).f32));
    in[1].f32 = NAN;
    assert_true(isnan(gf_expr_fold(GF_EXPR_I_MIN_F32, in).f32) && isnan(gf_expr_fold(GF_EXPR_I_MAX_F32, in).f32));
    in[0].f32 = -7.5f;
    in[1].f32 = 2.0f;
    assert_true(gf_expr_fold(GF_EXPR_I_MOD_F32, in).f32 == 0.5f);
    assert_true(gf_expr_fold(GF_EXPR_I_ROUND_F32, in).f32 == -8.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_computed_once),
        cmocka_unit_test(samples_are_loaded_as_they_are_used),
        cmocka_unit_test(small_integers_take_half_the_room),
        cmocka_unit_test(divisions_by_powers_of_two_are_none),
        cmocka_unit_test(cheaper_instructions_keep_bits),
        cmocka_unit_test(plain_powers_are_products),
        cmocka_unit_test(bools_are_whole_numbers),
        cmocka_unit_test(registers_are_used_again),
        cmocka_unit_test(constants_have_types),
        cmocka_unit_test(longest_texts_have_room),
        cmocka_unit_test(folds),
    };
    return cmocka_run_group_tests_name("expr_program", tests, NULL, NULL);
}
