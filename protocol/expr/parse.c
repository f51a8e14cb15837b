/* SPDX-License-Identifier: MIT */
/*
 * The grammar of docs/numerics.md, "Grammar". Operators of equal rank associate to the left through a stack of pending
 * operators, one per expression. Expressions recurse only through parentheses, calls and signs, which are counted.
 */
#include <inttypes.h>
#include <string.h>

#include "parser.h"

enum { RANK_NONE = 0, RANK_COMPARE, RANK_OR, RANK_XOR, RANK_AND, RANK_SHIFT, RANK_SUM, RANK_PRODUCT, RANKS };

struct infix {
    uint8_t rank; /* NONE: the token is no operator */
    uint8_t op;
    bool swapped;
    const char *word;
};

/* By the kind of the token. */
static const struct infix operators[256] = {
    ['<'] = {RANK_COMPARE, GF_EXPR_LT, false, "<"},
    [GF_EXPR_PAIR('<', '=')] = {RANK_COMPARE, GF_EXPR_LE, false, "<="},
    ['>'] = {RANK_COMPARE, GF_EXPR_LT, true, ">"},
    [GF_EXPR_PAIR('>', '=')] = {RANK_COMPARE, GF_EXPR_LE, true, ">="},
    [GF_EXPR_PAIR('=', '=')] = {RANK_COMPARE, GF_EXPR_EQ, false, "=="},
    [GF_EXPR_PAIR('!', '=')] = {RANK_COMPARE, GF_EXPR_NE, false, "!="},
    ['|'] = {RANK_OR, GF_EXPR_OR, false, "|"},
    ['^'] = {RANK_XOR, GF_EXPR_XOR, false, "^"},
    ['&'] = {RANK_AND, GF_EXPR_AND, false, "&"},
    [GF_EXPR_PAIR('<', '<')] = {RANK_SHIFT, GF_EXPR_SHL, false, "<<"},
    [GF_EXPR_PAIR('>', '>')] = {RANK_SHIFT, GF_EXPR_SHR, false, ">>"},
    ['+'] = {RANK_SUM, GF_EXPR_ADD, false, "+"},
    ['-'] = {RANK_SUM, GF_EXPR_SUB, false, "-"},
    ['*'] = {RANK_PRODUCT, GF_EXPR_MUL, false, "*"},
    ['/'] = {RANK_PRODUCT, GF_EXPR_DIV, false, "/"},
    [GF_EXPR_PAIR('/', '/')] = {RANK_PRODUCT, GF_EXPR_FLOORDIV, false, "//"},
    ['%'] = {RANK_PRODUCT, GF_EXPR_MOD, false, "%"},
};

/* An operator whose right operand is being parsed. */
struct pending {
    const struct infix *infix;
    uint16_t left;
    uint32_t column;
};

static enum gf_status reduce(struct gf_expr_parser *p, const struct pending *pending, uint16_t right, uint16_t *ret)
{
    const struct infix *infix = pending->infix;
    const struct gf_expr_site site = {infix->word, pending->column};
    uint16_t x = infix->swapped ? right : pending->left, y = infix->swapped ? pending->left : right;
    return gf_expr_binary(&p->builder, (enum gf_expr_op)infix->op, x, y, site, ret);
}

enum gf_status gf_expr_expression(struct gf_expr_parser *p, uint16_t *ret)
{
    struct pending stack[RANKS]; /* in order of ascending rank */
    uint32_t n = 0;
    for (;;) {
        uint16_t value;
        enum gf_status status = gf_expr_operand(p, &value);
        if (status != GF_OK)
            return status;
        const struct infix *next = &operators[p->token.kind];
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
        status = gf_expr_advance(p);
        if (status != GF_OK)
            return status;
    }
}

/* Parses "param" NAME "=" ["-"] NUMBER. */
static enum gf_status parameter(struct gf_expr_parser *p)
{
    enum gf_status status = gf_expr_advance(p);
    struct gf_expr_name name = {.token = p->token, .param = true};
    if (status == GF_OK && p->token.kind != GF_EXPR_TOKEN_NAME)
        return gf_expr_refuse_token(p, "the name of the parameter");
    if (status == GF_OK)
        status = gf_expr_names_check(&p->names, &p->tokens, &name.token);
    if (status == GF_OK)
        status = gf_expr_advance(p);
    if (status == GF_OK)
        status = gf_expr_expect(p, '=', "=");
    bool negative = status == GF_OK && p->token.kind == '-';
    if (negative)
        status = gf_expr_advance(p);
    if (status == GF_OK && p->token.kind != GF_EXPR_TOKEN_NUMBER)
        return gf_expr_refuse_token(p, "a number");
    struct gf_expr_number value;
    if (status == GF_OK)
        status = gf_expr_number(&p->tokens, &p->token, negative, &value);
    if (status == GF_OK)
        status = gf_expr_names_value(&p->names, &name.token, &p->token, &value);
    if (status == GF_OK)
        status = gf_expr_literal(&p->builder, value, name.token.column, &name.node);
    if (status == GF_OK)
        status = gf_expr_advance(p);
    if (status == GF_OK)
        gf_expr_names_define(&p->names, name);
    return status;
}

/* Parses NAME "=" EXPRESSION. */
static enum gf_status definition(struct gf_expr_parser *p)
{
    struct gf_expr_name name = {.token = p->token};
    enum gf_status status = gf_expr_names_check(&p->names, &p->tokens, &name.token);
    if (status == GF_OK)
        status = gf_expr_advance(p);
    if (status == GF_OK)
        status = gf_expr_advance(p);
    if (status == GF_OK)
        status = gf_expr_expression(p, &name.node);
    if (status == GF_OK)
        gf_expr_names_define(&p->names, name);
    return status;
}

static enum gf_status definitions(struct gf_expr_parser *p)
{
    enum gf_status status = GF_OK;
    while (status == GF_OK) {
        uint8_t behind = gf_expr_look_ahead(p).kind;
        if (gf_expr_is(&p->token, "param") && behind == GF_EXPR_TOKEN_NAME)
            status = parameter(p);
        else if (p->token.kind == GF_EXPR_TOKEN_NAME && behind == '=')
            status = definition(p);
        else
            return GF_OK;
        if (status == GF_OK && p->token.kind == ',')
            return gf_expr_refuse(&p->tokens, p->token.column, "a definition ends with ;");
        if (status == GF_OK)
            status = gf_expr_expect(p, ';', "an operator or ;");
    }
    return status;
}

static enum gf_status results(struct gf_expr_parser *p, struct gf_expr *expr)
{
    enum gf_status status = GF_OK;
    if (p->token.kind == GF_EXPR_TOKEN_END)
        return gf_expr_refuse(&p->tokens, p->token.column, "the text ends where a result is missing");
    for (;;) {
        if (expr->n_results == GF_EXPR_MAX_RESULTS)
            return gf_expr_refuse(&p->tokens, p->token.column, "more than %u results", GF_EXPR_MAX_RESULTS);
        status = gf_expr_expression(p, &expr->results[expr->n_results]);
        if (status != GF_OK)
            return status;
        expr->n_results++;
        if (p->token.kind != ',')
            break;
        status = gf_expr_advance(p);
        if (status != GF_OK)
            return status;
    }
    if (p->token.kind == ';') {
        status = gf_expr_advance(p);
        if (status == GF_OK && p->token.kind != GF_EXPR_TOKEN_END)
            return gf_expr_refuse(&p->tokens, p->token.column,
                                  "no text may follow the results; NAME = before a value makes it a definition");
        return status;
    }
    return p->token.kind == GF_EXPR_TOKEN_END ? GF_OK : gf_expr_refuse_token(p, "an operator");
}

/* Refuses names that have no meaning in a text that is evaluated per pixel. */
static enum gf_status check_pixels(const struct gf_expr_parser *p)
{
    const char *why = p->named_column > 0 ? "channels are named" : "there are several results";
    if (p->bare_column > 0)
        return gf_expr_refuse(&p->tokens, p->bare_column, "%c has %" PRIu32 " channels and %s; %c[0] names one",
                              (char)('a' + (int)p->bare_input), p->scope->channels[p->bare_input], why,
                              (char)('a' + (int)p->bare_input));
    if (p->ch_column > 0)
        return gf_expr_refuse(&p->tokens, p->ch_column, "ch is not defined when %s", why);
    return GF_OK;
}

enum gf_status gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                             struct gf_expr *ret_expr, struct gf_error *err)
{
    struct gf_expr expr; /* 10 KB, of which only what is used is written and copied */
    expr.n_nodes = expr.n_results = 0;
    struct gf_expr_parser p; /* 7 KB, of which the functions that follow set what they need */
    p.scope = scope;
    p.tokens = (struct gf_expr_tokens){size > 0 ? text : "", size, 0, scope->what, "", err};
    memset(p.letters, 0xFF, sizeof p.letters);
    p.depth = p.named_column = p.ch_column = p.bare_column = p.bare_input = 0;
    if (size > GF_EXPR_MAX_TEXT)
        return gf_expr_refuse(&p.tokens, GF_EXPR_MAX_TEXT + 1, "the text has %" PRIu32 " characters; allowed: up to %u",
                              size, GF_EXPR_MAX_TEXT);
    gf_expr_builder_init(&p.builder, &expr, scope, err);
    enum gf_status status = gf_expr_names_init(&p.names, scope, err);
    if (status == GF_OK)
        status = gf_expr_advance(&p);
    if (status == GF_OK)
        status = definitions(&p);
    if (status == GF_OK)
        status = results(&p, &expr);
    expr.pixels = p.named_column > 0 || (expr.n_results > 1 && !scope->record);
    if (status == GF_OK && expr.pixels)
        status = check_pixels(&p);
    if (status == GF_OK)
        status = gf_expr_names_finish(&p.names);
    if (status == GF_OK)
        status = gf_expr_finish(&p.builder);
    if (status == GF_OK)
        gf_expr_copy(ret_expr, &expr);
    return status;
}
