/* SPDX-License-Identifier: MIT */
/*
 * What reading a text of an expression keeps, and what the files that read it have of each other: parse.c the
 * statements and the operators between values, operand.c values. Internal to protocol/expr.
 */
#ifndef GF_PROTOCOL_EXPR_PARSER_H
#define GF_PROTOCOL_EXPR_PARSER_H

#include "build.h"
#include "names.h"
#include "tokens.h"

struct gf_expr_parser {
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

/* Takes the next token. */
enum gf_status gf_expr_advance(struct gf_expr_parser *p);
/* The token behind the next one; the end where it cannot be read. */
struct gf_expr_token gf_expr_look_ahead(const struct gf_expr_parser *p);
/* Refuses the next token, which cannot stand where `missing` is expected. */
enum gf_status gf_expr_refuse_token(const struct gf_expr_parser *p, const char *missing);
/* Takes the next token, which has to be of a kind. */
enum gf_status gf_expr_expect(struct gf_expr_parser *p, uint16_t kind, const char *missing);
/* A literal, name, call, value in parentheses or with a sign: its node. */
enum gf_status gf_expr_operand(struct gf_expr_parser *p, uint16_t *ret);
/* Operands and the operators between them. */
enum gf_status gf_expr_expression(struct gf_expr_parser *p, uint16_t *ret);

#endif
