/* SPDX-License-Identifier: MIT */
/*
 * The store of docs/numerics.md, "Store", and the following load, as nodes. Samples of integers of at most 16 bits are
 * first kept as whole floats, because most readers need floats; an i64 is made only for readers that need one.
 */
#include "compose.h"
#include "protocol/expr/ranges.h"

static bool is_float(uint32_t type)
{
    return type == GF_EXPR_F32 || type == GF_EXPR_F64;
}

uint16_t gf_fusing_as_float(struct gf_fusing *f, enum gf_expr_op op, uint16_t value)
{
    const struct gf_expr_node *node = gf_fusing_node(f, value);
    bool is_of_whole = node->op == GF_EXPR_TO_I64 && gf_fusing_node(f, node->in[0])->op == GF_EXPR_WHOLE;
    return gf_fusing_unary(f, op, is_of_whole ? node->in[0] : value);
}

/* Rounds a float and saturates it to integers of at most 16 bits. */
static uint16_t whole(struct gf_fusing *f, uint16_t value, struct gf_expr_range range)
{
    enum gf_expr_type type = (enum gf_expr_type)gf_fusing_node(f, value)->type;
    uint16_t lo = gf_fusing_number(f, type, (double)range.lo), hi = gf_fusing_number(f, type, (double)range.hi);
    return gf_fusing_ternary(f, GF_EXPR_WHOLE, value, lo, hi);
}

static uint16_t saturated(struct gf_fusing *f, uint16_t value, struct gf_expr_range range)
{
    const struct gf_expr_node *node = gf_fusing_node(f, value);
    bool above = node->hi > range.hi, below = node->lo < range.lo;
    if (above)
        value = gf_fusing_binary(f, GF_EXPR_MIN, value, gf_fusing_number(f, GF_EXPR_I64, (double)range.hi));
    if (below)
        value = gf_fusing_binary(f, GF_EXPR_MAX, value, gf_fusing_number(f, GF_EXPR_I64, (double)range.lo));
    return value;
}

uint16_t gf_fusing_stored(struct gf_fusing *f, uint16_t value, uint32_t dtype)
{
    const struct gf_expr_range range = gf_expr_range_dtype(dtype);
    uint32_t type = gf_fusing_node(f, value)->type;
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
        return gf_fusing_as_float(f, dtype == GF_F64 ? GF_EXPR_TO_F64 : GF_EXPR_TO_F32, value);
    if (is_float(type) && gf_dtype_size(dtype) <= 2) {
        uint16_t number = whole(f, value, range);
        return gf_fusing_add_node(
            f,
            &(struct gf_expr_node){
                .op = GF_EXPR_TO_I64, .type = GF_EXPR_I64, .n_in = 1, .in = {number}, .lo = range.lo, .hi = range.hi});
    }
    if (is_float(type))
        value = gf_fusing_unary(f, GF_EXPR_ROUND, value);
    value = gf_fusing_unary(f, dtype == GF_U64 ? GF_EXPR_TO_U64 : GF_EXPR_TO_I64, value);
    return gf_dtype_size(dtype) < 8 ? saturated(f, value, range) : value;
}
