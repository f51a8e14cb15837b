/* SPDX-License-Identifier: MIT */
/* Operands of a text: literals, names, calls, values in parentheses or after a sign. Called by parse.c. */
#include <inttypes.h>
#include <stdio.h>

#include "parser.h"

#define MAX_ARGUMENTS 8u

/* Signs and words of other languages, and their equivalents here. */
static const struct {
    uint8_t kind;
    const char *word, *advice;
} strangers[] = {
    {GF_EXPR_PAIR('*', '*'), "**", "pow(a, b) raises to a power"},
    {GF_EXPR_PAIR('&', '&'), "&&", "use & with each side in parentheses"},
    {GF_EXPR_PAIR('|', '|'), "||", "use | with each side in parentheses"},
    {'!', "!", "use ~"},
    {'?', "?", "use select(c, a, b), which is a where c is true, otherwise b"},
    {':', ":", "use select(c, a, b), which is a where c is true, otherwise b"},
    {'=', "=", "== compares; NAME = VALUE; in front defines a name"},
    {GF_EXPR_TOKEN_NAME, "and", "use & with each side in parentheses"},
    {GF_EXPR_TOKEN_NAME, "or", "use | with each side in parentheses"},
    {GF_EXPR_TOKEN_NAME, "not", "use ~"},
    {GF_EXPR_TOKEN_NAME, "if", "use select(c, a, b), which is a where c is true, otherwise b"},
};

struct gf_expr_token gf_expr_look_ahead(const struct gf_expr_parser *p)
{
    struct gf_expr_tokens tokens = p->tokens;
    struct gf_expr_token token;
    tokens.err = NULL;
    if (gf_expr_next(&tokens, &token) != GF_OK)
        token.kind = GF_EXPR_TOKEN_END;
    return token;
}

enum gf_status gf_expr_refuse_token(const struct gf_expr_parser *p, const char *missing)
{
    const struct gf_expr_token *token = &p->token;
    for (size_t i = 0; i < GF_ARRAY_LEN(strangers); i++)
        if (token->kind == strangers[i].kind &&
            (token->kind != GF_EXPR_TOKEN_NAME || gf_expr_is(token, strangers[i].word)))
            return gf_expr_refuse(&p->tokens, token->column, "%s is not an operator here; %s", strangers[i].word,
                                  strangers[i].advice);
    if (token->kind == GF_EXPR_TOKEN_END)
        return gf_expr_refuse(&p->tokens, token->column, "the text ends where %s is missing", missing);
    return gf_expr_refuse(&p->tokens, token->column, "%s is missing before '%.*s'", missing, (int)token->size,
                          token->text);
}

enum gf_status gf_expr_expect(struct gf_expr_parser *p, uint8_t kind, const char *missing)
{
    return p->token.kind == kind ? gf_expr_advance(p) : gf_expr_refuse_token(p, missing);
}

static enum gf_status enter(struct gf_expr_parser *p)
{
    if (p->depth == GF_EXPR_MAX_DEPTH)
        return gf_expr_refuse(&p->tokens, p->token.column, "parentheses, calls and signs are nested more than %u deep",
                              GF_EXPR_MAX_DEPTH);
    p->depth++;
    return gf_expr_advance(p);
}

/* Parses "[" digit "]" after an input's name. */
static enum gf_status channel(struct gf_expr_parser *p, const struct gf_expr_token *name, uint32_t input, uint16_t *ret)
{
    uint32_t channels = p->scope->channels[input];
    enum gf_status status = gf_expr_advance(p);
    const struct gf_expr_token digit = p->token;
    if (status == GF_OK && (digit.kind != GF_EXPR_TOKEN_NUMBER || digit.size != 1))
        return gf_expr_refuse(&p->tokens, digit.column, "the channel of %c must be a digit, as in %c[0]", name->text[0],
                              name->text[0]);
    if (status == GF_OK)
        status = gf_expr_advance(p);
    if (status == GF_OK)
        status = gf_expr_expect(p, ']', "]");
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

/* Parses what follows an input's name; `name` is that name. */
static enum gf_status input(struct gf_expr_parser *p, const struct gf_expr_token *name, uint32_t number, uint16_t *ret)
{
    if (p->scope->dtypes[number] == 0 && p->scope->state[0] != 0)
        return gf_expr_refuse(&p->tokens, name->column, "%c: a text on states has no samples; %s", name->text[0],
                              p->scope->later ? "a0.. are values of the earlier state, b0.. those of the later one"
                                              : "a0.. are the state's values");
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

static enum gf_status place(struct gf_expr_parser *p, const struct gf_expr_token *name, enum gf_expr_op op,
                            uint16_t *ret)
{
    if (!p->scope->place && op != GF_EXPR_INDEX)
        return gf_expr_refuse(&p->tokens, name->column, "%.*s is not defined in this text, which has no coordinates",
                              (int)name->size, name->text);
    if (op == GF_EXPR_CH && p->ch_column == 0)
        p->ch_column = name->column;
    return gf_expr_place(&p->builder, op, name->column, ret);
}

/* Applies a function to its `n` arguments, of which `in` has the first MAX_ARGUMENTS. */
static enum gf_status apply(struct gf_expr_parser *p, const struct gf_expr_function *function, const uint16_t *in,
                            uint32_t n, struct gf_expr_site site, uint16_t *ret)
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

static enum gf_status call(struct gf_expr_parser *p, const struct gf_expr_token *name,
                           const struct gf_expr_function *function, uint16_t *ret)
{
    uint16_t in[MAX_ARGUMENTS], value;
    uint32_t n = 0;
    enum gf_status status = enter(p);
    while (status == GF_OK && p->token.kind != ')') {
        status = gf_expr_expression(p, &value);
        if (n < MAX_ARGUMENTS)
            in[n] = value;
        n++;
        if (status != GF_OK || p->token.kind != ',')
            break;
        status = gf_expr_advance(p);
        if (status == GF_OK && p->token.kind == ')')
            return gf_expr_refuse_token(p, "a value");
    }
    if (status == GF_OK)
        status = gf_expr_expect(p, ')', "an operator or )");
    p->depth--;
    if (status != GF_OK)
        return status;
    return apply(p, function, in, n, (struct gf_expr_site){function->word, name->column}, ret);
}

/* Finds the meaning of a name, and parses its channel or arguments. No name of the language can be defined. */
static enum gf_status resolve(struct gf_expr_parser *p, const struct gf_expr_token *name, uint16_t *ret)
{
    const uint32_t letter = (uint32_t)(name->text[0] - 'a');
    if (name->size == 1 && letter < GF_EXPR_MAX_INPUTS) {
        enum gf_status status = gf_expr_advance(p);
        return status == GF_OK ? input(p, name, letter, ret) : status;
    }
    const struct gf_expr_name *defined = gf_expr_names_find(&p->names, name);
    if (defined != NULL) {
        *ret = defined->node;
        return gf_expr_advance(p);
    }
    const struct gf_expr_word word = gf_expr_word_of(p->scope, name);
    if (word.meaning == GF_EXPR_MEANS_NOTHING) {
        bool is_call = gf_expr_look_ahead(p).kind == '(';
        return gf_expr_is(name, "not") || gf_expr_is(name, "if")
                   ? gf_expr_refuse_token(p, "a value")
                   : gf_expr_names_unknown(&p->names, &p->tokens, name, is_call);
    }
    enum gf_status status = gf_expr_advance(p);
    if (status != GF_OK)
        return status;
    switch (word.meaning) {
    case GF_EXPR_MEANS_PLACE:
        return place(p, name, (enum gf_expr_op)word.which, ret);
    case GF_EXPR_MEANS_STATE:
        return gf_expr_state(&p->builder, word.which >> 8, word.which & 0xFF, name->column, ret);
    case GF_EXPR_MEANS_LITERAL:
        return gf_expr_literal(&p->builder, word.number, name->column, ret);
    case GF_EXPR_MEANS_FUNCTION:
        if (p->token.kind == '(')
            return call(p, name, word.function, ret);
        return gf_expr_refuse(&p->tokens, name->column, "%.*s is a function; its arguments must follow in parentheses",
                              (int)name->size, name->text);
    default:
        return gf_expr_refuse(&p->tokens, name->column,
                              "param declares a parameter and must come first: param NAME = NUMBER;");
    }
}

/* Parses a name as an operand. A name of one letter is resolved once. */
static enum gf_status named(struct gf_expr_parser *p, uint16_t *ret)
{
    const struct gf_expr_token name = p->token;
    const uint32_t letter = (uint32_t)(name.text[0] - 'a');
    if (name.size > 1 || letter >= GF_ARRAY_LEN(p->letters))
        return resolve(p, &name, ret);
    const bool is_input = letter < GF_EXPR_MAX_INPUTS;
    uint16_t *node = &p->letters[letter];
    if (*node == GF_EXPR_NO_NODE) {
        enum gf_status status = resolve(p, &name, ret);
        if (status == GF_OK && (!is_input || p->builder.expr->nodes[*ret].channel == GF_EXPR_OWN_CHANNEL))
            *node = *ret;
        return status;
    }
    *ret = *node;
    enum gf_status status = gf_expr_advance(p);
    return status == GF_OK && p->token.kind == '[' && is_input ? channel(p, &name, letter, ret) : status;
}

static enum gf_status number(struct gf_expr_parser *p, bool negative, uint32_t column, uint16_t *ret)
{
    struct gf_expr_number value;
    enum gf_status status = gf_expr_number(&p->tokens, &p->token, negative, &value);
    if (status == GF_OK)
        status = gf_expr_literal(&p->builder, value, column, ret);
    return status == GF_OK ? gf_expr_advance(p) : status;
}

/* Parses a sign and its operand. A minus before a number is part of the literal, so that -2^63 is a literal. */
static enum gf_status signed_operand(struct gf_expr_parser *p, uint16_t *ret)
{
    const struct gf_expr_token sign = p->token;
    const struct gf_expr_site site = {sign.kind == '-' ? "-" : sign.kind == '~' ? "~" : "+", sign.column};
    enum gf_status status = enter(p);
    if (status == GF_OK && sign.kind == '-' && p->token.kind == GF_EXPR_TOKEN_NUMBER)
        status = number(p, true, sign.column, ret);
    else if (status == GF_OK) {
        status = gf_expr_operand(p, ret);
        if (status == GF_OK && sign.kind != '+')
            status = gf_expr_unary(&p->builder, sign.kind == '-' ? GF_EXPR_NEG : GF_EXPR_NOT, *ret, site, ret);
        else if (status == GF_OK && p->builder.expr->nodes[*ret].type == GF_EXPR_BOOL)
            status = gf_expr_refuse(&p->tokens, site.column, "+ takes a number, not bool; i64(v) makes one");
    }
    p->depth--;
    return status;
}

enum gf_status gf_expr_operand(struct gf_expr_parser *p, uint16_t *ret)
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
            status = gf_expr_expression(p, ret);
        if (status == GF_OK)
            status = gf_expr_expect(p, ')', "an operator or )");
        p->depth--;
        return status;
    default:
        return gf_expr_refuse_token(p, "a value");
    }
}
