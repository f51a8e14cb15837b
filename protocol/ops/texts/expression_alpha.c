/* SPDX-License-Identifier: MIT */
/*
 * Copied alpha as nodes: docs/numerics.md, "Alpha" and "Expressions". The store must give the same sample as without
 * the nodes, so values of two types that the store treats differently are first converted as the store would. Called as
 * expression.h says.
 */
#include "expression.h"
#include "protocol/expr/build.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/expr.h"

static const struct gf_expr_site site = {.word = "alpha", .column = 1};

static const struct gf_expr_node *node_of(const struct gf_expr_builder *b, uint16_t i)
{
    return &b->expr->nodes[i];
}

static bool is_float(const struct gf_expr_node *node)
{
    return node->type == GF_EXPR_F32 || node->type == GF_EXPR_F64;
}

/* Applies the formulas of range=full. */
enum gf_status gf_expr_alpha_share(struct gf_expr_builder *b, uint32_t from, uint32_t to, uint16_t *alpha)
{
    const struct gf_dtype_ratio ratio = gf_dtype_full_range(from, to);
    bool multiplied = ratio.multiply > ratio.divide;
    uint16_t by;
    if (ratio.multiply == ratio.divide)
        return GF_OK;
    enum gf_status status = gf_expr_literal_f64(b, multiplied ? ratio.multiply : ratio.divide, site.column, &by);
    return status != GF_OK ? status
                           : gf_expr_binary(b, multiplied ? GF_EXPR_MUL : GF_EXPR_DIV, *alpha, by, site, alpha);
}

/* Converts a value as the store of docs/numerics.md, "Store", does, before it saturates to fewer than 64 bits. */
static enum gf_status convert(struct gf_expr_builder *b, uint32_t to, uint16_t *value)
{
    enum gf_expr_op op = to == GF_F32 || to == GF_F16 ? GF_EXPR_TO_F32
                         : to == GF_F64               ? GF_EXPR_TO_F64
                         : to == GF_U64               ? GF_EXPR_TO_U64
                                                      : GF_EXPR_TO_I64;
    enum gf_status status = GF_OK;
    if (gf_dtype_kind(to) != GF_KIND_FLOAT && is_float(node_of(b, *value)))
        status = gf_expr_unary(b, GF_EXPR_ROUND, *value, site, value);
    return status == GF_OK ? gf_expr_unary(b, op, *value, site, value) : status;
}

/* Whether the store gives the same samples after both values were converted to their common type: a float for floats
 * and small integers, an integer for integers of the same sign. */
static bool may_meet(const struct gf_expr_node *value, const struct gf_expr_node *alpha, uint32_t to)
{
    bool small = alpha->type == GF_EXPR_I64 && alpha->lo >= -GF_EXPR_EXACT_F32 && alpha->hi <= GF_EXPR_EXACT_F32;
    if (gf_dtype_kind(to) == GF_KIND_FLOAT)
        return false;
    if (is_float(value)) /* a literal would be rounded to the type it meets */
        return !value->even && (is_float(alpha) || small);
    return alpha->type == value->type || (value->type == GF_EXPR_BOOL && !is_float(alpha));
}

/* Adds select(ch == last, alpha, value). */
enum gf_status gf_expr_alpha_choose(struct gf_expr_builder *b, uint32_t last, uint16_t alpha, uint16_t *value)
{
    uint16_t channel, number, is_last;
    enum gf_status status = gf_expr_place(b, GF_EXPR_CH, site.column, &channel);
    if (status == GF_OK)
        status = gf_expr_literal_i64(b, last, site.column, &number);
    if (status == GF_OK)
        status = gf_expr_binary(b, GF_EXPR_EQ, channel, number, site, &is_last);
    return status == GF_OK ? gf_expr_ternary(b, GF_EXPR_SELECT, is_last, alpha, *value, site, value) : status;
}

enum gf_status gf_expr_with_alpha(const struct gf_view *in, const union gf_params *params, struct gf_expr *ret_expr,
                                  struct gf_error *err)
{
    uint32_t channels = gf_expr_channels(in), from = gf_expr_alpha_input(in);
    uint32_t to = gf_expr_params_get(params).dtype == GF_DTYPE_SAME ? in->dtype : gf_expr_params_get(params).dtype;
    const struct gf_expr_scope scope = gf_expr_scope_of(in, params);
    struct gf_expr_builder builder;
    uint16_t alpha;
    enum gf_status status = gf_expr_of_step(in, params, ret_expr, err);
    if (status != GF_OK || ret_expr->pixels || !gf_copies_alpha(gf_expr_params_get(params).alpha, channels))
        return status;
    gf_expr_builder_init(&builder, ret_expr, &scope, err);
    uint16_t value = ret_expr->results[0];
    status = gf_expr_sample(&builder, from, GF_EXPR_OWN_CHANNEL, site.column, &alpha);
    if (status == GF_OK)
        status = gf_expr_alpha_share(&builder, in[from].dtype, to, &alpha);
    if (status == GF_OK && !may_meet(node_of(&builder, value), node_of(&builder, alpha), to)) {
        status = convert(&builder, to, &value);
        if (status == GF_OK)
            status = convert(&builder, to, &alpha);
    }
    if (status == GF_OK)
        status = gf_expr_alpha_choose(&builder, channels - 1, alpha, &value);
    if (status != GF_OK)
        return status;
    ret_expr->results[0] = value;
    return gf_expr_finish(&builder);
}
