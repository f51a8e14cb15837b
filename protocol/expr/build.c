/* SPDX-License-Identifier: MIT */
/* Keeps nodes unique, makes nodes without operands, and ends an expression: drops unneeded nodes and counts live
 * values. */
#include "build.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "ranges.h"

#define LARGE_SIDE ((int64_t)1 << 40)

/* What tells a node from others: ranges follow from it, and the column is that of the first occurrence. */
struct identity {
    uint64_t head; /* from op to in[0] */
    uint32_t in;   /* in[1] and in[2] */
    uint64_t value;
};

_Static_assert(offsetof(struct gf_expr_node, op) == 0 && offsetof(struct gf_expr_node, in) == 6 &&
                   offsetof(struct gf_expr_node, column) == 12,
               "an identity consists of the first 12 bytes of a node");

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && offsetof(struct gf_expr_node, even) == 5,
               "a node begins with the words of gf_expr_next_node");

static inline struct identity identity_of(const struct gf_expr_node *node)
{
    struct identity id = {.value = node->value.u64};
    memcpy(&id.head, node, sizeof id.head);
    memcpy(&id.in, &node->in[1], sizeof id.in);
    return id;
}

static inline uint32_t bucket_of(const struct gf_expr_builder *builder, struct identity id)
{
    uint64_t hash = (id.head ^ id.value ^ builder->seed) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 32 ^ id.in) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32) % GF_EXPR_BUCKETS;
}

static inline bool is_equal(struct identity a, struct identity b)
{
    return a.head == b.head && a.in == b.in && a.value == b.value;
}

static inline uint16_t facts_of(const struct gf_expr_node *node)
{
    uint32_t type = 1u << node->type;
    if (node->even)
        return (uint16_t)(type << GF_EXPR_FACT_LITERAL | (node->lo < 0 ? GF_EXPR_FACT_NEGATIVE : 0));
    bool wide = node->type == GF_EXPR_U64 || node->lo < -GF_EXPR_EXACT_F32 || node->hi > GF_EXPR_EXACT_F32;
    return (uint16_t)(type | (wide ? GF_EXPR_FACT_WIDE : 0));
}

/* Enters a new node into the table, and what it says about its operands. */
static inline void enter(struct gf_expr_builder *builder, uint16_t at, uint32_t bucket)
{
    const struct gf_expr_node *node = &builder->expr->nodes[at];
    uint16_t live = 0;
    builder->next[at] = builder->first[bucket];
    builder->first[bucket] = at;
    builder->last[at] = at;
    builder->converted[at] = at;
    for (uint32_t k = 0; k < node->n_in; k++) {
        builder->last[node->in[k]] = at;
        live |= builder->facts[node->in[k]];
    }
    if (node->n_in == 0) {
        live = node->op == GF_EXPR_CONST ? 0 : GF_EXPR_FACT_LIVE;
        builder->uses |= 1u << node->op;
        builder->inputs |= (uint8_t)(node->op == GF_EXPR_SAMPLE ? 1u << node->source : 0);
    }
    builder->facts[at] = (uint16_t)(facts_of(node) | (live & GF_EXPR_FACT_LIVE));
}

void gf_expr_builder_init(struct gf_expr_builder *builder, struct gf_expr *expr, const struct gf_expr_scope *scope,
                          struct gf_error *err)
{
    builder->scope = scope;
    builder->expr = expr;
    builder->at = (struct gf_expr_tokens){.what = scope->what, .of = "", .err = err};
    builder->seed = (uintptr_t)builder * 0x9E3779B97F4A7C15u;
    memset(builder->places, 0xFF, sizeof builder->places);
    memset(builder->first, 0xFF, sizeof builder->first);
    builder->uses = 0;
    builder->inputs = 0;
    for (uint16_t i = 0; i < expr->n_nodes; i++)
        enter(builder, i, bucket_of(builder, identity_of(&expr->nodes[i])));
}

enum gf_status gf_expr_add_node(struct gf_expr_builder *builder, const struct gf_expr_node *node, uint16_t *ret)
{
    struct gf_expr *expr = builder->expr;
    const struct identity id = identity_of(node);
    const uint32_t bucket = bucket_of(builder, id);
    uint16_t i = builder->first[bucket];
    while (i != GF_EXPR_NO_NODE && !is_equal(identity_of(&expr->nodes[i]), id))
        i = builder->next[i];
    if (i == GF_EXPR_NO_NODE) {
        if (expr->n_nodes == GF_EXPR_MAX_NODES)
            return gf_expr_refuse(&builder->at, node->column,
                                  "the text has more than %u values, literals and conversions", GF_EXPR_MAX_NODES);
        i = (uint16_t)expr->n_nodes++;
        if (node != &expr->nodes[i])
            expr->nodes[i] = *node;
        enter(builder, i, bucket);
    }
    *ret = i;
    return GF_OK;
}

enum gf_status gf_expr_literal(struct gf_expr_builder *builder, struct gf_expr_number number, uint32_t column,
                               uint16_t *ret)
{
    struct gf_expr_node *node = gf_expr_next_node(builder, GF_EXPR_CONST, number.type, true, NULL, 0, column);
    if (number.type == GF_EXPR_BOOL)
        node->value.b = number.b;
    else if (number.type == GF_EXPR_F64)
        node->value.f64 = number.f64;
    else
        node->value.u64 = number.u64;
    if (number.type == GF_EXPR_I64)
        node->lo = node->hi = number.i64;
    return gf_expr_add_node(builder, node, ret);
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
    *ret = builder->places[op];
    if (*ret != GF_EXPR_NO_NODE)
        return GF_OK;
    struct gf_expr_node node = {.op = (uint8_t)op, .type = GF_EXPR_I64, .column = (uint16_t)column};
    int64_t side = builder->scope->large ? LARGE_SIDE : GF_EXPR_EXACT_F32;
    struct gf_expr_range range = {0, side - 1};
    if (op == GF_EXPR_W || op == GF_EXPR_H)
        range = (struct gf_expr_range){1, side};
    else if (op == GF_EXPR_CH)
        range.hi = GF_MAX_CHANNELS - 1;
    else if (op == GF_EXPR_INDEX)
        range.hi = LARGE_SIDE - 1;
    enum gf_status status = add_ranged(builder, &node, range, ret);
    if (status == GF_OK)
        builder->places[op] = *ret;
    return status;
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
static void drop_unneeded(struct gf_expr_builder *builder)
{
    struct gf_expr *expr = builder->expr;
    struct gf_expr all;
    uint16_t number[GF_EXPR_MAX_NODES];
    bool needed[GF_EXPR_MAX_NODES] = {false};
    gf_expr_copy(&all, expr);
    for (uint32_t r = 0; r < expr->n_results; r++)
        needed[expr->results[r]] = true;
    for (uint32_t i = expr->n_nodes; i-- > 0;)
        for (uint32_t k = 0; needed[i] && k < expr->nodes[i].n_in; k++)
            needed[expr->nodes[i].in[k]] = true;
    memset(expr->nodes, 0, expr->n_nodes * sizeof expr->nodes[0]);
    expr->n_nodes = 0;
    memset(builder->first, 0xFF, sizeof builder->first);
    builder->uses = 0;
    builder->inputs = 0;
    for (uint32_t i = 0; i < all.n_nodes; i++) {
        struct gf_expr_node node = all.nodes[i];
        for (uint32_t k = 0; needed[i] && k < node.n_in; k++)
            node.in[k] = number[node.in[k]];
        if (needed[i])
            (void)gf_expr_add_node(builder, &node, &number[i]); /* there was room for all */
    }
    for (uint32_t r = 0; r < expr->n_results; r++)
        expr->results[r] = number[expr->results[r]];
}

/* Whether every node has a use or is a result. */
static bool all_are_needed(struct gf_expr_builder *builder)
{
    const struct gf_expr *expr = builder->expr;
    uint32_t i = 0;
    for (uint32_t r = 0; r < expr->n_results; r++)
        builder->last[expr->results[r]] = GF_EXPR_NO_NODE;
    while (i < expr->n_nodes && builder->last[i] != i)
        i++;
    return i == expr->n_nodes;
}

/* Counts the values that are live at each node, from definition to last use, in order. Values made only of literals do
 * not count. */
static enum gf_status count_live(const struct gf_expr_builder *builder)
{
    const struct gf_expr *expr = builder->expr;
    uint8_t ends[GF_EXPR_MAX_NODES]; /* values that a node is the last to use */
    uint32_t live = 0;
    memset(ends, 0, expr->n_nodes);
    for (uint32_t i = 0; i < expr->n_nodes; i++)
        if ((builder->facts[i] & GF_EXPR_FACT_LIVE) != 0 && builder->last[i] != GF_EXPR_NO_NODE)
            ends[builder->last[i]]++;
    for (uint32_t i = 0; i < expr->n_nodes; i++) {
        live = live + ((builder->facts[i] & GF_EXPR_FACT_LIVE) != 0) - ends[i];
        if (live > GF_EXPR_MAX_LIVE)
            return gf_expr_refuse(&builder->at, expr->nodes[i].column,
                                  "more than %u values are needed later at this place", GF_EXPR_MAX_LIVE);
    }
    return GF_OK;
}

enum gf_status gf_expr_finish(struct gf_expr_builder *builder)
{
    if (!all_are_needed(builder)) {
        drop_unneeded(builder);
        (void)all_are_needed(builder); /* which also marks the results */
    }
    builder->expr->uses = builder->uses;
    builder->expr->inputs = builder->inputs;
    return count_live(builder);
}
