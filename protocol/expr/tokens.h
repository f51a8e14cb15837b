/* SPDX-License-Identifier: MIT */
/*
 * Words, numbers and signs of an expression's text and of the text of its parameters, and the error texts that refuse
 * them. Internal to protocol/expr, except for gf_expr_refuse.
 */
#ifndef GF_PROTOCOL_EXPR_TOKENS_H
#define GF_PROTOCOL_EXPR_TOKENS_H

#include "expr.h"
#include "protocol/base/base.h"

/* A token's kind is the code of its sign, or this for a sign of two characters: a sign that is doubled or followed by
 * "=". Different for all signs that the language knows. */
#define GF_EXPR_PAIR(first, second) (128 + (first) - ((second) == '=' ? 32 : 0))

enum { GF_EXPR_TOKEN_END = 0, GF_EXPR_TOKEN_NAME = 1, GF_EXPR_TOKEN_NUMBER = 2 };

struct gf_expr_token {
    const char *text;
    uint32_t size;
    uint16_t column; /* from 1 */
    uint8_t kind;
    bool whole; /* of a number: digits only */
};

/* A text that is being parsed, and the destination of its errors. */
struct gf_expr_tokens {
    const char *text;
    uint32_t size, at;
    const char *what; /* begins the error text */
    const char *of;   /* follows the column: "" or " of set" */
    struct gf_error *err;
};

/* The value of a literal. */
struct gf_expr_number {
    uint8_t type; /* BOOL, I64, U64 or F64 */
    union {
        bool b;
        int64_t i64;
        uint64_t u64;
        double f64;
    };
};

/* Sets and returns BAD_PARAM with "WHAT: column 5: TEXT". */
enum gf_status gf_expr_refuse(const struct gf_expr_tokens *tokens, uint32_t column, const char *fmt, ...)
    gf_printf(3, 4);
/* Classes of characters. */
enum { GF_EXPR_OTHER = 0, GF_EXPR_BLANK, GF_EXPR_SIGN_CHAR, GF_EXPR_PAIRED, GF_EXPR_LETTER, GF_EXPR_DIGIT };
extern const uint8_t gf_expr_classes[256];
/* The next token if it may be longer than one character. */
enum gf_status gf_expr_next_long(struct gf_expr_tokens *tokens, struct gf_expr_token *ret_token);
/* The value of a number, negated if `negative`; BAD_PARAM if no literal type can hold it. */
enum gf_status gf_expr_number(const struct gf_expr_tokens *tokens, const struct gf_expr_token *token, bool negative,
                              struct gf_expr_number *ret_number);
/* Converts to f64, rounded to nearest. */
void gf_expr_number_to_f64(struct gf_expr_number *number);
/* Whether a token is this word. */
bool gf_expr_is(const struct gf_expr_token *token, const char *word);

/* The next token, GF_EXPR_TOKEN_END after the last one; BAD_PARAM for invalid bytes. A text of many tokens has signs,
 * names and numbers of one character, which are read here. */
static inline enum gf_status gf_expr_next(struct gf_expr_tokens *tokens, struct gf_expr_token *ret_token)
{
    const uint32_t at = tokens->at;
    if (at == tokens->size)
        return gf_expr_next_long(tokens, ret_token);
    const uint8_t *text = (const uint8_t *)tokens->text + at, is = gf_expr_classes[text[0]];
    uint8_t kind = text[0];
    if (is >= GF_EXPR_LETTER) {
        if (at + 1 < tokens->size && (gf_expr_classes[text[1]] >= GF_EXPR_LETTER || text[1] == '.'))
            return gf_expr_next_long(tokens, ret_token);
        kind = is == GF_EXPR_LETTER ? GF_EXPR_TOKEN_NAME : GF_EXPR_TOKEN_NUMBER;
    } else if (is != GF_EXPR_SIGN_CHAR)
        return gf_expr_next_long(tokens, ret_token);
    ret_token->text = tokens->text + at;
    ret_token->size = 1;
    ret_token->column = (uint16_t)(at + 1);
    ret_token->kind = kind;
    ret_token->whole = true;
    tokens->at = at + 1;
    return GF_OK;
}

#endif
