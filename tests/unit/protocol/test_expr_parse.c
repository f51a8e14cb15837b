/* SPDX-License-Identifier: MIT */
/* protocol/expr: types and nodes of texts, printed as s-expressions, and the properties of a parsed expression. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/base/text.h"
#include "protocol/expr/build.h"
#include "protocol/expr/expr.h"
#include "protocol/expr/tokens.h"
#include "tests/unit/unit.h"

#define ROOM 1024

/* a u8, b f32, c u64, d f64, of one channel. */
static struct gf_expr_scope one_channel(void)
{
    return (struct gf_expr_scope){
        .what = "expr: expression", .dtypes = {GF_U8, GF_F32, GF_U64, GF_F64}, .channels = {1, 1, 1, 1}, .place = true};
}

static const char *const op_words[] = {
    [GF_EXPR_X] = "x", [GF_EXPR_Y] = "y",   [GF_EXPR_W] = "w",
    [GF_EXPR_H] = "h", [GF_EXPR_CH] = "ch", [GF_EXPR_INDEX] = "i",
#define GF_EXPR_OP(name, operands, types, result) [GF_EXPR_##name] = #name,
#include "protocol/expr/operators.def"
};

static void print_literal(const struct gf_expr_node *node, char *text)
{
    char number[GF_NUMBER_TEXT];
    if (node->type == GF_EXPR_BOOL)
        gf_text_append(text, ROOM, "%s", node->value.b ? "true" : "false");
    else if (node->type == GF_EXPR_I64)
        gf_text_append(text, ROOM, "%" PRId64, node->value.i64);
    else if (node->type == GF_EXPR_U64)
        gf_text_append(text, ROOM, "%" PRIu64 "u", node->value.u64);
    else {
        gf_text_from_f64(node->value.f64, number, sizeof number);
        gf_text_append(text, ROOM, "%s%s", number, strpbrk(number, ".einf") == NULL ? ".0" : "");
    }
}

/* Prints a node and its operands recursively; the texts of these tests have only a few levels. */
static void print_node(const struct gf_expr *expr, uint16_t i, char *text)
{
    const struct gf_expr_node *node = &expr->nodes[i];
    if (node->op == GF_EXPR_CONST)
        print_literal(node, text);
    else if (node->op == GF_EXPR_SAMPLE && node->channel == GF_EXPR_OWN_CHANNEL)
        gf_text_append(text, ROOM, "%c", 'a' + node->source);
    else if (node->op == GF_EXPR_SAMPLE)
        gf_text_append(text, ROOM, "%c[%d]", 'a' + node->source, node->channel);
    else if (node->op == GF_EXPR_STATE)
        gf_text_append(text, ROOM, "%c%d", 'a' + node->source, node->channel);
    else if (node->n_in == 0)
        gf_text_append(text, ROOM, "%s", op_words[node->op]);
    else {
        gf_text_append(text, ROOM, "(%s", op_words[node->op]);
        for (uint32_t k = 0; k < node->n_in; k++) {
            gf_text_append(text, ROOM, " ");
            print_node(expr, node->in[k], text);
        }
        gf_text_append(text, ROOM, ")");
    }
}

/* Prints "f32 (ADD a b)". A type ends with ~ if it is the type of a literal; several results are separated by commas.
 */
static void print_expr(const struct gf_expr *expr, char *text)
{
    text[0] = '\0';
    for (uint32_t r = 0; r < expr->n_results; r++) {
        const struct gf_expr_node *node = &expr->nodes[expr->results[r]];
        gf_text_append(text, ROOM, "%s%s%s ", r > 0 ? ", " : "", gf_expr_type_word(node->type), node->even ? "~" : "");
        print_node(expr, expr->results[r], text);
    }
}

static void parse(const char *text, const struct gf_expr_scope *scope, struct gf_expr *ret_expr)
{
    struct gf_error err = {0};
    if (gf_expr_parse(text, (uint32_t)strlen(text), scope, ret_expr, &err) != GF_OK)
        fail_msg("'%s': %s", text, err.text);
}

static void expect_nodes(const char *text, const struct gf_expr_scope *scope, const char *expected)
{
    struct gf_expr expr;
    char printed[ROOM];
    parse(text, scope, &expr);
    print_expr(&expr, printed);
    if (strcmp(printed, expected) != 0)
        fail_msg("'%s': '%s', expected '%s'", text, printed, expected);
}

struct nodes_case {
    const char *text, *expected;
};

static void expect_all(const struct nodes_case *cases, size_t n, const struct gf_expr_scope *scope)
{
    for (size_t i = 0; i < n; i++)
        expect_nodes(cases[i].text, scope, cases[i].expected);
}

static void literals_have_the_type_of_their_spelling(void **state)
{
    UNUSED(state);
    static const struct nodes_case cases[] = {
        {"7", "i64~ 7"},
        {"-7", "i64~ -7"},
        {"0xff", "i64~ 255"},
        {"1.5", "f64~ 1.5"},
        {"-1.5", "f64~ -1.5"},
        {".5", "f64~ 0.5"},
        {"1.", "f64~ 1.0"},
        {"1e3", "f64~ 1000.0"},
        {"1.5E-3", "f64~ 0.0015"},
        {"9223372036854775807", "i64~ 9223372036854775807"},
        {"9223372036854775808", "u64~ 9223372036854775808u"},
        {"-9223372036854775808", "i64~ -9223372036854775808"},
        {"0xFFFFFFFFFFFFFFFF", "u64~ 18446744073709551615u"},
        {"007", "i64~ 7"},
        {"pi", "f64~ 3.141592653589793"},
        {"-inf", "f64~ (NEG inf)"},
        {"nan", "f64~ nan"},
        {"true", "bool~ true"},
        {"1 + 2", "i64~ (ADD 1 2)"},
        {"1 + 0.5", "f64~ (ADD (TO_F64 1) 0.5)"},
        {"7 // 2", "i64~ (FLOORDIV 7 2)"},
        {"7 / 2", "f64~ (DIV (TO_F64 7) (TO_F64 2))"},
        {"1 + true", "i64~ (ADD 1 (TO_I64 true))"},
        {"9223372036854775808 + 1", "u64~ (ADD 9223372036854775808u (TO_U64 1))"},
        {"select(a > 3, 1, 2)", "i64~ (SELECT (LT 3 a) 1 2)"},
        {"select(a > 3, 1, 2.5)", "f64~ (SELECT (LT 3 a) (TO_F64 1) 2.5)"},
        {"1 < 2", "bool~ (LT 1 2)"},
        {"sqrt(4)", "f64~ (SQRT (TO_F64 4))"},
        {"f32(1)", "f32 (TO_F32 1)"},
        {"i64(1.5)", "i64 (TO_I64 1.5)"},
    };
    const struct gf_expr_scope scope = one_channel();
    expect_all(cases, sizeof cases / sizeof *cases, &scope);
}

/* Short decimals are not read by the C library, which says what they must be. */
static void decimals_are_rounded_once(void **state)
{
    UNUSED(state);
    static const char *const digits[] = {"1", "3", "7", "49", "333", "8125", "90071992", "99999999999999", "0"};
    const struct gf_expr_scope scope = one_channel();
    static struct gf_expr expr;
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
        for (uint32_t point = 0; point <= strlen(digits[i]); point++) {
            char text[64];
            double expected;
            snprintf(text, sizeof text, "%.*s.%s0", (int)point, digits[i], digits[i] + point);
            assert_non_null(gf_text_to_f64(text, &expected));
            parse(text, &scope, &expr);
            assert_memory_equal(&expr.nodes[0].value.f64, &expected, sizeof expected);
        }
}

/* Signs of two characters in every neighbourhood that splits otherwise. */
static void signs_are_as_long_as_they_can_be(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = one_channel();
    static const struct {
        const char *text, *same;
    } cases[] = {
        {"a<<a", "a << a"}, {"a>>a", "a >> a"}, {"a<=a", "a <= a"}, {"a>=a", "a >= a"},   {"a==a", "a == a"},
        {"a!=a", "a != a"}, {"a//a", "a // a"}, {"a<-a", "a < -a"}, {"a//-a", "a // -a"}, {"a&~a", "a & ~a"},
    };
    static struct gf_expr expr;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[ROOM];
        parse(cases[i].same, &scope, &expr);
        print_expr(&expr, expected);
        expect_nodes(cases[i].text, &scope, expected);
    }
}

static void operands_meet(void **state)
{
    UNUSED(state);
    static const struct nodes_case cases[] = {
        {"a + 1", "i64 (ADD a 1)"},
        {"a*1.2", "f32 (MUL (TO_F32 a) (TO_F32 1.2))"},
        {"a + b", "f32 (ADD (TO_F32 a) b)"},
        {"a + c*0.5", "f64 (ADD (TO_F64 a) (MUL (TO_F64 c) 0.5))"},
        {"a + d", "f64 (ADD (TO_F64 a) d)"},
        {"b + d", "f64 (ADD (TO_F64 b) d)"},
        {"b + 1", "f32 (ADD b (TO_F32 1))"},
        {"b + 1.5", "f32 (ADD b (TO_F32 1.5))"},
        {"d + 1", "f64 (ADD d (TO_F64 1))"},
        {"c + 1", "u64 (ADD c (TO_U64 1))"},
        {"c + 9223372036854775808", "u64 (ADD c 9223372036854775808u)"},
        {"c*1.5", "f64 (MUL (TO_F64 c) 1.5)"},
        {"c + b", "f64 (ADD (TO_F64 c) (TO_F64 b))"},
        {"x*x + 1.5", "f64 (ADD (TO_F64 (MUL x x)) 1.5)"},
        {"x*x*x + b", "f64 (ADD (TO_F64 (MUL (MUL x x) x)) (TO_F64 b))"},
        {"(w + 0)*1.0", "f32 (MUL (TO_F32 (ADD w 0)) (TO_F32 1.0))"},
        {"w*2*1.0", "f64 (MUL (TO_F64 (MUL w 2)) 1.0)"},
        {"i64(b) + b", "f64 (ADD (TO_F64 (TO_I64 b)) (TO_F64 b))"},
        {"(a > 1) + 1", "i64 (ADD (TO_I64 (LT 1 a)) 1)"},
        {"(a > 1) + 1.5", "f32 (ADD (TO_F32 (LT 1 a)) (TO_F32 1.5))"},
        {"(a > 1) + (b > 1)", "i64 (ADD (TO_I64 (LT 1 a)) (TO_I64 (LT (TO_F32 1) b)))"},
        {"(a > 1) + b", "f32 (ADD (TO_F32 (LT 1 a)) b)"},
        {"(a > 1) + c", "u64 (ADD (TO_U64 (LT 1 a)) c)"},
        {"(a > 1) < 2", "bool (LT (TO_I64 (LT 1 a)) 2)"},
        {"(a > 1) == (b > 1)", "bool (NOT (XOR (LT 1 a) (LT (TO_F32 1) b)))"},
        {"(a > 1) != (b > 1)", "bool (XOR (LT 1 a) (LT (TO_F32 1) b))"},
        {"(a > 1) < (b > 1)", "bool (LT (TO_I64 (LT 1 a)) (TO_I64 (LT (TO_F32 1) b)))"},
        {"(a > 1) == 1", "bool (EQ (TO_I64 (LT 1 a)) 1)"},
        {"min(a, b, 1)", "f32 (MIN (MIN (TO_F32 a) b) (TO_F32 1))"},
        {"clamp(a, 0, 255)", "i64 (MIN (MAX a 0) 255)"},
        {"clamp(a, 0.5, 255)", "f32 (MIN (MAX (TO_F32 a) (TO_F32 0.5)) (TO_F32 255))"},
        {"select(a > 1, a, 2.5)", "f32 (SELECT (LT 1 a) (TO_F32 a) (TO_F32 2.5))"},
        {"select(a > 1, a > 2, b > 3)", "bool (SELECT (LT 1 a) (LT 2 a) (LT (TO_F32 3) b))"},
        {"select(a > 1, a > 2, 5)", "i64 (SELECT (LT 1 a) (TO_I64 (LT 2 a)) 5)"},
        {"select(true, c, 1)", "u64 (SELECT true c (TO_U64 1))"},
        {"fma(a, b, 1)", "f32 (FMA (TO_F32 a) b (TO_F32 1))"},
        {"fma(a, 2, 3)", "i64 (ADD (MUL a 2) 3)"},
        {"fma(c, 2, 3)", "u64 (ADD (MUL c (TO_U64 2)) (TO_U64 3))"},
        {"fma(x*x, b, 1.5)", "f64 (FMA (TO_F64 (MUL x x)) (TO_F64 b) 1.5)"},
        {"pow(a, 2)", "f32 (POW (TO_F32 a) (TO_F32 2))"},
        {"atan2(y, x)", "f32 (ATAN2 (TO_F32 y) (TO_F32 x))"},
        {"a / 2", "f32 (DIV (TO_F32 a) (TO_F32 2))"},
        {"c / 2", "f64 (DIV (TO_F64 c) (TO_F64 2))"},
        {"c / -2", "f64 (DIV (TO_F64 c) (TO_F64 -2))"},
        {"(a > 1) / (b > 1)", "f32 (DIV (TO_F32 (LT 1 a)) (TO_F32 (LT (TO_F32 1) b)))"},
        {"1.2*a*b", "f32 (MUL (MUL (TO_F32 1.2) (TO_F32 a)) b)"},
        {"a*(1.2*2)", "f32 (MUL (TO_F32 a) (TO_F32 (MUL 1.2 (TO_F64 2))))"},
        {"select(a > 1, 1, 2)*c", "u64 (MUL (TO_U64 (SELECT (LT 1 a) 1 2)) c)"},
    };
    const struct gf_expr_scope scope = one_channel();
    expect_all(cases, sizeof cases / sizeof *cases, &scope);
}

static void operators_and_functions_take_their_types(void **state)
{
    UNUSED(state);
    static const struct nodes_case cases[] = {
        {"-a", "i64 (NEG a)"},
        {"-c", "u64 (NEG c)"},
        {"-b", "f32 (NEG b)"},
        {"~a", "i64 (NOT a)"},
        {"~(a > 1)", "bool (NOT (LT 1 a))"},
        {"+a", "i64 a"},
        {"abs(a)", "i64 (ABS a)"},
        {"sign(b)", "f32 (SIGN b)"},
        {"floor(a)", "i64 a"},
        {"floor(b)", "f32 (FLOOR b)"},
        {"round(1)", "i64~ 1"},
        {"trunc(2.5)", "f64~ (TRUNC 2.5)"},
        {"sqrt(a)", "f32 (SQRT (TO_F32 a))"},
        {"exp(x)", "f32 (EXP (TO_F32 x))"},
        {"log(c)", "f64 (LOG (TO_F64 c))"},
        {"sin(d)", "f64 (SIN d)"},
        {"isnan(a)", "bool~ false"},
        {"isnan(b)", "bool (ISNAN b)"},
        {"a & 15", "i64 (AND a 15)"},
        {"(a > 1) & (b > 2)", "bool (AND (LT 1 a) (LT (TO_F32 2) b))"},
        {"c | 1", "u64 (OR c (TO_U64 1))"},
        {"a ^ 3", "i64 (XOR a 3)"},
        {"a << 2", "i64 (SHL a 2)"},
        {"c >> 1", "u64 (SHR c (TO_U64 1))"},
        {"a // 3", "i64 (FLOORDIV a 3)"},
        {"b % 2", "f32 (MOD b (TO_F32 2))"},
        {"a > 1", "bool (LT 1 a)"},
        {"a >= 1", "bool (LE 1 a)"},
        {"a <= b", "bool (LE (TO_F32 a) b)"},
        {"a != 1", "bool (NE a 1)"},
        {"i64(a)", "i64 a"},
        {"i64(b)", "i64 (TO_I64 b)"},
        {"i64(a > 1)", "i64 (TO_I64 (LT 1 a))"},
        {"u64(a)", "u64 (TO_U64 a)"},
        {"u64(c)", "u64 c"},
        {"f32(a)", "f32 (TO_F32 a)"},
        {"f32(b)", "f32 b"},
        {"f64(1.2)", "f64 (TO_F64 1.2)"},
        {"bool(a)", "bool (TO_BOOL a)"},
        {"bool(a > 1)", "bool (LT 1 a)"},
    };
    const struct gf_expr_scope scope = one_channel();
    expect_all(cases, sizeof cases / sizeof *cases, &scope);
}

static void ranks_and_sides_are_those_of_the_grammar(void **state)
{
    UNUSED(state);
    static const struct nodes_case cases[] = {
        {"a - a - 1", "i64 (SUB (SUB a a) 1)"},
        {"a - (a - 1)", "i64 (SUB a (SUB a 1))"},
        {"a + a*2", "i64 (ADD a (MUL a 2))"},
        {"a*a + 2", "i64 (ADD (MUL a a) 2)"},
        {"a << 1 + 1", "i64 (SHL a (ADD 1 1))"},
        {"a & a << 1", "i64 (AND a (SHL a 1))"},
        {"a ^ a & 1", "i64 (XOR a (AND a 1))"},
        {"a | a ^ 1", "i64 (OR a (XOR a 1))"},
        {"a | 1 == 3", "bool (EQ (OR a 1) 3)"},
        {"a > a | 1", "bool (LT (OR a 1) a)"},
        {"-a*2", "i64 (MUL (NEG a) 2)"},
        {"~a & 1", "i64 (AND (NOT a) 1)"},
        {"- -a", "i64 (NEG (NEG a))"},
        {"a*-1", "i64 (MUL a -1)"},
        {"a // 2 % 3*4", "i64 (MUL (MOD (FLOORDIV a 2) 3) 4)"},
        {"a*a - a/2 <= b", "bool (LE (SUB (TO_F32 (MUL a a)) (DIV (TO_F32 a) (TO_F32 2))) b)"},
        {"a\t+\n1\r", "i64 (ADD a 1)"},
    };
    const struct gf_expr_scope scope = one_channel();
    expect_all(cases, sizeof cases / sizeof *cases, &scope);
}

static void names_stand_for_values(void **state)
{
    UNUSED(state);
    static const struct nodes_case cases[] = {
        {"q = a*2; q + q", "i64 (ADD (MUL a 2) (MUL a 2))"},
        {"t = 3; q = a*t; q", "i64 (MUL a 3)"},
        {"q = a; r = q; r;", "i64 a"},
        {"_1 = a; _1", "i64 a"},
        {"unused = b; a", "i64 a"},
        {"half = 0.5; a*half", "f32 (MUL (TO_F32 a) (TO_F32 0.5))"},
        {"abs_ = a; abs_", "i64 a"},
    };
    const struct gf_expr_scope scope = one_channel();
    expect_all(cases, sizeof cases / sizeof *cases, &scope);
}

static void parameters_take_what_is_set(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text, *set, *expected;
    } cases[] = {
        {"param g = 1.2; b*g", "", "f32 (MUL b (TO_F32 1.2))"},
        {"param g = 1.2; b*g", "g=1.5", "f32 (MUL b (TO_F32 1.5))"},
        {"param g = 1.2; b*g", "g = -2", "f32 (MUL b (TO_F32 -2.0))"},
        {"param n = 3; a*n", "n=-4", "i64 (MUL a -4)"},
        {"param n = 3; a*n", "n=0x10", "i64 (MUL a 16)"},
        {"param n = -3; param m = 1e2; n, m", " m=7 , n=5 ", "i64~ 5, f64~ 7.0"},
        {"param n = 3; c*n", "n=18446744073709551615", "u64 (MUL c 18446744073709551615u)"},
        {"param g = 1.; g", "g=18446744073709551615", "f64~ 1.8446744073709552e+19"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gf_expr_scope scope = one_channel();
        scope.params = cases[i].set;
        scope.params_size = (uint32_t)strlen(cases[i].set);
        expect_nodes(cases[i].text, &scope, cases[i].expected);
    }
}

static void pixels_have_channels_and_several_results(void **state)
{
    UNUSED(state);
    static const struct nodes_case cases[] = {
        {"a[0] + a[2]", "i64 (ADD a[0] a[2])"},      {"a[0], a[1], a[2]", "i64 a[0], i64 a[1], i64 a[2]"},
        {"a[1]*b", "f32 (MUL (TO_F32 a[1]) b)"},     {"b[0] + b", "f32 (ADD b[0] b)"},
        {"b, b*2", "f32 b, f32 (MUL b (TO_F32 2))"}, {"q = a[1]; b", "f32 b"},
    };
    struct gf_expr_scope scope = one_channel();
    scope.channels[0] = 3;
    expect_all(cases, sizeof cases / sizeof *cases, &scope);
    struct gf_expr expr;
    parse("a", &scope, &expr);
    assert_false(expr.pixels);
    parse("b, b", &scope, &expr);
    assert_true(expr.pixels);
    parse("b[0]", &scope, &expr);
    assert_true(expr.pixels);
}

static void states_and_indices_have_names_where_the_scope_has_them(void **state)
{
    UNUSED(state);
    static const struct nodes_case cases[] = {
        {"a0 + b0", "f64 (ADD a0 b0)"},
        {"a0*b1", "f64 (MUL a0 (TO_F64 b1))"},
        {"max(a1, b1) + i", "i64 (ADD (MAX a1 b1) i)"},
        {"select(b0 > a0, b1, a1), i", "i64 (SELECT (LT a0 b0) b1 a1), i64 i"},
    };
    struct gf_expr_scope scope = {
        .what = "reduce: combine", .index = true, .state = {GF_EXPR_F64, GF_EXPR_I64}, .later = true};
    expect_all(cases, sizeof cases / sizeof *cases, &scope);
    scope = one_channel(); /* and are free where it has none */
    expect_nodes("a0 = a; i = a0 + 1; i", &scope, "i64 (ADD a 1)");
}

static void samples_are_typed_by_dtype(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t dtype, type;
        int64_t lo, hi;
    } cases[] = {
        {GF_U8, GF_EXPR_I64, 0, 255},
        {GF_I8, GF_EXPR_I64, -128, 127},
        {GF_U16, GF_EXPR_I64, 0, 65535},
        {GF_I16, GF_EXPR_I64, -32768, 32767},
        {GF_U32, GF_EXPR_I64, 0, UINT32_MAX},
        {GF_I32, GF_EXPR_I64, INT32_MIN, INT32_MAX},
        {GF_I64, GF_EXPR_I64, INT64_MIN, INT64_MAX},
        {GF_U64, GF_EXPR_U64, 0, 0},
        {GF_F16, GF_EXPR_F32, 0, 0},
        {GF_F32, GF_EXPR_F32, 0, 0},
        {GF_F64, GF_EXPR_F64, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gf_expr_scope scope = one_channel();
        struct gf_expr expr;
        scope.dtypes[0] = cases[i].dtype;
        parse("a", &scope, &expr);
        assert_int_equal(expr.n_nodes, 1);
        assert_int_equal(expr.nodes[0].type, cases[i].type);
        assert_true(expr.nodes[0].lo == cases[i].lo && expr.nodes[0].hi == cases[i].hi);
    }
}

static void equal_values_are_one_node(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = one_channel();
    struct gf_expr expr;
    parse("(a + 1.5) * (a + 1.5)", &scope, &expr);
    assert_int_equal(expr.n_nodes, 6); /* a, 1.5, each as f32, the sum, the product */
}

static void unneeded_values_are_dropped(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = one_channel();
    struct gf_expr expr;
    parse("q = b*x; isnan(a + d), a", &scope, &expr);
    assert_int_equal(expr.inputs, 1u << 0 | 1u << 3);
    assert_int_equal(expr.uses, 1u << GF_EXPR_SAMPLE);
    parse("q = b*x; isnan(a*x), a", &scope, &expr);
    assert_int_equal(expr.n_nodes, 2);
    assert_int_equal(expr.inputs, 1u << 0);
    assert_int_equal(expr.uses, 1u << GF_EXPR_CONST | 1u << GF_EXPR_SAMPLE);
}

static void columns_are_those_of_operators_and_names(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = one_channel();
    struct gf_expr expr;
    parse("  b * sqrt(b)", &scope, &expr);
    assert_int_equal(expr.n_nodes, 3);
    assert_int_equal(expr.nodes[0].column, 3);
    assert_int_equal(expr.nodes[1].column, 7);
    assert_int_equal(expr.nodes[2].column, 5);
}

static void a_builder_goes_on_where_a_text_ends(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = one_channel();
    struct gf_expr expr;
    struct gf_expr_builder builder;
    struct gf_error err = {0};
    uint16_t channel, last, is_alpha, alpha;
    parse("a*1.5", &scope, &expr);
    uint32_t before = expr.n_nodes;
    gf_expr_builder_init(&builder, &expr, &scope, &err);
    const struct gf_expr_site site = {"alpha", 1};
    assert_int_equal(gf_expr_place(&builder, GF_EXPR_CH, 1, &channel), GF_OK);
    assert_int_equal(gf_expr_literal_i64(&builder, 3, 1, &last), GF_OK);
    assert_int_equal(gf_expr_binary(&builder, GF_EXPR_EQ, channel, last, site, &is_alpha), GF_OK);
    assert_int_equal(gf_expr_sample(&builder, 0, GF_EXPR_OWN_CHANNEL, 1, &alpha), GF_OK);
    assert_int_equal(expr.n_nodes, before + 3); /* a is there */
    assert_int_equal(
        gf_expr_ternary(&builder, GF_EXPR_SELECT, is_alpha, alpha, expr.results[0], site, &expr.results[0]), GF_OK);
    assert_int_equal(gf_expr_finish(&builder), GF_OK);
    char printed[ROOM];
    print_expr(&expr, printed);
    assert_string_equal(printed, "f32 (SELECT (EQ ch 3) (TO_F32 a) (MUL (TO_F32 a) (TO_F32 1.5)))");
    assert_true(expr.uses & 1u << GF_EXPR_CH);
}

static void types_have_words_and_dtypes(void **state)
{
    UNUSED(state);
    assert_string_equal(gf_expr_type_word(GF_EXPR_BOOL), "bool");
    assert_string_equal(gf_expr_type_word(GF_EXPR_F64), "f64");
    assert_string_equal(gf_expr_type_word(GF_EXPR_F64 + 1), "?");
    assert_int_equal(gf_expr_type_dtype(GF_EXPR_BOOL), GF_U8);
    assert_int_equal(gf_expr_type_dtype(GF_EXPR_U64), GF_U64);
    assert_int_equal(gf_expr_type_dtype(0), 0);
}

static uint32_t g_random = 1;

static uint32_t below(uint32_t n)
{
    g_random = g_random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(g_random >> 4) * n >> 28);
}

static char *digits(char *at, uint32_t n)
{
    while (n-- > 0)
        *at++ = (char)('0' + below(10));
    return at;
}

/* A number with a point, an exponent or both, of few digits or many, near the ends of f64 or not. */
static void random_number(char *text)
{
    const uint32_t n = below(4) > 0 ? 1 + below(5) : below(22), behind = below(3) > 0 ? 0 : below(22);
    char *at = digits(text, n);
    if (behind > 0 || n == 0 || below(4) == 0) {
        *at++ = '.';
        at = digits(at, behind > 0 || n > 0 ? behind : 1);
    }
    const uint32_t kind = memchr(text, '.', (size_t)(at - text)) == NULL ? 1 + below(3) : below(4);
    if (kind > 0)
        at += sprintf(at, "%c%s%s%u", below(2) > 0 ? 'e' : 'E', (const char *[]){"", "-", "+", "-"}[below(4)],
                      below(8) > 0 ? "" : "00",
                      kind == 1   ? below(40)
                      : kind == 2 ? below(310)
                                  : 280 + below(70));
    *at = '\0';
}

/* The value of a number is strtod's, bit for bit. */
static void numbers_are_those_of_strtod(void **state)
{
    UNUSED(state);
    for (uint32_t i = 0; i < 1000000; i++) {
        char text[80];
        random_number(text);
        struct gf_expr_tokens tokens = {.text = text, .size = (uint32_t)strlen(text), .what = "", .of = ""};
        struct gf_expr_token token;
        struct gf_expr_number number = {.f64 = -1};
        const double value = strtod(text, NULL);
        assert_int_equal(gf_expr_next(&tokens, &token), GF_OK);
        assert_int_equal(token.size, tokens.size);
        if (gf_expr_number(&tokens, &token, false, &number) != GF_OK)
            number.f64 = HUGE_VAL;
        if (memcmp(&number.f64, &value, sizeof value) != 0)
            fail_msg("%s is %a, not %a", text, value, number.f64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_have_the_type_of_their_spelling),
        cmocka_unit_test(decimals_are_rounded_once),
        cmocka_unit_test(signs_are_as_long_as_they_can_be),
        cmocka_unit_test(operands_meet),
        cmocka_unit_test(operators_and_functions_take_their_types),
        cmocka_unit_test(ranks_and_sides_are_those_of_the_grammar),
        cmocka_unit_test(names_stand_for_values),
        cmocka_unit_test(parameters_take_what_is_set),
        cmocka_unit_test(pixels_have_channels_and_several_results),
        cmocka_unit_test(states_and_indices_have_names_where_the_scope_has_them),
        cmocka_unit_test(samples_are_typed_by_dtype),
        cmocka_unit_test(equal_values_are_one_node),
        cmocka_unit_test(unneeded_values_are_dropped),
        cmocka_unit_test(columns_are_those_of_operators_and_names),
        cmocka_unit_test(a_builder_goes_on_where_a_text_ends),
        cmocka_unit_test(types_have_words_and_dtypes),
        cmocka_unit_test(numbers_are_those_of_strtod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
