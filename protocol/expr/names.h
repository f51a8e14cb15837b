/* SPDX-License-Identifier: MIT */
/*
 * The meaning of names: words of the language, names that a text defines, and its parameters with the values that the
 * caller sets. Internal to protocol/expr; called by parse.c.
 */
#ifndef GF_PROTOCOL_EXPR_NAMES_H
#define GF_PROTOCOL_EXPR_NAMES_H

#include "build.h"
#include "tokens.h"

enum gf_expr_meaning {
    GF_EXPR_MEANS_NOTHING = 0,
    GF_EXPR_MEANS_INPUT,    /* which: the input's number */
    GF_EXPR_MEANS_PLACE,    /* which: enum gf_expr_op */
    GF_EXPR_MEANS_STATE,    /* which: source << 8 | value */
    GF_EXPR_MEANS_LITERAL,  /* number */
    GF_EXPR_MEANS_FUNCTION, /* function */
    GF_EXPR_MEANS_PARAM,    /* the word param */
};

#define GF_EXPR_WORD 8 /* room for a word of the language and at least one null byte */

struct gf_expr_function {
    char word[GF_EXPR_WORD];
    uint8_t op; /* enum gf_expr_op; 0: clamp, which is two operators */
    uint8_t least, most;
};

/* A word of the language. */
struct gf_expr_word {
    enum gf_expr_meaning meaning;
    uint32_t which;
    struct gf_expr_number number;
    const struct gf_expr_function *function;
};

/* A name that the text defines. */
struct gf_expr_name {
    struct gf_expr_token token;
    uint16_t node;
    bool param;
    uint8_t next; /* in its bucket, as there */
};

/* A NAME=NUMBER of the text `set`. */
struct gf_expr_setting {
    struct gf_expr_token name, number;
    bool negative, used;
};

#define GF_EXPR_NAME_BUCKETS 64u

struct gf_expr_names {
    const struct gf_expr_scope *scope;
    struct gf_expr_name defined[GF_EXPR_MAX_NAMES];
    uint8_t buckets[GF_EXPR_NAME_BUCKETS]; /* of a hash table: 1 + the index of a defined name; 0: none */
    uint32_t n_defined;
    struct gf_expr_tokens set; /* the text of parameters */
    struct gf_expr_setting settings[GF_EXPR_MAX_NAMES];
    uint32_t n_settings;
};

/* Starts without names and reads scope->params; BAD_PARAM if it is not a list of NAME=NUMBER. */
enum gf_status gf_expr_names_init(struct gf_expr_names *names, const struct gf_expr_scope *scope, struct gf_error *err);
/* The language's meaning of a name. */
struct gf_expr_word gf_expr_word_of(const struct gf_expr_scope *scope, const struct gf_expr_token *token);
/* The definition of a name, NULL if the text has not defined it yet. */
const struct gf_expr_name *gf_expr_names_find(struct gf_expr_names *names, const struct gf_expr_token *token);
/* BAD_PARAM if a name cannot be defined: it is a word of the language, already defined, or one too many. */
enum gf_status gf_expr_names_check(struct gf_expr_names *names, const struct gf_expr_tokens *tokens,
                                   const struct gf_expr_token *token);
/* Adds a name that gf_expr_names_check has accepted. */
void gf_expr_names_define(struct gf_expr_names *names, struct gf_expr_name name);
/* The value of a declared parameter: the value that was set, otherwise its default `standard`. */
enum gf_status gf_expr_names_value(struct gf_expr_names *names, const struct gf_expr_token *token,
                                   const struct gf_expr_token *standard, struct gf_expr_number *value);
/* BAD_PARAM if a value was set for a parameter that the text does not declare. */
enum gf_status gf_expr_names_finish(const struct gf_expr_names *names);
/* Refuses an unknown name and suggests the nearest known one; `call`: arguments in parentheses follow. */
enum gf_status gf_expr_names_unknown(const struct gf_expr_names *names, const struct gf_expr_tokens *tokens,
                                     const struct gf_expr_token *token, bool call);

#endif
