/* SPDX-License-Identifier: MIT */
/*
 * The grammar of docs/numerics.md 26. Operators of equal rank go from left to right by a stack of pending operators,
 * one per expression; expressions call each other only through parentheses, calls and signs, which are counted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "build.h"
#include "names.h"
#include "tokens.h"

#define MAX_ARGUMENTS 8u

enum { RANK_NONE = 0, RANK_COMPARE, RANK_OR, RANK_XOR, RANK_AND, RANK_SHIFT, RANK_SUM, RANK_PRODUCT, RANKS };

struct infix {
    uint16_t kind; /* of the token */
    uint8_t rank;
    uint8_t op;
    bool swapped;
    const char *word;
};

struct parser {
    const struct gf_expr_scope *scope;
    struct gf_expr_tokens tokens;
    struct gf_expr_token token; /* the next one */
    struct gf_expr_builder builder;
    struct gf_expr_names names;
    uint32_t depth;
    /* Columns, 0 where there is none: of the first channel that is named, of the first ch, and of the first bare name
     * of an input of several channels. */
    uint32_t named_column, ch_column, bare_column;
    uint32_t bare_input;
};

static const struct infix operators[] = {
    {'<', RANK_COMPARE, GF_EXPR_LT, false, "<"},
    {GF_EXPR_PAIR('<', '='), RANK_COMPARE, GF_EXPR_LE, false, "<="},
    {'>', RANK_COMPARE, GF_EXPR_LT, true, ">"},
    {GF_EXPR_PAIR('>', '='), RANK_COMPARE, GF_EXPR_LE, true, ">="},
    {GF_EXPR_PAIR('=', '='), RANK_COMPARE, GF_EXPR_EQ, false, "=="},
    {GF_EXPR_PAIR('!', '='), RANK_COMPARE, GF_EXPR_NE, false, "!="},
    {'|', RANK_OR, GF_EXPR_OR, false, "|"},
    {'^', RANK_XOR, GF_EXPR_XOR, false, "^"},
    {'&', RANK_AND, GF_EXPR_AND, false, "&"},
    {GF_EXPR_PAIR('<', '<'), RANK_SHIFT, GF_EXPR_SHL, false, "<<"},
    {GF_EXPR_PAIR('>', '>'), RANK_SHIFT, GF_EXPR_SHR, false, ">>"},
    {'+', RANK_SUM, GF_EXPR_ADD, false, "+"},
    {'-', RANK_SUM, GF_EXPR_SUB, false, "-"},
    {'*', RANK_PRODUCT, GF_EXPR_MUL, false, "*"},
    {'/', RANK_PRODUCT, GF_EXPR_DIV, false, "/"},
    {GF_EXPR_PAIR('/', '/'), RANK_PRODUCT, GF_EXPR_FLOORDIV, false, "//"},
    {'%', RANK_PRODUCT, GF_EXPR_MOD, false, "%"},
};

/* Signs and words of other languages, and what does the same here. */
static const struct {
    uint16_t kind;
    const char *word, *advice;
} strangers[] = {
    {GF_EXPR_PAIR('*', '*'), "**", "pow(a, b) raises to a power"},
    {GF_EXPR_PAIR('&', '&'), "&&", "& is it, with each side in parentheses"},
    {GF_EXPR_PAIR('|', '|'), "||", "| is it, with each side in parentheses"},
    {'!', "!", "~ is it"},
    {'?', "?", "select(c, a, b) is a where c is true, else b"},
    {':', ":", "select(c, a, b) is a where c is true, else b"},
    {'=', "=", "== compares; NAME = VALUE; in front defines a name"},
    {GF_EXPR_TOKEN_NAME, "and", "& is it, with each side in parentheses"},
    {GF_EXPR_TOKEN_NAME, "or", "| is it, with each side in parentheses"},
    {GF_EXPR_TOKEN_NAME, "not", "~ is it"},
    {GF_EXPR_TOKEN_NAME, "if", "select(c, a, b) is a where c is true, else b"},
};

static enum gf_status expression(struct parser *p, uint16_t *ret);

static enum gf_status advance(struct parser *p)
{
    return gf_expr_next(&p->tokens, &p->token);
}

/* The token behind the next one; the end where it cannot be read. */
static struct gf_expr_token look_ahead(const struct parser *p)
{
    struct gf_expr_tokens tokens = p->tokens;
    struct gf_expr_token token = {.kind = GF_EXPR_TOKEN_END};
    tokens.err = NULL;
    (void)gf_expr_next(&tokens, &token);
    return token;
}

/* Refuses the next token, which cannot stand where `missing` is expected. */
static enum gf_status refuse_token(const struct parser *p, const char *missing)
{
    const struct gf_expr_token *token = &p->token;
    for (size_t i = 0; i < GF_ARRAY_LEN(strangers); i++)
        if (token->kind == strangers[i].kind &&
            (token->kind != GF_EXPR_TOKEN_NAME || gf_expr_is(token, strangers[i].word)))
            return gf_expr_refuse(&p->tokens, token->column, "%s is no operator here; %s", strangers[i].word,
                                  strangers[i].advice);
    if (token->kind == GF_EXPR_TOKEN_END)
        return gf_expr_refuse(&p->tokens, token->column, "the text ends where %s is missing", missing);
    return gf_expr_refuse(&p->tokens, token->column, "%s is missing before '%.*s'", missing, (int)token->size,
                          token->text);
}

static enum gf_status expect(struct parser *p, uint16_t kind, const char *missing)
{
    return p->token.kind == kind ? advance(p) : refuse_token(p, missing);
}

static enum gf_status enter(struct parser *p)
{
    if (p->depth == GF_EXPR_MAX_DEPTH)
        return gf_expr_refuse(&p->tokens, p->token.column,
                              "more than %u parentheses, calls and signs inside each other", GF_EXPR_MAX_DEPTH);
    p->depth++;
    return advance(p);
}

/* "[" digit "]" behind an input's name. */
static enum gf_status channel(struct parser *p, const struct gf_expr_token *name, uint32_t input, uint16_t *ret)
{
    uint32_t channels = p->scope->channels[input];
    enum gf_status status = advance(p);
    const struct gf_expr_token digit = p->token;
    if (status == GF_OK && (digit.kind != GF_EXPR_TOKEN_NUMBER || digit.size != 1))
        return gf_expr_refuse(&p->tokens, digit.column, "the channel of %c is a digit, as in %c[0]", name->text[0],
                              name->text[0]);
    if (status == GF_OK)
        status = advance(p);
    if (status == GF_OK)
        status = expect(p, ']', "]");
    if (status != GF_OK)
        return status;
    uint32_t number = (uint32_t)(digit.text[0] - '0');
    if (number >= channels && channels == 1)
        return gf_expr_refuse(&p->tokens, name->column, "%c[%" PRIu32 "]: %c has 1 channel, %c[0]", name->text[0],
                              number, name->text[0], name->text[0]);
    if (number >= channels)
        return gf_expr_refuse(&p->tokens, name->column,
                              "%c[%" PRIu32 "]: %c has %" PRIu32 " channels, %c[0] to %c[%" PRIu32 "]", name->text[0],
                              number, name->text[0], channels, name->text[0], name->text[0], channels - 1);
    if (p->named_column == 0)
        p->named_column = name->column;
    return gf_expr_sample(&p->builder, input, number, name->column, ret);
}

static enum gf_status input(struct parser *p, const struct gf_expr_token *name, uint32_t number, uint16_t *ret)
{
    if (p->scope->dtypes[number] == 0)
        return gf_expr_refuse(&p->tokens, name->column, "%c: no input %c was given", name->text[0], name->text[0]);
    if (p->token.kind == '[')
        return channel(p, name, number, ret);
    if (p->bare_column == 0 && p->scope->channels[number] > 1) {
        p->bare_column = name->column;
        p->bare_input = number;
    }
    return gf_expr_sample(&p->builder, number, GF_EXPR_OWN_CHANNEL, name->column, ret);
}

static enum gf_status place(struct parser *p, const struct gf_expr_token *name, enum gf_expr_op op, uint16_t *ret)
{
    if (!p->scope->place && op != GF_EXPR_INDEX)
        return gf_expr_refuse(&p->tokens, name->column, "%.*s means nothing in this text, which knows no place",
                              (int)name->size, name->text);
    if (op == GF_EXPR_CH && p->ch_column == 0)
        p->ch_column = name->column;
    return gf_expr_place(&p->builder, op, name->column, ret);
}

/* What a call gives, of the first MAX_ARGUMENTS of its `n` values. */
static enum gf_status apply(struct parser *p, const struct gf_expr_function *function, const uint16_t *in, uint32_t n,
                            struct gf_expr_site site, uint16_t *ret)
{
    if (n < function->least || n > function->most) {
        char range[32];
        snprintf(range, sizeof range, function->least == function->most ? "%d" : "%d to %d", function->least,
                 function->most);
        return gf_expr_refuse(&p->tokens, site.column, "%s takes %s value%s, %" PRIu32 " given", function->word, range,
                              function->most == 1 ? "" : "s", n);
    }
    if (function->op == 0) {
        enum gf_status status = gf_expr_binary(&p->builder, GF_EXPR_MAX, in[0], in[1], site, ret);
        return status == GF_OK ? gf_expr_binary(&p->builder, GF_EXPR_MIN, *ret, in[2], site, ret) : status;
    }
    enum gf_expr_op op = (enum gf_expr_op)function->op;
    enum gf_status status = gf_expr_apply(&p->builder, op, in, site, ret);
    for (uint32_t i = function->least; i < n && status == GF_OK; i++)
        status = gf_expr_binary(&p->builder, op, *ret, in[i], site, ret);
    return status;
}

static enum gf_status call(struct parser *p, const struct gf_expr_token *name, const struct gf_expr_function *function,
                           uint16_t *ret)
{
    uint16_t in[MAX_ARGUMENTS], value;
    uint32_t n = 0;
    enum gf_status status = enter(p);
    while (status == GF_OK && p->token.kind != ')') {
        status = expression(p, &value);
        if (n < MAX_ARGUMENTS)
            in[n] = value;
        n++;
        if (status != GF_OK || p->token.kind != ',')
            break;
        status = advance(p);
        if (status == GF_OK && p->token.kind == ')')
            return refuse_token(p, "a value");
    }
    if (status == GF_OK)
        status = expect(p, ')', "an operator or )");
    p->depth--;
    if (status != GF_OK)
        return status;
    return apply(p, function, in, n, (struct gf_expr_site){function->word, name->column}, ret);
}

/* A name where a value is expected, and what belongs to it. */
static enum gf_status named(struct parser *p, uint16_t *ret)
{
    const struct gf_expr_token name = p->token;
    const struct gf_expr_name *defined = gf_expr_names_find(&p->names, &name);
    const struct gf_expr_word word = gf_expr_word_of(p->scope, &name);
    if (defined == NULL && word.meaning == GF_EXPR_MEANS_NOTHING) {
        bool is_call = look_ahead(p).kind == '(';
        return gf_expr_is(&name, "not") || gf_expr_is(&name, "if")
                   ? refuse_token(p, "a value")
                   : gf_expr_names_unknown(&p->names, &p->tokens, &name, is_call);
    }
    enum gf_status status = advance(p);
    if (status != GF_OK)
        return status;
    if (defined != NULL) {
        *ret = defined->node;
        return GF_OK;
    }
    switch (word.meaning) {
    case GF_EXPR_MEANS_INPUT:
        return input(p, &name, word.which, ret);
    case GF_EXPR_MEANS_PLACE:
        return place(p, &name, (enum gf_expr_op)word.which, ret);
    case GF_EXPR_MEANS_STATE:
        return gf_expr_state(&p->builder, word.which >> 8, word.which & 0xFF, name.column, ret);
    case GF_EXPR_MEANS_LITERAL:
        return gf_expr_literal(&p->builder, word.number, name.column, ret);
    case GF_EXPR_MEANS_FUNCTION:
        if (p->token.kind == '(')
            return call(p, &name, word.function, ret);
        return gf_expr_refuse(&p->tokens, name.column, "%.*s is a function; its values stand in parentheses behind it",
                              (int)name.size, name.text);
    default:
        return gf_expr_refuse(&p->tokens, name.column, "param declares a parameter, in front: param NAME = NUMBER;");
    }
}

static enum gf_status number(struct parser *p, bool negative, uint32_t column, uint16_t *ret)
{
    struct gf_expr_number value;
    enum gf_status status = gf_expr_number(&p->tokens, &p->token, negative, &value);
    if (status == GF_OK)
        status = gf_expr_literal(&p->builder, value, column, ret);
    return status == GF_OK ? advance(p) : status;
}

static enum gf_status operand(struct parser *p, uint16_t *ret);

/* A sign and what it stands before. A minus before a number is part of the literal, so that -2^63 is one. */
static enum gf_status signed_operand(struct parser *p, uint16_t *ret)
{
    const struct gf_expr_token sign = p->token;
    const struct gf_expr_site site = {sign.kind == '-' ? "-" : sign.kind == '~' ? "~" : "+", sign.column};
    enum gf_status status = enter(p);
    if (status == GF_OK && sign.kind == '-' && p->token.kind == GF_EXPR_TOKEN_NUMBER)
        status = number(p, true, sign.column, ret);
    else if (status == GF_OK) {
        status = operand(p, ret);
        if (status == GF_OK && sign.kind != '+')
            status = gf_expr_unary(&p->builder, sign.kind == '-' ? GF_EXPR_NEG : GF_EXPR_NOT, *ret, site, ret);
        else if (status == GF_OK && p->builder.expr->nodes[*ret].type == GF_EXPR_BOOL)
            status = gf_expr_refuse(&p->tokens, site.column, "+ takes a number, not bool; i64(v) makes one");
    }
    p->depth--;
    return status;
}

static enum gf_status operand(struct parser *p, uint16_t *ret)
{
    enum gf_status status;
    switch (p->token.kind) {
    case GF_EXPR_TOKEN_NUMBER:
        return number(p, false, p->token.column, ret);
    case GF_EXPR_TOKEN_NAME:
        return named(p, ret);
    case '-':
    case '+':
    case '~':
        return signed_operand(p, ret);
    case '(':
        status = enter(p);
        if (status == GF_OK)
            status = expression(p, ret);
        if (status == GF_OK)
            status = expect(p, ')', "an operator or )");
        p->depth--;
        return status;
    default:
        return refuse_token(p, "a value");
    }
}

static const struct infix *find_infix(const struct gf_expr_token *token)
{
    static const struct infix none = {.rank = RANK_NONE};
    for (size_t i = 0; i < GF_ARRAY_LEN(operators); i++)
        if (operators[i].kind == token->kind)
            return &operators[i];
    return &none;
}

/* An operator whose right side is being read. */
struct pending {
    const struct infix *infix;
    uint16_t left;
    uint32_t column;
};

static enum gf_status reduce(struct parser *p, const struct pending *pending, uint16_t right, uint16_t *ret)
{
    const struct infix *infix = pending->infix;
    const struct gf_expr_site site = {infix->word, pending->column};
    uint16_t x = infix->swapped ? right : pending->left, y = infix->swapped ? pending->left : right;
    return gf_expr_binary(&p->builder, (enum gf_expr_op)infix->op, x, y, site, ret);
}

static enum gf_status expression(struct parser *p, uint16_t *ret)
{
    struct pending stack[RANKS]; /* of ascending ranks */
    uint32_t n = 0;
    for (;;) {
        uint16_t value;
        enum gf_status status = operand(p, &value);
        if (status != GF_OK)
            return status;
        const struct infix *next = find_infix(&p->token);
        while (n > 0 && stack[n - 1].infix->rank >= next->rank) {
            if (next->rank == RANK_COMPARE && stack[n - 1].infix->rank == RANK_COMPARE)
                return gf_expr_refuse(
                    &p->tokens, p->token.column,
                    "comparisons do not chain; parentheses say which comes first, as in (a < b) & (b < c)");
            status = reduce(p, &stack[--n], value, &value);
            if (status != GF_OK)
                return status;
        }
        if (next->rank == RANK_NONE) {
            *ret = value;
            return GF_OK;
        }
        stack[n++] = (struct pending){next, value, p->token.column};
        status = advance(p);
        if (status != GF_OK)
            return status;
    }
}

/* "param" NAME "=" ["-"] NUMBER. */
static enum gf_status parameter(struct parser *p)
{
    enum gf_status status = advance(p);
    struct gf_expr_name name = {.token = p->token, .param = true};
    if (status == GF_OK && p->token.kind != GF_EXPR_TOKEN_NAME)
        return refuse_token(p, "the name of the parameter");
    if (status == GF_OK)
        status = gf_expr_names_check(&p->names, &p->tokens, &name.token);
    if (status == GF_OK)
        status = advance(p);
    if (status == GF_OK)
        status = expect(p, '=', "=");
    bool negative = status == GF_OK && p->token.kind == '-';
    if (negative)
        status = advance(p);
    if (status == GF_OK && p->token.kind != GF_EXPR_TOKEN_NUMBER)
        return refuse_token(p, "a number");
    struct gf_expr_number value;
    if (status == GF_OK)
        status = gf_expr_number(&p->tokens, &p->token, negative, &value);
    if (status == GF_OK)
        status = gf_expr_names_value(&p->names, &name.token, &p->token, &value);
    if (status == GF_OK)
        status = gf_expr_literal(&p->builder, value, name.token.column, &name.node);
    if (status == GF_OK)
        status = advance(p);
    if (status == GF_OK)
        gf_expr_names_define(&p->names, name);
    return status;
}

/* NAME "=" EXPRESSION. */
static enum gf_status definition(struct parser *p)
{
    struct gf_expr_name name = {.token = p->token};
    enum gf_status status = gf_expr_names_check(&p->names, &p->tokens, &name.token);
    if (status == GF_OK)
        status = advance(p);
    if (status == GF_OK)
        status = advance(p);
    if (status == GF_OK)
        status = expression(p, &name.node);
    if (status == GF_OK)
        gf_expr_names_define(&p->names, name);
    return status;
}

static enum gf_status definitions(struct parser *p)
{
    enum gf_status status = GF_OK;
    while (status == GF_OK) {
        uint16_t behind = look_ahead(p).kind;
        if (gf_expr_is(&p->token, "param") && behind == GF_EXPR_TOKEN_NAME)
            status = parameter(p);
        else if (p->token.kind == GF_EXPR_TOKEN_NAME && behind == '=')
            status = definition(p);
        else
            return GF_OK;
        if (status == GF_OK && p->token.kind == ',')
            return gf_expr_refuse(&p->tokens, p->token.column, "a definition ends with ;");
        if (status == GF_OK)
            status = expect(p, ';', "an operator or ;");
    }
    return status;
}

static enum gf_status results(struct parser *p, struct gf_expr *expr)
{
    enum gf_status status = GF_OK;
    if (p->token.kind == GF_EXPR_TOKEN_END)
        return gf_expr_refuse(&p->tokens, p->token.column, "the text ends where a result is missing");
    for (;;) {
        if (expr->n_results == GF_EXPR_MAX_RESULTS)
            return gf_expr_refuse(&p->tokens, p->token.column, "more than %u results", GF_EXPR_MAX_RESULTS);
        status = expression(p, &expr->results[expr->n_results]);
        if (status != GF_OK)
            return status;
        expr->n_results++;
        if (p->token.kind != ',')
            break;
        status = advance(p);
        if (status != GF_OK)
            return status;
    }
    if (p->token.kind == ';') {
        status = advance(p);
        if (status == GF_OK && p->token.kind != GF_EXPR_TOKEN_END)
            return gf_expr_refuse(
                &p->tokens, p->token.column,
                "nothing stands behind the results; NAME = in front of a value makes it a definition");
        return status;
    }
    return p->token.kind == GF_EXPR_TOKEN_END ? GF_OK : refuse_token(p, "an operator");
}

/* What a text may not have that is computed for pixels. */
static enum gf_status check_pixels(const struct parser *p)
{
    const char *why = p->named_column > 0 ? "channels are named" : "there are several results";
    if (p->bare_column > 0)
        return gf_expr_refuse(&p->tokens, p->bare_column, "%c has %" PRIu32 " channels and %s; %c[0] names one",
                              (char)('a' + (int)p->bare_input), p->scope->channels[p->bare_input], why,
                              (char)('a' + (int)p->bare_input));
    if (p->ch_column > 0)
        return gf_expr_refuse(&p->tokens, p->ch_column, "ch means nothing where %s", why);
    return GF_OK;
}

enum gf_status gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                             struct gf_expr *ret_expr, struct gf_error *err)
{
    struct gf_expr expr = {.n_nodes = 0};
    struct parser p = {.scope = scope, .tokens = {text, size, 0, scope->what, "", err}};
    if (size > GF_EXPR_MAX_TEXT)
        return gf_expr_refuse(&p.tokens, GF_EXPR_MAX_TEXT + 1,
                              "the text has %" PRIu32 " characters, at most %u are allowed", size, GF_EXPR_MAX_TEXT);
    gf_expr_builder_init(&p.builder, &expr, scope, err);
    enum gf_status status = gf_expr_names_init(&p.names, scope, err);
    if (status == GF_OK)
        status = advance(&p);
    if (status == GF_OK)
        status = definitions(&p);
    if (status == GF_OK)
        status = results(&p, &expr);
    expr.pixels = p.named_column > 0 || expr.n_results > 1;
    if (status == GF_OK && expr.pixels)
        status = check_pixels(&p);
    if (status == GF_OK)
        status = gf_expr_names_finish(&p.names);
    if (status == GF_OK)
        status = gf_expr_finish(&p.builder);
    if (status == GF_OK)
        *ret_expr = expr;
    return status;
}
