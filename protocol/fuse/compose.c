/* SPDX-License-Identifier: MIT */
/* Adds steps to a run: their inputs, their values per channel, and their alpha. */
#include "compose.h"

#include "protocol/ops/texts/expression.h"

/* Refusals during fusing are never shown, so their text does not matter. */
static const struct gf_expr_site site = {.word = "", .column = 1};

const struct gf_expr_node *gf_fusing_node(const struct gf_fusing *f, uint16_t i)
{
    return &f->expr.nodes[i];
}

/* Whether a node can be added; counts it. */
static bool may_add(struct gf_fusing *f)
{
    f->work++;
    return f->status == GF_OK;
}

uint16_t gf_fusing_add_node(struct gf_fusing *f, const struct gf_expr_node *node)
{
    uint16_t i = 0;
    if (may_add(f))
        f->status = gf_expr_add_node(&f->builder, node, &i);
    return i;
}

uint16_t gf_fusing_unary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x)
{
    uint16_t i = 0;
    if (may_add(f))
        f->status = gf_expr_unary(&f->builder, op, x, site, &i);
    return i;
}

uint16_t gf_fusing_binary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x, uint16_t y)
{
    uint16_t i = 0;
    if (may_add(f))
        f->status = gf_expr_binary(&f->builder, op, x, y, site, &i);
    return i;
}

uint16_t gf_fusing_ternary(struct gf_fusing *f, enum gf_expr_op op, uint16_t x, uint16_t y, uint16_t z)
{
    uint16_t i = 0;
    if (may_add(f))
        f->status = gf_expr_ternary(&f->builder, op, x, y, z, site, &i);
    return i;
}

uint16_t gf_fusing_number(struct gf_fusing *f, enum gf_expr_type type, double v)
{
    struct gf_expr_node node = {.op = GF_EXPR_CONST, .type = (uint8_t)type, .column = 1, .value.u64 = 0};
    if (type == GF_EXPR_I64)
        node.lo = node.hi = node.value.i64 = (int64_t)v;
    else
        node.value.f64 = v;
    return gf_fusing_add_node(f, &node);
}

uint32_t gf_fusing_find_input(const struct gf_ref *inputs, uint32_t n, struct gf_ref ref)
{
    uint32_t i = 0;
    while (i < n && (inputs[i].from != ref.from || inputs[i].index != ref.index || inputs[i].output != ref.output))
        i++;
    return i;
}

void gf_fusing_init(struct gf_fusing *f, const struct gf_program *p, uint32_t first, const struct gf_ref *inputs,
                    uint32_t n_inputs, bool pixels)
{
    /* One by one, because most of the struct is room. */
    f->program = p;
    f->first = first;
    f->n = 0;
    f->pixels = f->expr.pixels = pixels;
    f->needs_pixels = false;
    f->expr.n_nodes = f->expr.n_results = 0;
    f->status = GF_OK;
    f->inputs = inputs;
    f->n_inputs = n_inputs;
    f->parsed = NULL;
    f->scope = (struct gf_expr_scope){.what = "", .place = true};
    f->scope.large = gf_expr_is_large(gf_program_input_view(p, inputs[0]));
    for (uint32_t i = 0; i < n_inputs; i++) {
        const struct gf_view *view = gf_program_input_view(p, inputs[i]);
        f->scope.dtypes[i] = view->dtype;
        f->scope.channels[i] = view->channels;
    }
    gf_expr_builder_init(&f->builder, &f->expr, &f->scope, NULL);
}

/* The index of a channel's value in gf_fusing.values. */
static uint32_t place_of(const struct gf_fusing *f, uint32_t channel)
{
    return f->pixels ? channel : channel == GF_FUSING_LAST_CHANNEL ? 1 : 0;
}

uint16_t gf_fusing_read(struct gf_fusing *f, const struct gf_step *step, uint32_t input, uint32_t channel)
{
    struct gf_ref ref = step->in[input];
    const struct gf_view *view = gf_program_input_view(f->program, ref);
    uint16_t i = 0;
    if (view->channels == 1)
        channel = 0;
    if (ref.from == GF_FROM_STEP && ref.index >= f->first)
        return gf_fusing_stored(f, f->values[ref.index - f->first][place_of(f, channel)], view->dtype);
    if (may_add(f))
        f->status = gf_expr_sample(&f->builder, gf_fusing_find_input(f->inputs, f->n_inputs, ref),
                                   f->pixels ? channel : GF_EXPR_OWN_CHANNEL, site.column, &i);
    return i;
}

/* The input from which alpha is copied. */
static uint32_t alpha_input(const struct gf_fusing *f, const struct gf_step *step)
{
    struct gf_view in[GF_EXPR_MAX_INPUTS];
    if (step->op->index != GF_INDEX_expr)
        return 0;
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        in[i] = *gf_program_input_view(f->program, step->in[i]);
    return gf_expr_alpha_input(in);
}

/* Alpha scaled to the type of the result. */
static uint16_t alpha_of(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    uint32_t input = alpha_input(f, step), from = gf_program_input_view(f->program, step->in[input])->dtype;
    uint16_t alpha = gf_fusing_read(f, step, input, channel);
    if (f->status == GF_OK)
        f->status = gf_expr_alpha_share(&f->builder, from, step->out[0].dtype, &alpha);
    return alpha;
}

static bool is_exact_float(const struct gf_expr_node *node)
{
    return node->type == GF_EXPR_F32 ||
           (node->type == GF_EXPR_I64 && node->lo >= -GF_EXPR_EXACT_F32 && node->hi <= GF_EXPR_EXACT_F32);
}

/* Selects alpha in the last channel and the value in the others. Both are f32 before the store, or both are stored in
 * the same type. */
static uint16_t choose(struct gf_fusing *f, const struct gf_step *step, uint16_t alpha, uint16_t value)
{
    if (gf_fusing_node(f, value)->type == GF_EXPR_F32 && is_exact_float(gf_fusing_node(f, alpha))) {
        alpha = gf_fusing_as_float(f, GF_EXPR_TO_F32, alpha);
    } else {
        alpha = gf_fusing_stored(f, alpha, step->out[0].dtype);
        value = gf_fusing_stored(f, value, step->out[0].dtype);
    }
    if (f->status == GF_OK)
        f->status = gf_expr_alpha_choose(&f->builder, step->out[0].channels - 1, alpha, &value);
    return value;
}

static uint16_t value_of(struct gf_fusing *f, const struct gf_step *step, uint32_t channel)
{
    bool is_last = channel == GF_FUSING_LAST_CHANNEL || channel == step->out[0].channels - 1;
    return is_last && gf_fusing_copies_alpha(f, step) ? alpha_of(f, step, channel) : gf_fusing_value(f, step, channel);
}

bool gf_fusing_add(struct gf_fusing *f)
{
    const struct gf_step *step = &f->program->steps[f->first + f->n];
    uint32_t channels = step->out[0].channels, values = f->pixels ? channels : channels % 2 == 0 ? 2 : 1;
    for (uint32_t i = 0; i < values; i++) {
        uint32_t channel = f->pixels ? i : i == 0 ? GF_EXPR_OWN_CHANNEL : GF_FUSING_LAST_CHANNEL;
        f->values[f->n][i] = value_of(f, step, channel);
    }
    if (f->status != GF_OK || f->needs_pixels)
        return false;
    f->uses[f->n] = (f->n > 0 ? f->uses[f->n - 1] : 0) | (f->parsed == step ? f->text->uses : 0);
    f->n++;
    return true;
}

bool gf_fusing_end(struct gf_fusing *f, uint32_t n, struct gf_expr *ret_expr)
{
    const struct gf_step *step = &f->program->steps[f->first + n - 1];
    uint16_t *values = f->values[n - 1], chosen = values[0];
    f->status = GF_OK; /* clears the failure of a later step that was not added */
    if (!f->pixels && step->out[0].channels % 2 == 0 && values[1] != values[0])
        chosen = choose(f, step, values[1], values[0]);
    if (f->status != GF_OK)
        return false;
    struct gf_expr_builder builder = f->builder;
    gf_expr_copy(ret_expr, &f->expr);
    f->work += f->expr.n_nodes;
    builder.expr = ret_expr;
    ret_expr->n_results = f->pixels ? step->out[0].channels : 1;
    for (uint32_t c = 0; c < ret_expr->n_results; c++)
        ret_expr->results[c] = c == 0 ? chosen : values[c];
    if (gf_expr_finish(&builder) != GF_OK)
        return false;
    /* Also keeps the bits of places that no result needs after fusing, because fusing must not change whether a job can
     * be cut. */
    ret_expr->uses |= f->uses[n - 1];
    return true;
}
