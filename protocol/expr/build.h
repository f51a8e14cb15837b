/* SPDX-License-Identifier: MIT */
/*
 * Adds nodes to an expression: literals, samples, and operators with the type conversions of docs/numerics.md,
 * "Expressions". Equal nodes become one node. Called by parse.c and operand.c, and by
 * protocol/ops/texts/expression_alpha.c, which extends a parsed text. build.c has the nodes and the end, apply.c the
 * operators.
 */
#ifndef GF_PROTOCOL_EXPR_BUILD_H
#define GF_PROTOCOL_EXPR_BUILD_H

#include "expr.h"
#include "tokens.h"

#define GF_EXPR_BUCKETS 128u
#define GF_EXPR_NO_NODE 0xFFFFu

struct gf_expr_builder {
    const struct gf_expr_scope *scope;
    struct gf_expr *expr;
    struct gf_expr_tokens at;                                 /* only for error texts */
    uint64_t seed;                                            /* of the hash, unknown to the text's author */
    uint16_t bare[GF_EXPR_MAX_INPUTS];                        /* the sample of a bare name, NO_NODE before its use, */
    uint16_t places[GF_EXPR_INDEX + 1];                       /* and x, y and the others, by operator */
    uint16_t first[GF_EXPR_BUCKETS], next[GF_EXPR_MAX_NODES]; /* hash table of the nodes */
    uint16_t last[GF_EXPR_MAX_NODES];                         /* the node that uses a node last; itself without use */
    bool made[GF_EXPR_MAX_NODES];                             /* of literals only */
};

/* An operator's word for error texts and its place in the text. */
struct gf_expr_site {
    const char *word;
    uint32_t column;
};

/* Begins with the nodes of `expr`; an all-zero `expr` has none. The caller keeps scope, expr and
 * err; err may be NULL. */
void gf_expr_builder_init(struct gf_expr_builder *builder, struct gf_expr *expr, const struct gf_expr_scope *scope,
                          struct gf_error *err);

/* The following functions return a node's number in *ret: an equal existing node, otherwise a new one. BAD_PARAM with a
 * text if the types do not fit or a 257th node would be needed. Numbers are valid until gf_expr_finish. */
enum gf_status gf_expr_literal(struct gf_expr_builder *builder, struct gf_expr_number number, uint32_t column,
                               uint16_t *ret);
enum gf_status gf_expr_literal_i64(struct gf_expr_builder *builder, int64_t value, uint32_t column, uint16_t *ret);
enum gf_status gf_expr_literal_f64(struct gf_expr_builder *builder, double value, uint32_t column, uint16_t *ret);
/* A sample of input `source`, which the scope must have, from channel `channel` or GF_EXPR_OWN_CHANNEL. */
enum gf_status gf_expr_sample(struct gf_expr_builder *builder, uint32_t source, uint32_t channel, uint32_t column,
                              uint16_t *ret);
/* GF_EXPR_X, Y, W, H, CH or INDEX. */
enum gf_status gf_expr_place(struct gf_expr_builder *builder, enum gf_expr_op op, uint32_t column, uint16_t *ret);
/* Value `value` of the earlier (0) or later (1) state, which the scope must have. */
enum gf_status gf_expr_state(struct gf_expr_builder *builder, uint32_t source, uint32_t value, uint32_t column,
                             uint16_t *ret);
/* Applies an operator of operators.def to its operands, which are converted to their common type. Some operators need
 * no node of their own: floor of an integer is the integer, == of bools is made of ^ and ~. */
enum gf_status gf_expr_apply(struct gf_expr_builder *builder, enum gf_expr_op op, const uint16_t *in,
                             struct gf_expr_site site, uint16_t *ret);
enum gf_status gf_expr_unary(struct gf_expr_builder *builder, enum gf_expr_op op, uint16_t x, struct gf_expr_site site,
                             uint16_t *ret);
enum gf_status gf_expr_binary(struct gf_expr_builder *builder, enum gf_expr_op op, uint16_t x, uint16_t y,
                              struct gf_expr_site site, uint16_t *ret);
enum gf_status gf_expr_ternary(struct gf_expr_builder *builder, enum gf_expr_op op, uint16_t x, uint16_t y, uint16_t z,
                               struct gf_expr_site site, uint16_t *ret);

/* Ends a text after expr->results are set: drops unneeded nodes, renumbers the others in order, sets `uses` and
 * `inputs`, and refuses a text that needs more than GF_EXPR_MAX_LIVE values at once. */
enum gf_status gf_expr_finish(struct gf_expr_builder *builder);

/* Adds a complete node, typed and with its range. */
enum gf_status gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret);

#endif
