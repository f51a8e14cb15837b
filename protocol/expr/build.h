/* SPDX-License-Identifier: MIT */
/*
 * Adds nodes to an expression: literals, samples, and operators with the meeting of types of docs/numerics.md 26. Equal
 * nodes become one. Called by parse.c and operand.c, and by protocol/ops/texts/expression_alpha.c to go on where a
 * parsed text ends. build.c has the nodes and the end, apply.c the operators.
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
    struct gf_expr_tokens at;                                 /* for sentences alone */
    uint16_t first[GF_EXPR_BUCKETS], next[GF_EXPR_MAX_NODES]; /* nodes by what they are */
};

/* What a sentence calls an operator, and where the text has it. */
struct gf_expr_site {
    const char *word;
    uint32_t column;
};

/* Begins with the nodes that `expr` has, none in one of zeros. Scope, expr and err stay the caller's; err may be NULL.
 */
void gf_expr_builder_init(struct gf_expr_builder *builder, struct gf_expr *expr, const struct gf_expr_scope *scope,
                          struct gf_error *err);

/* What follows returns the number of a node in *ret, of an equal one where there is one, else of a new one. BAD_PARAM
 * with a sentence where the types do not meet, or a 257th node would be needed. Numbers stay until gf_expr_finish. */
enum gf_status gf_expr_literal(struct gf_expr_builder *builder, struct gf_expr_number number, uint32_t column,
                               uint16_t *ret);
enum gf_status gf_expr_literal_i64(struct gf_expr_builder *builder, int64_t value, uint32_t column, uint16_t *ret);
enum gf_status gf_expr_literal_f64(struct gf_expr_builder *builder, double value, uint32_t column, uint16_t *ret);
/* A sample of input `source`, which the scope must have, of its channel `channel` or GF_EXPR_OWN_CHANNEL. */
enum gf_status gf_expr_sample(struct gf_expr_builder *builder, uint32_t source, uint32_t channel, uint32_t column,
                              uint16_t *ret);
/* GF_EXPR_X, Y, W, H, CH or INDEX. */
enum gf_status gf_expr_place(struct gf_expr_builder *builder, enum gf_expr_op op, uint32_t column, uint16_t *ret);
/* Value `value` of the earlier (0) or later (1) state; the scope must have it. */
enum gf_status gf_expr_state(struct gf_expr_builder *builder, uint32_t source, uint32_t value, uint32_t column,
                             uint16_t *ret);
/* An operator of operators.def on as many operands as it has; they are converted to the type in which they meet. What
 * needs no node gives another: floor of an integer is the integer, == of bools is made of ^ and ~. */
enum gf_status gf_expr_apply(struct gf_expr_builder *builder, enum gf_expr_op op, const uint16_t *in,
                             struct gf_expr_site site, uint16_t *ret);
enum gf_status gf_expr_unary(struct gf_expr_builder *builder, enum gf_expr_op op, uint16_t x, struct gf_expr_site site,
                             uint16_t *ret);
enum gf_status gf_expr_binary(struct gf_expr_builder *builder, enum gf_expr_op op, uint16_t x, uint16_t y,
                              struct gf_expr_site site, uint16_t *ret);
enum gf_status gf_expr_ternary(struct gf_expr_builder *builder, enum gf_expr_op op, uint16_t x, uint16_t y, uint16_t z,
                               struct gf_expr_site site, uint16_t *ret);

/* Ends a text once expr->results are set: drops the nodes that no result needs, numbers the others anew in their order,
 * sets `uses` and `inputs`, and refuses what needs more than GF_EXPR_MAX_LIVE values at once. */
enum gf_status gf_expr_finish(struct gf_expr_builder *builder);

/* A node as it is, typed and with its range: for those who know what it is. */
enum gf_status gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret);

#endif
