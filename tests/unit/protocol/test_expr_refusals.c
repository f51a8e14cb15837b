/* SPDX-License-Identifier: MIT */
/* protocol/expr: the messages that refuse a text, and each limit at the limit and one above. */
#include <stdio.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/base/text.h"
#include "protocol/expr/expr.h"
#include "tests/unit/unit.h"

#define ROOM 4096

/* a u8 of three channels, b f32 and c u64 of one; no d. */
static struct gf_expr_scope three_inputs(void)
{
    return (struct gf_expr_scope){
        .what = "expr: expression", .dtypes = {GF_U8, GF_F32, GF_U64, 0}, .channels = {3, 1, 1, 0}, .place = true};
}

static void expect_refusal(const char *text, size_t size, const struct gf_expr_scope *scope, const char *says)
{
    struct gf_expr expr, before;
    struct gf_error err = {0};
    memset(&expr, 0x5A, sizeof expr);
    before = expr;
    enum gf_status status = gf_expr_parse(text, (uint32_t)size, scope, &expr, &err);
    size_t what = strlen(scope->what);
    if (status == GF_OK)
        fail_msg("'%.*s' was accepted", (int)size, size > 0 ? text : "");
    assert_int_equal(status, GF_E_BAD_PARAM);
    assert_int_equal(err.status, GF_E_BAD_PARAM);
    assert_memory_equal(&expr, &before, sizeof expr);
    assert_memory_equal(err.text, scope->what, what);
    if (strncmp(err.text + what, ": ", 2) != 0 || strcmp(err.text + what + 2, says) != 0)
        fail_msg("'%.*s': '%s' is not '%s'", (int)size, text, err.text, says);
    assert_int_equal(gf_expr_parse(text, (uint32_t)size, scope, &expr, NULL), GF_E_BAD_PARAM);
}

struct refusal {
    const char *text, *says;
};

static void expect_all(const struct refusal *cases, size_t n)
{
    const struct gf_expr_scope scope = three_inputs();
    for (size_t i = 0; i < n; i++)
        expect_refusal(cases[i].text, strlen(cases[i].text), &scope, cases[i].says);
}

static void bytes_and_numbers(void **state)
{
    UNUSED(state);
    static const struct refusal cases[] = {
        {"a + \303\251", "column 5: byte 0xC3 is not ASCII"},
        {"a \001", "column 3: control character 0x01 is not allowed"},
        {"a\177", "column 2: control character 0x7F is not allowed"},
        {"a @ b", "column 3: '@' has no meaning in expressions"},
        {"a # b", "column 3: '#' has no meaning in expressions"},
        {"a \"b\"", "column 3: '\"' has no meaning in expressions"},
        {"a . b", "column 3: '.' has no meaning in expressions"},
        {"1.5f", "column 1: 1.5f is not a number; no letters may follow its digits"},
        {"10u", "column 1: 10u is not a number; no letters may follow its digits"},
        {"0x", "column 1: hexadecimal digits must follow 0x"},
        {"0xfg", "column 1: 0xfg is not a number; no letters may follow its digits"},
        {"1.2.3", "column 1: 1.2.3 is not a number; no letters may follow its digits"},
        {"1e", "column 1: 1e is not a number; no letters may follow its digits"},
        {"1e+", "column 1: 1e is not a number; no letters may follow its digits"},
        {"2a", "column 1: 2a is not a number; no letters may follow its digits"},
        {"99999999999999999999",
         "column 1: 99999999999999999999 is outside -2^63 to 2^64 - 1; with a decimal point it is rounded to f64"},
        {"0x10000000000000000",
         "column 1: 0x10000000000000000 is outside -2^63 to 2^64 - 1; with a decimal point it is rounded to f64"},
        {"-9223372036854775809",
         "column 2: -9223372036854775809 is outside -2^63 to 2^64 - 1; with a decimal point it is rounded to f64"},
        {"1e400", "column 1: 1e400 is greater than every f64; inf is infinity"},
        {"n23456789012345678901234567890123 = x; x",
         "column 1: the name n2345678901234567890123456789012... has 33 characters; allowed: up to 32"},
    };
    expect_all(cases, sizeof cases / sizeof *cases);
    const struct gf_expr_scope scope = three_inputs();
    expect_refusal(NULL, 0, &scope, "column 1: the text ends where a result is missing");
    expect_refusal("a\0b", 3, &scope, "column 2: control character 0x00 is not allowed");
}

static void grammar(void **state)
{
    UNUSED(state);
    static const struct refusal cases[] = {
        {"", "column 1: the text ends where a result is missing"},
        {"  ", "column 3: the text ends where a result is missing"},
        {"q = a;", "column 7: the text ends where a result is missing"},
        {"a +", "column 4: the text ends where a value is missing"},
        {"* a", "column 1: a value is missing before '*'"},
        {"(a", "column 3: the text ends where an operator or ) is missing"},
        {"a)", "column 2: an operator is missing before ')'"},
        {"a b", "column 3: an operator is missing before 'b'"},
        {"a 2", "column 3: an operator is missing before '2'"},
        {"(a + b", "column 7: the text ends where an operator or ) is missing"},
        {"()", "column 2: a value is missing before ')'"},
        {"abs()", "column 1: abs takes 1 value, 0 given"},
        {"abs(a", "column 6: the text ends where an operator or ) is missing"},
        {"abs(a,", "column 7: the text ends where a value is missing"},
        {"abs(a,)", "column 7: a value is missing before ')'"},
        {"min(a)", "column 1: min takes 2 to 8 values, 1 given"},
        {"min(a, a, a, a, a, a, a, a, a)", "column 1: min takes 2 to 8 values, 9 given"},
        {"clamp(a, 0)", "column 1: clamp takes 3 values, 2 given"},
        {"sqrt(a, b)", "column 1: sqrt takes 1 value, 2 given"},
        {"pow(a)", "column 1: pow takes 2 values, 1 given"},
        {"select(a > 1, a)", "column 1: select takes 3 values, 2 given"},
        {"a < b < c", "column 7: comparisons do not chain; parentheses say which comes first, as in (a < b) & (b < c)"},
        {"a == b != c",
         "column 8: comparisons do not chain; parentheses say which comes first, as in (a < b) & (b < c)"},
        {"a > 1 & b > 2", "column 7: & takes integers or bools, not f32; v != 0 makes a bool"},
        {"a ** 2", "column 3: ** is not an operator here; pow(a, b) raises to a power"},
        {"a && b", "column 3: && is not an operator here; use & with each side in parentheses"},
        {"a || b", "column 3: || is not an operator here; use | with each side in parentheses"},
        {"!a", "column 1: ! is not an operator here; use ~"},
        {"a ! b", "column 3: ! is not an operator here; use ~"},
        {"a ? b : c",
         "column 3: ? is not an operator here; use select(c, a, b), which is a where c is true, otherwise b"},
        {"q = a ? 1 : 2; q",
         "column 7: ? is not an operator here; use select(c, a, b), which is a where c is true, otherwise b"},
        {"a > 1 and b > 1", "column 7: and is not an operator here; use & with each side in parentheses"},
        {"not a", "column 1: not is not an operator here; use ~"},
        {"if a", "column 1: if is not an operator here; use select(c, a, b), which is a where c is true, otherwise b"},
        {"q = a, q", "column 6: a definition ends with ;"},
        {"a; b", "column 4: no text may follow the results; NAME = before a value makes it a definition"},
        {"a; q = b", "column 4: no text may follow the results; NAME = before a value makes it a definition"},
        {"a[0] = 3", "column 6: = is not an operator here; == compares; NAME = VALUE; in front defines a name"},
        {"a = = b; a", "column 1: a is a name of the language and cannot be defined"},
        {"x, y, w, h, x", "column 13: more than 4 results"},
        {"a,", "column 3: the text ends where a value is missing"},
        {"param = 3; x", "column 1: param is a name of the language and cannot be defined"},
        {"param g; x", "column 8: = is missing before ';'"},
        {"param g = x; g", "column 11: a number is missing before 'x'"},
        {"param 3; x", "column 1: param declares a parameter and must come first: param NAME = NUMBER;"},
        {"param g = 1 + 2; g", "column 13: an operator or ; is missing before '+'"},
        {"abs", "column 1: abs is a function; its arguments must follow in parentheses"},
        {"2(a)", "column 2: an operator is missing before '('"},
        {"a[", "column 3: the channel of a must be a digit, as in a[0]"},
        {"a[]", "column 3: the channel of a must be a digit, as in a[0]"},
        {"a[0", "column 4: the text ends where ] is missing"},
        {"a[x]", "column 3: the channel of a must be a digit, as in a[0]"},
        {"a[12]", "column 3: the channel of a must be a digit, as in a[0]"},
        {"x[0]", "column 2: an operator is missing before '['"},
        {"q = x; q[0]", "column 9: an operator is missing before '['"},
        {"a ~ b", "column 3: an operator is missing before '~'"},
        {"q == x; q", "column 1: no name q; allowed: a, b, c, x, y, w, h, ch, pi, inf, nan, true and false"},
    };
    expect_all(cases, sizeof cases / sizeof *cases);
}

static void names(void **state)
{
    UNUSED(state);
    static const struct refusal cases[] = {
        {"foo", "column 1: no name foo; allowed: a, b, c, x, y, w, h, ch, pi, inf, nan, true and false"},
        {"ln(a)", "column 1: no function ln; did you mean log?"},
        {"where(a > 1, b, b)", "column 1: no function where; did you mean select?"},
        {"sqr(a)", "column 1: no function sqr; did you mean sqrt?"},
        {"foo(a)", "column 1: no function foo; allowed: abs, sign, floor, ceil, round, trunc, sqrt, exp, log, sin, "
                   "cos, isnan, f32, f64, i64, u64, bool, pow, atan2, min, max, fma, select and clamp"},
        {"maximum(a, b)", "column 1: no function maximum; did you mean max?"},
        {"width", "column 1: no name width; did you mean w?"},
        {"gain_ + 1", "column 1: no name gain_; allowed: a, b, c, x, y, w, h, ch, pi, inf, nan, true and false"},
        {"gain = 2; gian*a", "column 11: no name gian; did you mean gain?"},
        {"d", "column 1: d: no input d was given"},
        {"q = r; r = 1; q", "column 5: no name r; allowed: a, b, c, x, y, w, h, ch, pi, inf, nan, true and false"},
        {"q = q + 1; q", "column 5: no name q; allowed: a, b, c, x, y, w, h, ch, pi, inf, nan, true and false"},
        {"q = 1; q = 2; q", "column 8: q is defined twice, first in column 1"},
        {"param g = 1; g = 2; g", "column 14: g is defined twice, first in column 7"},
        {"a = 3; a", "column 1: a is a name of the language and cannot be defined"},
        {"x = 1; x", "column 1: x is a name of the language and cannot be defined"},
        {"pi = 3; pi", "column 1: pi is a name of the language and cannot be defined"},
        {"abs = 1; a", "column 1: abs is a name of the language and cannot be defined"},
        {"param param = 1; a", "column 7: param is a name of the language and cannot be defined"},
        {"param", "column 1: param declares a parameter and must come first: param NAME = NUMBER;"},
        {"i", "column 1: no name i; allowed: a, b, c, x, y, w, h, ch, pi, inf, nan, true and false"},
        {"a0", "column 1: no name a0; did you mean a?"},
        {"A", "column 1: no name A; allowed: a, b, c, x, y, w, h, ch, pi, inf, nan, true and false"},
    };
    expect_all(cases, sizeof cases / sizeof *cases);
}

static void types(void **state)
{
    UNUSED(state);
    static const struct refusal cases[] = {
        {"a + c", "column 3: + of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"c - x", "column 3: - of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"c*-1", "column 2: * of u64 and a number below 0; i64(v) makes an i64"},
        {"c + (1 - 2)", "column 3: + of u64 and a number below 0; i64(v) makes an i64"},
        {"min(c, -5)", "column 1: min of u64 and a number below 0; i64(v) makes an i64"},
        {"x + 9223372036854775808", "column 3: + of i64 and a number above 2^63 - 1; u64(v) makes a u64"},
        {"a & b", "column 3: & takes integers or bools, not f32; v != 0 makes a bool"},
        {"a | 1.5", "column 3: | takes integers or bools, not f64; v != 0 makes a bool"},
        {"a ^ b", "column 3: ^ takes integers or bools, not f32; pow(a, b) raises to a power"},
        {"2.0 ^ 2", "column 5: ^ takes integers or bools, not f64; pow(a, b) raises to a power"},
        {"~b", "column 1: ~ takes integers or bools, not f32; v != 0 makes a bool"},
        {"~1.5", "column 1: ~ takes integers or bools, not f64; v != 0 makes a bool"},
        {"(a > 1) & a", "column 9: & takes integers or bools, not both; v != 0 makes a bool"},
        {"1 | (a > 1)", "column 3: | takes integers or bools, not both; v != 0 makes a bool"},
        {"a << 1.5", "column 3: << takes integers, not f64; i64(v) makes one"},
        {"b >> 1", "column 3: >> takes integers, not f32; i64(v) makes one"},
        {"a << (a > 1)", "column 3: << takes integers, not bool; i64(v) makes one"},
        {"c << x", "column 3: << of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"-(a > 1)", "column 1: - takes a number, not bool; i64(v) makes one"},
        {"+(a > 1)", "column 1: + takes a number, not bool; i64(v) makes one"},
        {"abs(a > 1)", "column 1: abs takes a number, not bool; i64(v) makes one"},
        {"floor(a > 1)", "column 1: floor takes a number, not bool; i64(v) makes one"},
        {"sqrt(a > 1)", "column 1: sqrt takes a number, not bool; i64(v) makes one"},
        {"isnan(true)", "column 1: isnan takes a number, not bool; i64(v) makes one"},
        {"select(a, 1, 2)", "column 1: select takes a bool first, not i64; v != 0 makes one"},
        {"select(b, 1, 2)", "column 1: select takes a bool first, not f32; v != 0 makes one"},
        {"select(1, a, b)", "column 1: select takes a bool first, not i64; v != 0 makes one"},
        {"select(a > 1, a, c)", "column 1: select of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"fma(a, c, b)", "column 1: fma of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"a / c", "column 3: / of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"c == x", "column 3: == of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"clamp(c, x, 5)", "column 1: clamp of i64 and u64; i64(v) or u64(v) says which is meant"},
        {"select(a > 1, -1, 1)*c", "column 21: * of u64 and a number below 0; i64(v) makes an i64"},
    };
    expect_all(cases, sizeof cases / sizeof *cases);
}

static void pixels(void **state)
{
    UNUSED(state);
    static const struct refusal cases[] = {
        {"a[3]", "column 1: a[3]: a has 3 channels, a[0] to a[2]"},
        {"b[1]", "column 1: b[1]: b has 1 channel, b[0]"},
        {"a[9]", "column 1: a[9]: a has 3 channels, a[0] to a[2]"},
        {"a + a[0]", "column 1: a has 3 channels and channels are named; a[0] names one"},
        {"a, b", "column 1: a has 3 channels and there are several results; a[0] names one"},
        {"ch, b", "column 1: ch is not defined when there are several results"},
        {"a[0]*ch", "column 6: ch is not defined when channels are named"},
        {"q = a; q, b", "column 5: a has 3 channels and there are several results; a[0] names one"},
        {"d[0]", "column 1: d: no input d was given"},
    };
    expect_all(cases, sizeof cases / sizeof *cases);
}

static void parameters(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text, *set, *says;
    } cases[] = {
        {"x", "g=1", "column 1 of set: no parameter g; the text declares none"},
        {"param g = 1; g", "gg=1", "column 1 of set: no parameter gg; the text declares g"},
        {"param g = 1; param t = 2.; g", "s=1", "column 1 of set: no parameter s; the text declares g or t"},
        {"param g = 1; g", "g=1.5", "column 3 of set: g takes whole numbers, not 1.5"},
        {"param g = 1; g", "g=1, g=2", "column 6 of set: g is set twice"},
        {"param g = 1.; g", "g=x", "column 3 of set: the value of g must be a number"},
        {"param g = 1.; g", "g=inf", "column 3 of set: the value of g must be a number"},
        {"param g = 1.; g", "g", "column 2 of set: the text ends here; values are given as NAME=NUMBER, NAME=NUMBER"},
        {"param g = 1.; g", "g=", "column 3 of set: the value of g must be a number"},
        {"param g = 1.; g", "=1", "column 1 of set: '=' is out of place; values are given as NAME=NUMBER, NAME=NUMBER"},
        {"param g = 1.; g", "g=1; t=2",
         "column 4 of set: ';' is out of place; values are given as NAME=NUMBER, NAME=NUMBER"},
        {"param g = 1.; g", "g=1,",
         "column 5 of set: the text ends here; values are given as NAME=NUMBER, NAME=NUMBER"},
        {"param g = 1.; g", "g=- -1", "column 5 of set: the value of g must be a number"},
        {"param g = 1.; g", "g=1.5f", "column 3 of set: 1.5f is not a number; no letters may follow its digits"},
        {"param g = 1.; g", "g=1e999", "column 3 of set: 1e999 is greater than every f64; inf is infinity"},
        {"param g = 1; g", "g=99999999999999999999",
         "column 3 of set: 99999999999999999999 is outside -2^63 to 2^64 - 1; with a decimal point it is rounded to "
         "f64"},
        {"param g = 1; g*c", "g=-1", "column 15: * of u64 and a number below 0; i64(v) makes an i64"},
        {"param g = 1.; g", "g=1 2",
         "column 5 of set: '2' is out of place; values are given as NAME=NUMBER, NAME=NUMBER"},
        {"x", "\303\251", "column 1 of set: byte 0xC3 is not ASCII"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gf_expr_scope scope = three_inputs();
        scope.params = cases[i].set;
        scope.params_size = (uint32_t)strlen(cases[i].set);
        expect_refusal(cases[i].text, strlen(cases[i].text), &scope, cases[i].says);
    }
}

static void texts_without_places(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = {.what = "reduce: combine", .state = {GF_EXPR_F64}};
    expect_refusal("a0 + x", 6, &scope, "column 6: x is not defined in this text, which has no coordinates");
    expect_refusal("a0 + a1", 7, &scope, "column 6: no name a1; did you mean a0?");
    expect_refusal("a0 = 3; b0", 10, &scope, "column 1: a0 is a name of the language and cannot be defined");
    expect_refusal("a", 1, &scope, "column 1: a: a text on states has no samples; a0.. are the state's values");
}

/* "HEAD" and `n` times "ITEM", with the number counted from 1 for a %d in it, and "TAIL". */
static const char *repeated(const char *head, const char *item, uint32_t n, const char *tail)
{
    static char text[ROOM];
    text[0] = '\0';
    gf_text_append(text, sizeof text, "%s", head);
    for (uint32_t i = 1; i <= n; i++) {
        const char *digits = strchr(item, '#');
        if (digits == NULL)
            gf_text_append(text, sizeof text, "%s", item);
        else
            gf_text_append(text, sizeof text, "%.*s%u%s", (int)(digits - item), item, i, digits + 1);
    }
    gf_text_append(text, sizeof text, "%s", tail);
    return text;
}

static const char *nested(const char *open, uint32_t n, const char *inside, const char *close)
{
    static char text[ROOM];
    text[0] = '\0';
    for (uint32_t i = 0; i < n; i++)
        gf_text_append(text, sizeof text, "%s", open);
    gf_text_append(text, sizeof text, "%s", inside);
    for (uint32_t i = 0; i < n; i++)
        gf_text_append(text, sizeof text, "%s", close);
    return text;
}

static void expect_accepted(const char *text, const struct gf_expr_scope *scope, struct gf_expr *ret_expr)
{
    struct gf_error err = {0};
    if (gf_expr_parse(text, (uint32_t)strlen(text), scope, ret_expr, &err) != GF_OK)
        fail_msg("'%s': %s", text, err.text);
}

static void limits_of_the_text(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = three_inputs();
    struct gf_expr expr;
    expect_accepted(repeated("x", " ", GF_EXPR_MAX_TEXT - 1, ""), &scope, &expr);
    expect_refusal(repeated("x", " ", GF_EXPR_MAX_TEXT, ""), GF_EXPR_MAX_TEXT + 1, &scope,
                   "column 2049: the text has 2049 characters; allowed: up to 2048");
    static const char *const levels[][2] = {{"(", ")"}, {"abs(", ")"}, {"- ", ""}, {"~", ""}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        char says[128] = "";
        const char *text = nested(levels[i][0], GF_EXPR_MAX_DEPTH, "x", levels[i][1]);
        expect_accepted(text, &scope, &expr);
        text = nested(levels[i][0], GF_EXPR_MAX_DEPTH + 1, "x", levels[i][1]);
        gf_text_append(says, sizeof says, "column %zu: parentheses, calls and signs are nested more than 64 deep",
                       GF_EXPR_MAX_DEPTH * strlen(levels[i][0]) + (levels[i][0][0] == 'a' ? 4 : 1));
        expect_refusal(text, strlen(text), &scope, says);
    }
    const char *names = repeated("", "q# = x; ", GF_EXPR_MAX_NAMES, "x");
    expect_accepted(names, &scope, &expr);
    names = repeated("", "q# = x; ", GF_EXPR_MAX_NAMES + 1, "x");
    expect_refusal(names, strlen(names), &scope, "column 280: q33: a text may define at most 32 names");
    expect_accepted("n2345678901234567890123456789012 = x; x", &scope, &expr);
    expect_accepted("x, y, w, h", &scope, &expr);
}

static void limits_of_the_nodes(void **state)
{
    UNUSED(state);
    const struct gf_expr_scope scope = three_inputs();
    struct gf_expr expr;
    expect_accepted(repeated("-x", "+#", 127, ""), &scope, &expr);
    assert_int_equal(expr.n_nodes, GF_EXPR_MAX_NODES);
    const char *text = repeated("- -x", "+#", 127, "");
    expect_refusal(text, strlen(text), &scope,
                   "column 401: the text has more than 256 values, literals and conversions");
    /* x*1 + (x*2 + (x*3 ...: each product is needed later */
    char deep[ROOM] = "x*1";
    for (int i = 2; i <= 30; i++)
        gf_text_append(deep, sizeof deep, "+(x*%d", i);
    size_t size = strlen(deep);
    gf_text_append(deep, sizeof deep, "%s", ")))))))))))))))))))))))))))))");
    expect_accepted(deep, &scope, &expr);
    deep[size] = '\0';
    gf_text_append(deep, sizeof deep, "+(x*31%s", "))))))))))))))))))))))))))))))");
    expect_refusal(deep, strlen(deep), &scope, "column 167: more than 30 values are needed later at this place");
}

static void limits_of_parameters(void **state)
{
    UNUSED(state);
    struct gf_expr_scope scope = three_inputs();
    struct gf_expr expr;
    char set[ROOM] = "q1=7";
    for (int i = 2; i <= 32; i++)
        gf_text_append(set, sizeof set, ",q%d=7", i);
    const char *text = repeated("", "param q#=1;", GF_EXPR_MAX_NAMES, "q32");
    scope.params = set;
    scope.params_size = (uint32_t)strlen(set);
    expect_accepted(text, &scope, &expr);
    assert_int_equal(expr.n_nodes, 1);
    assert_int_equal(expr.nodes[0].value.i64, 7);
    gf_text_append(set, sizeof set, ",q33=7");
    scope.params_size = (uint32_t)strlen(set);
    expect_refusal(text, strlen(text), &scope, "column 184 of set: more than 32 values are set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_numbers),
        cmocka_unit_test(grammar),
        cmocka_unit_test(names),
        cmocka_unit_test(types),
        cmocka_unit_test(pixels),
        cmocka_unit_test(parameters),
        cmocka_unit_test(texts_without_places),
        cmocka_unit_test(limits_of_the_text),
        cmocka_unit_test(limits_of_the_nodes),
        cmocka_unit_test(limits_of_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
