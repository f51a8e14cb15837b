/* SPDX-License-Identifier: MIT */
/*
 * Random expressions: mostly well typed, with every operator and function, and literals at the limits of the types.
 * Called by random.c for its cases.
 */
#include "expression.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/base/text.h"
#include "protocol/base/view.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/texts/expression.h"
#include "protocol/ops/texts/operator.h"

#define MAX_DEPTH 6
#define MAX_VALUES 40 /* of a text, about */
#define MAX_NAMES 6
#define MISTAKES 200 /* one value in this many has a kind other than the wanted one */

#define PICK(prng, array) ((array)[gf_prng_below((prng), (uint32_t)GF_ARRAY_LEN(array))])

/* What a value is; UNSIGNED is u64, REAL either float. */
enum kind { BOOL, WHOLE, UNSIGNED, REAL, N_KINDS };

/* Ranks of operators, which say where parentheses are needed. */
enum { COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, SIGN };

struct maker {
    struct gf_prng *prng;
    const struct gf_view *in;
    bool pixels;                /* channels are named */
    bool index;                 /* so is the element's index */
    uint32_t n_state, n_states; /* values of a state; states that are named, instead of samples */
    enum kind state[GF_EXPR_MAX_STATE];
    uint32_t values;
    uint32_t n_names;
    enum kind kinds[MAX_NAMES]; /* of names */
    char *text, *set;
};

static const char *const names[MAX_NAMES] = {"k", "gain", "t_1", "Q", "_z", "value2"};
static const char *const whole_literals[] = {
    "0",     "1",  "2",  "3",  "7",    "16",   "63",        "64",       "255",      "256",        "1000",       "32767",
    "65535", "-1", "-2", "-7", "-128", "0xff", "-16777217", "16777216", "16777217", "2147483647", "-2147483648"};
static const char *const wide_literals[] = {"9223372036854775807", "-9223372036854775808", "0x7fffffffffffffff",
                                            "4294967296",          "-4611686018427387904", "0x123456789ABCDEF"};
static const char *const unsigned_literals[] = {
    "0",   "1",   "2",     "3",          "63",         "64",   "255",
    "256", "0xF", "65535", "4294967295", "4294967296", "0x10", "9223372036854775807"};
static const char *const unsigned_wide[] = {"18446744073709551615", "0xFFFFFFFFFFFFFFFF", "9223372036854775808",
                                            "0x8000000000000001", "12345678901234567890"};
static const char *const real_literals[] = {"0.0",     "0.5", "1.0",   "1.5",  "2.0",     "0.1",       "-0.0", "-2.5",
                                            ".25",     "3.",  "255.0", "1e-3", "1e2",     "0.75",      "-1.0", "100.5",
                                            "1.25e+1", "pi",  "-pi",   "7.0",  "65535.5", "16777216.5"};
static const char *const real_edges[] = {"1e-40",
                                         "1e38",
                                         "3.4028235e38",
                                         "1e39",
                                         "1e-46",
                                         "1e300",
                                         "-1e38",
                                         "1e-310",
                                         "4.9e-324",
                                         "inf",
                                         "-inf",
                                         "nan",
                                         "9.223372036854775e18",
                                         "-1e19",
                                         "1.8446744073709552e19",
                                         "1.7e308"};
static const char *const shift_counts[] = {"0", "1", "3", "8", "31", "32", "62", "63", "64", "100", "-1"};
static const char *const real_functions[] = {"sqrt", "exp", "log", "sin", "cos"};
static const char *const any_functions[] = {"abs", "sign", "floor", "ceil", "round", "trunc"};
static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};

static void value(struct maker *m, enum kind kind, uint32_t depth, uint32_t rank);

static uint32_t below(struct maker *m, uint32_t n)
{
    return gf_prng_below(m->prng, n);
}

static void put(struct maker *m, const char *text)
{
    gf_text_append(m->text, GF_EXPRESSION_TEXT, "%s", text);
}

/* A blank, now and then. */
static void blank(struct maker *m)
{
    if (below(m, 6) == 0)
        put(m, " ");
}

static enum kind kind_of(uint32_t dtype)
{
    return dtype == GF_U64 ? UNSIGNED : gf_dtype_kind(dtype) == GF_KIND_FLOAT ? REAL : WHOLE;
}

/* An input of a kind, or -1: there is none. */
static int input_of(struct maker *m, enum kind kind)
{
    int found = -1;
    uint32_t n = 0;
    for (int i = 0; i < (int)(m->n_state * m->n_states); i++)
        if (m->state[(uint32_t)i % m->n_state] == kind && below(m, ++n) == 0)
            found = i;
    for (int i = 0; m->n_states == 0 && i < (int)GF_EXPR_MAX_INPUTS; i++)
        if (gf_view_given(&m->in[i]) && kind_of(m->in[i].dtype) == kind && below(m, ++n) == 0)
            found = i;
    return found;
}

static void sample(struct maker *m, int input)
{
    if (m->n_states > 0) {
        gf_text_append(m->text, GF_EXPRESSION_TEXT, "%c%u", "ab"[(uint32_t)input / m->n_state],
                       (uint32_t)input % m->n_state);
        return;
    }
    uint32_t channels = m->in[input].channels;
    const char name[2] = {(char)('a' + input), '\0'}, channel[4] = {'[', (char)('0' + (int)below(m, channels)), ']'};
    put(m, name);
    if (m->pixels && (channels > 1 || below(m, 2) == 0))
        put(m, channel);
}

/* A sample of any input. */
static void any_sample(struct maker *m)
{
    int input = -1;
    while (input < 0)
        input = input_of(m, (enum kind)below(m, N_KINDS));
    sample(m, input);
}

static void literal(struct maker *m, enum kind kind)
{
    if (kind == BOOL)
        put(m, below(m, 2) == 0 ? "true" : "false");
    else if (kind == WHOLE)
        put(m, below(m, 8) > 0 ? PICK(m->prng, whole_literals) : PICK(m->prng, wide_literals));
    else if (kind == UNSIGNED)
        put(m, below(m, 6) > 0 ? PICK(m->prng, unsigned_literals) : PICK(m->prng, unsigned_wide));
    else
        put(m, below(m, 4) > 0 ? PICK(m->prng, real_literals) : PICK(m->prng, real_edges));
}

static void place(struct maker *m)
{
    static const char *const places[] = {"x", "y", "w", "h", "ch"};
    if (m->n_states > 0)
        literal(m, WHOLE);
    else if (m->index && below(m, 2) == 0)
        put(m, "i");
    else
        put(m, places[below(m, m->pixels ? 4 : 5)]);
}

/* A name of the kind; false where none is defined. */
static bool name(struct maker *m, enum kind kind)
{
    uint32_t i = m->n_names > 0 ? below(m, m->n_names) : 0;
    if (m->n_names == 0 || m->kinds[i] != kind)
        return false;
    put(m, names[i]);
    return true;
}

/* A random kind; kinds of the inputs are more frequent. */
static enum kind any_kind(struct maker *m)
{
    static const uint8_t kinds[] = {BOOL, WHOLE, WHOLE, UNSIGNED, REAL, REAL, REAL};
    enum kind kind = (enum kind)PICK(m->prng, kinds);
    return kind != BOOL && below(m, 2) == 0 && input_of(m, kind) < 0 ? REAL : kind;
}

static void conversion(struct maker *m, const char *to, uint32_t depth)
{
    put(m, to);
    put(m, "(");
    if (depth == 0)
        any_sample(m);
    else
        value(m, any_kind(m), depth - 1, COMPARE);
    put(m, ")");
}

static const char *conversion_to(struct maker *m, enum kind kind)
{
    return kind == BOOL ? "bool" : kind == WHOLE ? "i64" : kind == UNSIGNED ? "u64" : below(m, 2) == 0 ? "f32" : "f64";
}

/* A sample of any input that an operator and a literal make a bool, an i64 or a float. */
static void shifted_sample(struct maker *m, enum kind kind)
{
    static const char *const products[] = {"*1.5", "*0.01", "/3", "-0.5", "+100.0"}, *const wholes[] = {"x", "y",
                                                                                                        "w-x"};
    put(m, "(");
    if (kind == WHOLE) {
        put(m, m->n_states > 0 ? "7" : PICK(m->prng, wholes));
    } else {
        any_sample(m);
        put(m, kind == BOOL ? PICK(m->prng, comparisons) : PICK(m->prng, products));
        put(m, kind == BOOL ? PICK(m->prng, unsigned_literals) : "");
    }
    put(m, ")");
}

static void leaf(struct maker *m, enum kind kind)
{
    int input = input_of(m, kind);
    uint32_t choice = below(m, 10);
    if (choice < 2 && name(m, kind))
        return;
    if (choice < 4) {
        literal(m, kind);
    } else if (choice < 5 && kind == WHOLE) {
        place(m);
    } else if (input >= 0) {
        sample(m, input);
    } else if (below(m, 2) == 0 && kind != UNSIGNED) {
        shifted_sample(m, kind);
    } else {
        conversion(m, conversion_to(m, kind), 0);
    }
}

/* LEFT op RIGHT, in parentheses if the surrounding operator binds more tightly. */
static void infix(struct maker *m, const enum kind *kinds, const char *op, uint32_t own, uint32_t depth, uint32_t rank)
{
    bool closed = own < rank || below(m, 8) == 0;
    put(m, closed ? "(" : "");
    value(m, kinds[0], depth, own == COMPARE ? BITOR : own);
    blank(m);
    put(m, op);
    blank(m);
    value(m, kinds[1], depth, own + 1);
    put(m, closed ? ")" : "");
}

static void call(struct maker *m, const char *function, const enum kind *kinds, uint32_t n, uint32_t depth)
{
    put(m, function);
    put(m, "(");
    for (uint32_t i = 0; i < n; i++) {
        put(m, i > 0 ? "," : "");
        blank(m);
        value(m, kinds[i], depth, COMPARE);
    }
    put(m, ")");
}

static void prefix(struct maker *m, const char *sign, enum kind kind, uint32_t depth)
{
    put(m, sign);
    value(m, kind, depth, SIGN);
}

/* A kind that may meet one without being refused. */
static enum kind companion(struct maker *m, enum kind kind)
{
    uint32_t choice = below(m, 8);
    if (kind == REAL && choice < 3)
        return choice == 0 ? UNSIGNED : WHOLE;
    return kind != BOOL && choice == 7 ? BOOL : kind;
}

/* + - * / // % & | ^ << >> of numbers. */
static void arithmetic(struct maker *m, enum kind kind, uint32_t depth, uint32_t rank)
{
    static const struct {
        const char *text;
        uint32_t rank;
    } operators[] = {{"/", PRODUCT}, {"+", SUM},   {"-", SUM},    {"*", PRODUCT}, {"//", PRODUCT}, {"%", PRODUCT},
                     {"&", BITAND},  {"|", BITOR}, {"^", BITXOR}, {"<<", SHIFT},  {">>", SHIFT}};
    uint32_t i = kind == REAL ? below(m, 6) : 1 + below(m, 10);
    enum kind kinds[2] = {kind, kind};
    if (i == 0 && below(m, 3) == 0) /* makes a float of integers */
        kinds[0] = kinds[1] = below(m, 4) == 0 ? UNSIGNED : WHOLE;
    else if (operators[i].rank >= SUM)
        kinds[below(m, 2)] = companion(m, kind);
    if (operators[i].rank == SHIFT && below(m, 2) == 0) {
        bool closed = SHIFT < rank;
        put(m, closed ? "(" : "");
        value(m, kind, depth, SHIFT);
        put(m, operators[i].text);
        put(m, shift_counts[below(m, (uint32_t)GF_ARRAY_LEN(shift_counts) - (kind == UNSIGNED))]);
        put(m, closed ? ")" : "");
        return;
    }
    infix(m, kinds, operators[i].text, operators[i].rank, depth, rank);
}

/* Functions that take and give numbers of a kind. */
static void function(struct maker *m, enum kind kind, uint32_t depth)
{
    enum kind kinds[8];
    uint32_t choice = below(m, kind == REAL ? 9 : 5);
    for (uint32_t i = 0; i < 8; i++)
        kinds[i] = kind;
    kinds[below(m, 3)] = companion(m, kind);
    if (choice == 0) {
        call(m, PICK(m->prng, any_functions), &kind, 1, depth);
    } else if (choice < 3) {
        call(m, below(m, 2) == 0 ? "min" : "max", kinds, below(m, 8) == 0 ? 8 : 2 + below(m, 2), depth);
    } else if (choice == 3) {
        call(m, "clamp", kinds, 3, depth);
    } else if (choice == 4) {
        call(m, "fma", kinds, 3, depth);
    } else if (choice < 7) {
        enum kind of = below(m, 4) > 0 ? REAL : below(m, 2) == 0 ? WHOLE : UNSIGNED;
        call(m, PICK(m->prng, real_functions), &of, 1, depth);
    } else {
        kinds[1] = companion(m, REAL);
        call(m, choice == 7 ? "pow" : "atan2", kinds, 2, depth);
    }
}

static void choose(struct maker *m, enum kind kind, uint32_t depth)
{
    call(m, "select", (const enum kind[]){BOOL, kind, companion(m, kind)}, 3, depth);
}

static void numeric(struct maker *m, enum kind kind, uint32_t depth, uint32_t rank)
{
    uint32_t choice = below(m, 16);
    if (choice < 7)
        arithmetic(m, kind, depth, rank);
    else if (choice < 11)
        function(m, kind, depth);
    else if (choice < 13)
        choose(m, kind, depth);
    else if (choice < 15)
        conversion(m, conversion_to(m, kind), depth);
    else
        prefix(m, kind == REAL ? "-" : below(m, 2) == 0 ? "-" : "~", kind, depth);
}

static void logical(struct maker *m, uint32_t depth, uint32_t rank)
{
    static const struct {
        const char *text;
        uint32_t rank;
    } operators[] = {{"&", BITAND}, {"|", BITOR}, {"^", BITXOR}, {"==", COMPARE}, {"!=", COMPARE}};
    uint32_t choice = below(m, 12), i = below(m, (uint32_t)GF_ARRAY_LEN(operators));
    enum kind kind = (enum kind)(WHOLE + below(m, 3)), number[1] = {below(m, 4) > 0 ? REAL : WHOLE};
    if (choice < 6)
        infix(m, (const enum kind[]){kind, companion(m, kind)}, PICK(m->prng, comparisons), COMPARE, depth, rank);
    else if (choice < 8)
        infix(m, (const enum kind[]){BOOL, BOOL}, operators[i].text, operators[i].rank, depth, rank);
    else if (choice == 8)
        prefix(m, "~", BOOL, depth);
    else if (choice == 9)
        call(m, "isnan", number, 1, depth);
    else if (choice == 10)
        choose(m, BOOL, depth);
    else
        conversion(m, "bool", depth);
}

/* Appends a value of a kind that needs no parentheses where operators of a rank stand around it. */
static void value(struct maker *m, enum kind kind, uint32_t depth, uint32_t rank)
{
    if (below(m, MISTAKES) == 0)
        kind = any_kind(m);
    if (depth == 0 || m->values++ > MAX_VALUES || below(m, 8) == 0)
        leaf(m, kind);
    else if (kind == BOOL)
        logical(m, depth - 1, rank);
    else
        numeric(m, kind, depth - 1, rank);
}

/* "param NAME=NUMBER;", perhaps with another value in the set. */
static void parameter(struct maker *m)
{
    static const char *const whole[] = {"0", "1", "-3", "255", "9223372036854775807", "0x40"};
    static const char *const real[] = {"0.5", "-1.25", "1e3", "3.0", "1e-40"};
    bool is_whole = below(m, 2) == 0;
    put(m, "param ");
    put(m, names[m->n_names]);
    put(m, "=");
    put(m, is_whole ? PICK(m->prng, whole) : PICK(m->prng, real));
    put(m, ";");
    if (below(m, 2) == 0)
        gf_text_append(m->set, GF_EXPRESSION_SET, "%s%s=%s", m->set[0] != '\0' ? "," : "", names[m->n_names],
                       is_whole || below(m, 3) == 0 ? PICK(m->prng, whole) : PICK(m->prng, real));
    m->kinds[m->n_names++] = is_whole ? WHOLE : REAL;
}

static void definition(struct maker *m)
{
    enum kind kind = any_kind(m);
    put(m, names[m->n_names]);
    put(m, "=");
    value(m, kind, below(m, MAX_DEPTH - 1), COMPARE);
    put(m, ";");
    m->kinds[m->n_names++] = kind;
}

static void random_text(struct gf_prng *prng, const struct gf_view *in, char *text, char *set)
{
    struct maker m = {.prng = prng, .in = in, .text = text, .set = set};
    text[0] = set[0] = '\0';
    m.pixels = below(&m, 4) == 0;
    for (uint32_t n = below(&m, 3) == 0 ? 1 + below(&m, 4) : 0; n > 0; n--)
        if (below(&m, 3) == 0)
            parameter(&m);
        else
            definition(&m);
    for (uint32_t n = m.pixels ? 1 + below(&m, GF_EXPR_MAX_RESULTS) : 1; n > 0; n--) {
        m.values = 0;
        value(&m, any_kind(&m), 1 + below(&m, MAX_DEPTH), COMPARE);
        put(&m, n > 1 ? "," : "");
    }
    put(&m, below(&m, 10) == 0 ? ";" : "");
}

static uint64_t g_drawn, g_taken;

void gf_expression_draw(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *in, char *ret_text,
                        char *ret_set)
{
    enum gf_status status = GF_E_BAD_PARAM;
    while (status != GF_OK) {
        union gf_params params;
        struct gf_expr expr;
        random_text(prng, in, ret_text, ret_set);
        gf_op_params_default(op, &params);
        GF_SET_PARAM(&params, expr, expression,
                     (struct gf_text){.size = (uint32_t)strlen(ret_text), .chars = ret_text});
        GF_SET_PARAM(&params, expr, set, (struct gf_text){.size = (uint32_t)strlen(ret_set), .chars = ret_set});
        status = gf_expr_of_step(in, &params, &expr, NULL);
        g_drawn++;
    }
    g_taken++;
}

/* A value of a kind as the type that a word names. */
static void converted(struct maker *m, const char *to, uint32_t depth)
{
    m->values = 0;
    put(m, to);
    put(m, "(");
    value(m, any_kind(m), depth, COMPARE);
    put(m, ")");
}

/* Draws the texts of an operator once; they need not fit each other. */
static void random_operator(struct gf_prng *prng, const struct gf_view *in, struct gf_operator_texts *ret)
{
    static const char *const types[] = {"bool", "i64", "u64", "f32", "f64"};
    static const enum kind kinds[] = {BOOL, WHOLE, UNSIGNED, REAL, REAL};
    uint32_t type[GF_EXPR_MAX_STATE], n = gf_prng_below(prng, 3) > 0 ? 1 : 1 + gf_prng_below(prng, 4);
    struct maker m = {.prng = prng, .in = in, .text = ret->lift, .index = true};
    *ret = (struct gf_operator_texts){.lift = ""};
    m.pixels = below(&m, 4) == 0;
    for (uint32_t i = 0; i < n; i++) {
        type[i] = below(&m, (uint32_t)GF_ARRAY_LEN(types));
        m.state[i] = kinds[type[i]];
        put(&m, i > 0 ? "," : "");
        converted(&m, types[type[i]], below(&m, 3));
    }
    m.n_state = n;
    m.n_states = 2;
    m.text = ret->combine;
    for (uint32_t i = 0; i < n; i++) {
        put(&m, i > 0 ? "," : "");
        converted(&m, types[type[i]], 1 + below(&m, 3));
    }
    m.text = ret->identity;
    for (uint32_t i = 0; i < n; i++) {
        put(&m, i > 0 ? "," : "");
        literal(&m, m.state[i]);
    }
    m.text = ret->finish;
    m.n_states = 1;
    uint32_t results = below(&m, 2) > 0 ? 1 : 1 + below(&m, 4), to = below(&m, (uint32_t)GF_ARRAY_LEN(types));
    for (uint32_t i = 0; i < results && below(&m, 4) > 0; i++) {
        put(&m, i > 0 ? "," : "");
        converted(&m, types[to], below(&m, 3));
    }
}

void gf_operator_draw(const struct gf_op *op, struct gf_prng *prng, const struct gf_view *in,
                      struct gf_operator_texts *ret)
{
    enum gf_status status = GF_E_BAD_PARAM;
    for (; status != GF_OK; g_drawn++) {
        union gf_params params;
        struct gf_operator user;
        random_operator(prng, in, ret);
        gf_op_params_default(op, &params);
        const char *const texts[] = {ret->lift, ret->combine, ret->identity, ret->finish};
        static const char *const names_of[] = {"lift", "combine", "identity", "finish"};
        (void)gf_op_param_parse(op, gf_op_param(op, "op"), "user", &params, NULL);
        for (size_t i = 0; i < GF_ARRAY_LEN(texts); i++)
            (void)gf_op_param_parse(op, gf_op_param(op, names_of[i]), texts[i], &params, NULL);
        status = gf_operator_of_step(op, in, &params, &user, NULL);
    }
    g_taken++;
}

void gf_expression_counts(uint64_t *ret_drawn, uint64_t *ret_taken)
{
    *ret_drawn = g_drawn;
    *ret_taken = g_taken;
}
