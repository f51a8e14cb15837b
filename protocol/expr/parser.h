/* SPDX-License-Identifier: MIT */
/*
 * The state of parsing an expression's text, and the functions shared by the parser's files: parse.c has statements and
 * binary operators, operand.c has operands. Internal to protocol/expr.
 */
#ifndef GF_PROTOCOL_EXPR_PARSER_H
#define GF_PROTOCOL_EXPR_PARSER_H

#include "build.h"
#include "names.h"
#include "tokens.h"

struct gf_expr_parser {
    const struct gf_expr_scope *scope;
    struct gf_expr_tokens tokens;
    struct gf_expr_token token; /* the next token */
    struct gf_expr_builder builder;
    struct gf_expr_names names;
    uint16_t letters[26]; /* the nodes of names of one letter that were resolved; GF_EXPR_NO_NODE: not yet */
    uint32_t depth;
    /* Columns, 0 if there is none: of the first named channel, of the first ch, and of the first bare name of an input
     * with several channels. */
    uint32_t named_column, ch_column, bare_column;
    uint32_t bare_input;
};

/* Advances to the next token. */
static inline enum gf_status gf_expr_advance(struct gf_expr_parser *p)
{
    return gf_expr_next(&p->tokens, &p->token);
}

/* The token after the next one; END if it cannot be read. */
struct gf_expr_token gf_expr_look_ahead(const struct gf_expr_parser *p);
/* Refuses the next token, because `missing` is expected there. */
enum gf_status gf_expr_refuse_token(const struct gf_expr_parser *p, const char *missing);
/* Advances over a token that must be of a kind. */
enum gf_status gf_expr_expect(struct gf_expr_parser *p, uint8_t kind, const char *missing);
/* Parses a literal, name, call, or value in parentheses or with a sign; returns its node. */
enum gf_status gf_expr_operand(struct gf_expr_parser *p, uint16_t *ret);
/* Parses operands and the operators between them. */
enum gf_status gf_expr_expression(struct gf_expr_parser *p, uint16_t *ret);

#endif
