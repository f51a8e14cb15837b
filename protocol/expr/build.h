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
    uint16_t places[GF_EXPR_INDEX + 1];                       /* x, y and the others, by operator; NO_NODE before use */
    uint16_t first[GF_EXPR_BUCKETS], next[GF_EXPR_MAX_NODES]; /* hash table of the nodes */
    uint16_t last[GF_EXPR_MAX_NODES];                         /* the node that uses a node last; itself without use */
    uint16_t facts[GF_EXPR_MAX_NODES];                        /* see GF_EXPR_FACT_LITERAL */
    uint16_t converted[GF_EXPR_MAX_NODES];                    /* the node's last conversion; itself without one */
    uint32_t uses;                                            /* as in struct gf_expr */
    uint8_t inputs;
    struct gf_expr_node spare; /* the next node, where there is no room for it */
};

/* What operators want to know of a node: 1 << type, shifted further for a literal, and these. Facts of several operands
 * are combined by |. */
#define GF_EXPR_FACT_TYPES 0x3Fu
#define GF_EXPR_FACT_LITERAL 6u          /* shift */
#define GF_EXPR_FACT_WIDE (1u << 12)     /* an integer, no literal, that may be beyond +-2^24 */
#define GF_EXPR_FACT_NEGATIVE (1u << 13) /* a literal i64 that may be negative */
#define GF_EXPR_FACT_LIVE (1u << 14)     /* not made of literals only */

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

/* Begins the next node where it will be added, with the range and the value 0. Its first words are written as words,
 * because they are compared as words at once, and a processor waits for a word whose bytes were written one by one. */
static inline struct gf_expr_node *gf_expr_next_node(struct gf_expr_builder *builder, enum gf_expr_op op, uint32_t type,
                                                     bool even, const uint16_t *in, uint32_t n, uint32_t column)
{
    struct gf_expr *expr = builder->expr;
    struct gf_expr_node *node = expr->n_nodes < GF_EXPR_MAX_NODES ? &expr->nodes[expr->n_nodes] : &builder->spare;
    const uint64_t words[] = {(uint64_t)op | (uint64_t)type << 8 | (uint64_t)n << 16 | (uint64_t)even << 40 |
                                  (n > 0 ? (uint64_t)in[0] << 48 : 0u),
                              (n > 1 ? in[1] : 0u) | (n > 2 ? (uint64_t)in[2] << 16 : 0u) |
                                  (uint64_t)(uint16_t)column << 32};
    memcpy(node, words, sizeof words);
    node->lo = node->hi = 0;
    node->value.u64 = 0;
    return node;
}

/* Adds a complete node, typed and with its range. */
enum gf_status gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret);

#endif
