/* SPDX-License-Identifier: MIT */
/* The value of each fusable op, one row per op: docs/numerics.md, "Point operations", "Histogram and tone" and
 * "Expressions". */
#include <string.h>

#include "compose.h"
#include "protocol/expr/ranges.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/combine.h"
#include "protocol/ops/params/copy.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/params/map.h"
#include "protocol/ops/params/threshold.h"
#include "protocol/ops/texts/expression.h"

struct op_row {
    bool (*fits)(const struct gf_program *p, const struct gf_step *step); /* NULL: the op cannot be part of a run */
    uint16_t (*value)(struct gf_fusing *f, const struct gf_step *step, uint32_t channel);
};

static bool is_any(const struct gf_program *p, const struct gf_step *step)
{
    (void)p;
    (void)step;
    return true;
}

static uint16_t float_of(struct gf_fusing *f, const struct gf_step *step, uint32_t input, uint32_t channel)
{
    return gf_fusing_as_float(f, GF_EXPR_TO_F32, gf_fusing_read(f, step, input, channel));
}

/* A map without a power or table: no operator computes the power, and a table is data. */
static bool is_plain_map(const struct gf_program *p, const struct gf_step *step)
{
    (void)p;
    return step->in[1].from == GF_FROM_NOTHING && gf_map_params_get(&step->params).gamma == 1.0f;
}

static uint16_t map_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    const struct gf_map_params map = gf_map_params_get(&step->params);
    uint32_t from = gf_program_input_view(f->program, step->in[0])->dtype;
    uint16_t x = float_of(f, step, 0, channel);
    /* For floats, multiplying and adding turns -0 into +0, so the node is always needed. */
    if (map.scale != 1.0f || map.offset != 0.0f || gf_dtype_kind(from) == GF_KIND_FLOAT)
        x = gf_fusing_ternary(f, GF_EXPR_FMA, x, gf_fusing_number(f, GF_EXPR_F32, (double)map.scale),
                              gf_fusing_number(f, GF_EXPR_F32, (double)map.offset));
    if (map.range == GF_RANGE_FULL && f->status == GF_OK)
        f->status = gf_expr_alpha_share(&f->builder, from, step->out[0].dtype, &x);
    return x;
}

static uint16_t combine_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    const struct gf_combine_params p = gf_combine_params_get(&step->params);
    uint16_t a = float_of(f, step, 0, channel), b = float_of(f, step, 1, channel), sum;
    switch (p.mode) {
    case GF_COMBINE_ABSDIFF:
        return gf_fusing_unary(f, GF_EXPR_ABS, gf_fusing_binary(f, GF_EXPR_SUB, a, b));
    case GF_COMBINE_MUL:
        return gf_fusing_binary(f, GF_EXPR_MUL, a, b);
    case GF_COMBINE_MIN:
        return gf_fusing_binary(f, GF_EXPR_MIN, a, b);
    case GF_COMBINE_MAX:
        return gf_fusing_binary(f, GF_EXPR_MAX, a, b);
    case GF_COMBINE_MAGNITUDE:
        sum = gf_fusing_ternary(f, GF_EXPR_FMA, a, a, gf_fusing_binary(f, GF_EXPR_MUL, b, b));
        return gf_fusing_unary(f, GF_EXPR_SQRT, sum);
    default:
        sum = gf_fusing_ternary(f, GF_EXPR_FMA, gf_fusing_number(f, GF_EXPR_F32, (double)p.a), a,
                                gf_fusing_number(f, GF_EXPR_F32, (double)p.c));
        return gf_fusing_ternary(f, GF_EXPR_FMA, gf_fusing_number(f, GF_EXPR_F32, (double)p.b), b, sum);
    }
}

/* Otsu's threshold depends on all samples, a brightness threshold on all channels. */
static bool is_fixed_threshold(const struct gf_program *p, const struct gf_step *step)
{
    return gf_threshold_params_get(&step->params).value.n > 0 &&
           step->out[0].channels == gf_program_input_view(p, step->in[0])->channels;
}

static uint16_t threshold_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    bool is_float = gf_dtype_kind(step->out[0].dtype) == GF_KIND_FLOAT;
    enum gf_expr_type type = is_float ? GF_EXPR_F32 : GF_EXPR_I64;
    double high = is_float ? 1.0 : (double)gf_expr_range_dtype(step->out[0].dtype).hi;
    uint16_t limit = gf_fusing_number(f, GF_EXPR_F32, (double)gf_threshold_params_get(&step->params).value.v[0]);
    uint16_t above = gf_fusing_binary(f, GF_EXPR_LT, limit, float_of(f, step, 0, channel));
    return gf_fusing_ternary(f, GF_EXPR_SELECT, above, gf_fusing_number(f, type, high), gf_fusing_number(f, type, 0.0));
}

static uint16_t copy_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    uint32_t one = gf_copy_params_get(&step->params).channel;
    if (one > 0 && gf_program_input_view(f->program, step->in[0])->channels > 1) {
        f->needs_pixels |= !f->pixels;
        channel = one - 1;
    }
    return gf_fusing_read(f, step, 0, channel);
}

static void parse(struct gf_fusing *f, const struct gf_step *step)
{
    struct gf_view in[GF_MAX_INPUTS] = {{0}};
    if (f->parsed == step)
        return;
    f->parsed = step;
    f->text = gf_expr_params_get(&step->params).expression.nodes;
    if (f->text != NULL)
        return;
    f->text = &f->own;
    for (uint32_t i = 0; i < step->op->n_inputs; i++)
        in[i] = *gf_program_input_view(f->program, step->in[i]);
    if (f->status == GF_OK)
        f->status = gf_expr_of_step(in, &step->params, &f->own, NULL);
}

/* Copies a node of a text with new operands `in`. The text has already typed it. A conversion may get a float operand
 * that no longer needs an integer. */
static uint16_t splice(struct gf_fusing *f, const struct gf_step *step, const struct gf_expr_node *node,
                       const uint16_t *numbers, uint32_t channel)
{
    bool one = step->out[0].channels == 1;
    if (node->op == GF_EXPR_SAMPLE)
        return gf_fusing_read(f, step, node->source, node->channel == GF_EXPR_OWN_CHANNEL ? channel : node->channel);
    if (node->op == GF_EXPR_CH && (one || f->pixels))
        return gf_fusing_number(f, GF_EXPR_I64, one ? 0.0 : (double)channel);
    if (node->op == GF_EXPR_TO_F32 || node->op == GF_EXPR_TO_F64)
        return gf_fusing_as_float(f, (enum gf_expr_op)node->op, numbers[node->in[0]]);
    uint16_t in[3] = {0, 0, 0};
    for (uint32_t k = 0; k < node->n_in; k++)
        in[k] = numbers[node->in[k]];
    struct gf_expr_node *copy =
        gf_expr_next_node(&f->builder, (enum gf_expr_op)node->op, node->type, node->even, in, node->n_in, node->column);
    copy->lo = node->lo;
    copy->hi = node->hi;
    copy->value = node->value;
    return gf_fusing_add_node(f, copy);
}

static uint16_t expr_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    uint16_t numbers[GF_EXPR_MAX_NODES];
    parse(f, step);
    if (f->status != GF_OK)
        return 0;
    f->needs_pixels |= f->text->pixels && !f->pixels;
    for (uint32_t i = 0; i < f->text->n_nodes; i++)
        numbers[i] = splice(f, step, &f->text->nodes[i], numbers, channel);
    return numbers[f->text->results[f->text->pixels && channel < f->text->n_results ? channel : 0]];
}

static const struct op_row rows[GF_N_OPS] = {
    [GF_INDEX_map] = {is_plain_map, map_value},
    [GF_INDEX_combine] = {is_any, combine_value},
    [GF_INDEX_threshold] = {is_fixed_threshold, threshold_value},
    [GF_INDEX_copy] = {is_any, copy_value},
    [GF_INDEX_expr] = {is_any, expr_value},
};

bool gf_fusing_fits(const struct gf_program *p, const struct gf_step *step)
{
    const struct op_row *row = &rows[step->op->index];
    return row->fits != NULL && row->fits(p, step);
}

bool gf_fusing_copies_alpha(struct gf_fusing *f, const struct gf_step *step)
{
    const struct gf_param_desc *param = gf_op_param(step->op, "alpha");
    uint32_t alpha = GF_ALPHA_STRAIGHT;
    if (param != NULL)
        memcpy(&alpha, (const char *)&step->params + param->offset, sizeof(alpha));
    if (!gf_copies_alpha(alpha, step->out[0].channels))
        return false;
    if (step->op->index == GF_INDEX_expr)
        parse(f, step);
    return f->parsed != step || !f->text->pixels;
}

uint16_t gf_fusing_value(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    return rows[step->op->index].value(f, step, channel);
}
