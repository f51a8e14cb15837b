/* SPDX-License-Identifier: MIT */
/* Keeps nodes unique, makes nodes without operands, and ends an expression: drops unneeded nodes and counts live
 * values. */
#include "build.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "ranges.h"

#define LARGE_SIDE ((int64_t)1 << 40)

static uint32_t bucket_of(const struct gf_expr_node *node)
{
    uint64_t hash = node->value.u64;
    hash = (hash ^ node->op ^ (uint64_t)node->type << 8 ^ (uint64_t)node->even << 16) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ node->in[0] ^ (uint64_t)node->in[1] << 16 ^ (uint64_t)node->in[2] << 32) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ node->source ^ (uint64_t)node->channel << 8) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32) % GF_EXPR_BUCKETS;
}

/* Ranges follow from the other members, and the column is that of the first occurrence. */
static bool is_equal(const struct gf_expr_node *a, const struct gf_expr_node *b)
{
    return a->op == b->op && a->type == b->type && a->even == b->even && a->source == b->source &&
           a->channel == b->channel && a->in[0] == b->in[0] && a->in[1] == b->in[1] && a->in[2] == b->in[2] &&
           a->value.u64 == b->value.u64;
}

static void enter(struct gf_expr_builder *builder, uint32_t at)
{
    uint32_t bucket = bucket_of(&builder->expr->nodes[at]);
    builder->next[at] = builder->first[bucket];
    builder->first[bucket] = (uint16_t)at;
}

void gf_expr_builder_init(struct gf_expr_builder *builder, struct gf_expr *expr, const struct gf_expr_scope *scope,
                          struct gf_error *err)
{
    builder->scope = scope;
    builder->expr = expr;
    builder->at = (struct gf_expr_tokens){.what = scope->what, .of = "", .err = err};
    memset(builder->first, 0xFF, sizeof builder->first);
    for (uint32_t i = 0; i < expr->n_nodes; i++)
        enter(builder, i);
}

enum gf_status gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret)
{
    struct gf_expr *expr = builder->expr;
    uint16_t i = builder->first[bucket_of(node)];
    while (i != GF_EXPR_NO_NODE && !is_equal(&expr->nodes[i], node))
        i = builder->next[i];
    if (i == GF_EXPR_NO_NODE) {
        if (expr->n_nodes == GF_EXPR_MAX_NODES)
            return gf_expr_refuse(&builder->at, node->column,
                                  "the text has more than %u values, literals and conversions", GF_EXPR_MAX_NODES);
        i = (uint16_t)expr->n_nodes++;
        expr->nodes[i] = *node;
        enter(builder, i);
    }
    *ret = i;
    return GF_OK;
}

enum gf_status gf_expr_literal(struct gf_expr_builder *builder, struct gf_expr_number number, uint32_t column,
                               uint16_t *ret)
{
    struct gf_expr_node node = {
        .op = GF_EXPR_CONST, .type = number.type, .even = true, .column = (uint16_t)column, .value.u64 = 0};
    if (number.type == GF_EXPR_BOOL)
        node.value.b = number.b;
    else if (number.type == GF_EXPR_F64)
        node.value.f64 = number.f64;
    else
        node.value.u64 = number.u64;
    if (number.type == GF_EXPR_I64)
        node.lo = node.hi = number.i64;
    return gf_expr_add_node(builder, &node, ret);
}

enum gf_status gf_expr_literal_i64(struct gf_expr_builder *builder, int64_t value, uint32_t column, uint16_t *ret)
{
    return gf_expr_literal(builder, (struct gf_expr_number){.type = GF_EXPR_I64, .i64 = value}, column, ret);
}

enum gf_status gf_expr_literal_f64(struct gf_expr_builder *builder, double value, uint32_t column, uint16_t *ret)
{
    return gf_expr_literal(builder, (struct gf_expr_number){.type = GF_EXPR_F64, .f64 = value}, column, ret);
}

static enum gf_status add_ranged(struct gf_expr_builder *builder, struct gf_expr_node *node, struct gf_expr_range range,
                                 uint16_t *ret)
{
    if (node->type == GF_EXPR_I64) {
        node->lo = range.lo;
        node->hi = range.hi;
    }
    return gf_expr_add_node(builder, node, ret);
}

static enum gf_expr_type sample_type(uint32_t dtype)
{
    if (dtype == GF_F64)
        return GF_EXPR_F64;
    if (dtype == GF_U64)
        return GF_EXPR_U64;
    return gf_dtype_kind(dtype) == GF_KIND_FLOAT ? GF_EXPR_F32 : GF_EXPR_I64;
}

enum gf_status gf_expr_sample(struct gf_expr_builder *builder, uint32_t source, uint32_t channel, uint32_t column,
                              uint16_t *ret)
{
    uint32_t dtype = builder->scope->dtypes[source];
    struct gf_expr_node node = {.op = GF_EXPR_SAMPLE,
                                .type = (uint8_t)sample_type(dtype),
                                .source = (uint8_t)source,
                                .channel = (uint8_t)channel,
                                .column = (uint16_t)column};
    return add_ranged(builder, &node, gf_expr_range_dtype(dtype), ret);
}

enum gf_status gf_expr_place(struct gf_expr_builder *builder, enum gf_expr_op op, uint32_t column, uint16_t *ret)
{
    struct gf_expr_node node = {.op = (uint8_t)op, .type = GF_EXPR_I64, .column = (uint16_t)column};
    int64_t side = builder->scope->large ? LARGE_SIDE : GF_EXPR_EXACT_F32;
    struct gf_expr_range range = {0, side - 1};
    if (op == GF_EXPR_W || op == GF_EXPR_H)
        range = (struct gf_expr_range){1, side};
    else if (op == GF_EXPR_CH)
        range.hi = GF_MAX_CHANNELS - 1;
    else if (op == GF_EXPR_INDEX)
        range.hi = LARGE_SIDE - 1;
    return add_ranged(builder, &node, range, ret);
}

enum gf_status gf_expr_state(struct gf_expr_builder *builder, uint32_t source, uint32_t value, uint32_t column,
                             uint16_t *ret)
{
    struct gf_expr_node node = {.op = GF_EXPR_STATE,
                                .type = builder->scope->state[value],
                                .source = (uint8_t)source,
                                .channel = (uint8_t)value,
                                .column = (uint16_t)column};
    return add_ranged(builder, &node, GF_EXPR_ALL, ret);
}

/* Drops the nodes that no result needs. */
static void compact(struct gf_expr *expr)
{
    bool needed[GF_EXPR_MAX_NODES] = {false};
    uint16_t number[GF_EXPR_MAX_NODES];
    uint32_t kept = 0;
    for (uint32_t r = 0; r < expr->n_results; r++)
        needed[expr->results[r]] = true;
    for (uint32_t i = expr->n_nodes; i-- > 0;)
        for (uint32_t k = 0; needed[i] && k < expr->nodes[i].n_in; k++)
            needed[expr->nodes[i].in[k]] = true;
    for (uint32_t i = 0; i < expr->n_nodes; i++)
        if (needed[i]) {
            number[i] = (uint16_t)kept;
            expr->nodes[kept] = expr->nodes[i];
            for (uint32_t k = 0; k < expr->nodes[kept].n_in; k++)
                expr->nodes[kept].in[k] = number[expr->nodes[kept].in[k]];
            kept++;
        }
    memset(&expr->nodes[kept], 0, (expr->n_nodes - kept) * sizeof expr->nodes[0]);
    expr->n_nodes = kept;
    for (uint32_t r = 0; r < expr->n_results; r++)
        expr->results[r] = number[expr->results[r]];
}

/* Counts the values that are live at each node, from definition to last use, in order. Values made only of literals do
 * not count. */
static enum gf_status check_live(const struct gf_expr_builder *builder)
{
    const struct gf_expr *expr = builder->expr;
    uint16_t last[GF_EXPR_MAX_NODES];
    uint16_t ends[GF_EXPR_MAX_NODES] = {0};
    bool literal[GF_EXPR_MAX_NODES];
    for (uint32_t i = 0; i < expr->n_nodes; i++) {
        last[i] = (uint16_t)i;
        literal[i] = expr->nodes[i].n_in > 0 || expr->nodes[i].op == GF_EXPR_CONST;
        for (uint32_t k = 0; k < expr->nodes[i].n_in; k++) {
            last[expr->nodes[i].in[k]] = (uint16_t)i;
            literal[i] = literal[i] && literal[expr->nodes[i].in[k]];
        }
    }
    for (uint32_t r = 0; r < expr->n_results; r++)
        last[expr->results[r]] = GF_EXPR_NO_NODE;
    for (uint32_t i = 0; i < expr->n_nodes; i++)
        if (!literal[i] && last[i] != GF_EXPR_NO_NODE)
            ends[last[i]]++;
    uint32_t live = 0;
    for (uint32_t i = 0; i < expr->n_nodes; i++) {
        live += !literal[i];
        live -= ends[i];
        if (live > GF_EXPR_MAX_LIVE)
            return gf_expr_refuse(&builder->at, expr->nodes[i].column,
                                  "more than %u values are needed later at this place", GF_EXPR_MAX_LIVE);
    }
    return GF_OK;
}

enum gf_status gf_expr_finish(struct gf_expr_builder *builder)
{
    struct gf_expr *expr = builder->expr;
    compact(expr);
    expr->uses = 0;
    expr->inputs = 0;
    for (uint32_t i = 0; i < expr->n_nodes; i++) {
        const struct gf_expr_node *node = &expr->nodes[i];
        if (node->n_in == 0)
            expr->uses |= 1u << node->op;
        if (node->op == GF_EXPR_SAMPLE)
            expr->inputs |= (uint8_t)(1u << node->source);
    }
    return check_live(builder);
}
