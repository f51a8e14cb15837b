/* SPDX-License-Identifier: MIT */
/* Builds programs for tests of codecs and for the fuzz corpus. */
#include "programs.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/correlate.h"

#define WAYS 3u        /* inline, arena, handle */
#define COPIED_WAYS 2u /* masks and lists: inline, arena */

const uint8_t gf_test_example_result[12] = {20, 28, 38, 46, 52, 60, 70, 78, 84, 92, 102, 110};

void gf_test_example_payload(uint8_t ret[GF_TEST_EXAMPLE_PAYLOAD])
{
    static const float mask[9] = {0, 1, 0, 1, 1, 1, 0, 1, 0};
    memset(ret, 0, GF_TEST_EXAMPLE_PAYLOAD);
    for (int i = 0; i < 12; i++)
        ret[i] = (uint8_t)(10 * (i + 1));
    memcpy(ret + 64, mask, sizeof mask);
}

static struct gf_operand inline_operand(struct gf_view view)
{
    return (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&view), .view = view};
}

void gf_test_program_example(struct gf_program *ret)
{
    memset(ret, 0, sizeof *ret);
    strcpy(ret->device, "cpu");
    ret->n_operands = 2;
    ret->n_steps = ret->n_results = 1;
    ret->operands[0] = inline_operand(gf_view_tight(GF_U8, 4, 3, 1));
    ret->operands[1] = inline_operand(gf_view_tight(GF_F32, 3, 3, 1));
    struct gf_step *step = &ret->steps[0];
    step->op = gf_op_by_name("correlate");
    step->in[1].index = 1;
    gf_op_params_default(step->op, &step->params);
    GF_SET_PARAM(&step->params, correlate, normalize, GF_NORMALIZE_SUM);
    ret->results[0].way = GF_WAY_INLINE;
    if (gf_program_check(ret, true, NULL) != GF_OK)
        abort();
}

/* Adds an operand with one of the first `n_ways` ways. Operands in arenas lie one after another in arena 7. */
static struct gf_ref add_operand(struct gf_prng *prng, struct gf_program *p, struct gf_view view, uint32_t n_ways,
                                 uint64_t *arena_end)
{
    struct gf_operand o = inline_operand(view);
    o.way = (uint8_t)(GF_WAY_INLINE + gf_prng_below(prng, n_ways));
    if (o.way == GF_WAY_ARENA) {
        o.id = 7;
        o.length += gf_prng_below(prng, 9);
        o.offset = (*arena_end + 7) & ~7ull;
        *arena_end = o.offset + o.length;
    } else if (o.way == GF_WAY_HANDLE) {
        o.id = gf_prng_below(prng, 1000);
        o.offset = gf_prng_below(prng, 1000);
        o.length = 0;
    }
    p->operands[p->n_operands] = o;
    return (struct gf_ref){.index = (uint16_t)p->n_operands++};
}

static uint32_t random_dtype(struct gf_prng *prng, uint32_t set)
{
    uint32_t dtype;
    do
        dtype = gf_prng_below(prng, 32);
    while ((set & GF_DT(dtype)) == 0);
    return dtype;
}

static struct gf_view random_data(struct gf_prng *prng, uint32_t set)
{
    struct gf_view v = gf_view_tight(random_dtype(prng, set), 8 + gf_prng_below(prng, 40), 8 + gf_prng_below(prng, 40),
                                     1 + gf_prng_below(prng, 4));
    v.pitch += gf_prng_below(prng, 5) * gf_dtype_size(v.dtype);
    return v;
}

/* Inputs after the first mostly have the first input's shape, and its type if they take it. */
static struct gf_ref random_input(struct gf_prng *prng, struct gf_program *p, const struct gf_input_desc *input,
                                  const struct gf_view *first, uint64_t *arena_end)
{
    if (input->kind == GF_INPUT_COEFS)
        return add_operand(prng, p, gf_view_tight(GF_F32, 1 + gf_prng_below(prng, 5), 1 + gf_prng_below(prng, 5), 1),
                           COPIED_WAYS, arena_end);
    if (input->kind == GF_INPUT_LIST)
        return add_operand(prng, p,
                           gf_view_tight(random_dtype(prng, input->dtypes), 2 + gf_prng_below(prng, 300), 1, 1),
                           COPIED_WAYS, arena_end);
    if (p->n_steps > 0 && gf_prng_below(prng, 3) > 0)
        return (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)gf_prng_below(prng, p->n_steps)};
    struct gf_view view = random_data(prng, input->dtypes);
    if (first != NULL && gf_prng_below(prng, 4) > 0)
        view = gf_view_tight((input->dtypes & GF_DT(first->dtype)) != 0 ? first->dtype : view.dtype, first->width,
                             first->height, first->channels);
    return add_operand(prng, p, view, WAYS, arena_end);
}

static void random_param(struct gf_prng *prng, struct gf_step *s, const struct gf_param_desc *param)
{
    uint32_t values[2 * GF_MAX_VALUES];
    if (param->kind == GF_PARAM_TEXT) {
        if (strcmp(param->name, "expression") == 0)
            (void)gf_op_param_parse(s->op, param, "a", &s->params, NULL);
        return;
    }
    uint32_t n = 1 + gf_prng_below(prng, param->max);
    for (uint32_t i = 0; i < n; i++) {
        float f = gf_prng_unit(prng) * 4.0f;
        double d = (double)f;
        if (param->kind == GF_PARAM_F64)
            memcpy(&values[2 * i], &d, sizeof d);
        else if (param->kind == GF_PARAM_F32)
            memcpy(&values[i], &f, sizeof f);
        else
            values[i] = gf_prng_below(prng, 5);
    }
    union gf_params changed = s->params;
    if (gf_op_param_set(s->op, param, values, n * gf_op_param_size(param), &changed, NULL) == GF_OK)
        s->params = changed;
}

bool gf_test_params_equal(const struct gf_step *a, const struct gf_step *b)
{
    bool same = true;
    for (uint32_t i = 0; i < a->op->n_params; i++) {
        const struct gf_param_desc *param = &a->op->params[i];
        const void *x, *y;
        uint32_t n = gf_op_param_get(param, &a->params, &x), m = gf_op_param_get(param, &b->params, &y);
        same &= n == m && (n == 0 || memcmp(x, y, n * gf_op_param_size(param)) == 0);
    }
    return same;
}

/* Adds a random step. False, with nothing added, if the drawn parts do not fit together. */
static bool try_step(struct gf_prng *prng, struct gf_program *p, uint64_t *arena_end)
{
    struct gf_step *s = &p->steps[p->n_steps];
    struct gf_view in[GF_MAX_INPUTS];
    uint32_t n_operands = p->n_operands;
    uint64_t end = *arena_end;
    s->op = &gf_ops[gf_prng_below(prng, GF_N_OPS)];
    for (uint32_t i = 0; i < s->op->n_inputs; i++) {
        s->in[i] = (struct gf_ref){.from = GF_FROM_NOTHING};
        if (!s->op->inputs[i].optional || gf_prng_below(prng, 2) == 0)
            s->in[i] = random_input(prng, p, &s->op->inputs[i], i > 0 ? &in[0] : NULL, &end);
        in[i] = *gf_program_input_view(p, s->in[i]);
    }
    gf_op_params_default(s->op, &s->params);
    for (uint32_t i = 0; i < s->op->n_params; i++)
        if (gf_prng_below(prng, 2) == 0)
            random_param(prng, s, &s->op->params[i]);
    if (gf_op_infer(s->op, in, s->op->n_inputs, &s->params, s->out, NULL) != GF_OK) {
        gf_op_params_default(s->op, &s->params);
        if (gf_op_infer(s->op, in, s->op->n_inputs, &s->params, s->out, NULL) != GF_OK) {
            p->n_operands = n_operands;
            return false;
        }
    }
    *arena_end = end;
    p->n_steps++;
    return true;
}

static void add_result(struct gf_prng *prng, struct gf_program *p, uint64_t *arena_end)
{
    struct gf_result r = {.step = (uint16_t)gf_prng_below(prng, p->n_steps)};
    struct gf_view v = p->steps[r.step].out[0];
    r.way = (uint8_t)(GF_WAY_INLINE + gf_prng_below(prng, 3));
    if (r.way != GF_WAY_HANDLE && gf_prng_below(prng, 2) == 0)
        v.pitch = r.view.pitch = v.pitch + gf_prng_below(prng, 5) * gf_dtype_size(v.dtype);
    if (r.way == GF_WAY_ARENA) {
        r.id = 7;
        r.offset = (*arena_end + 7) & ~7ull;
        r.length = gf_view_bytes(&v) + gf_prng_below(prng, 9);
        *arena_end = r.offset + r.length;
    } else if (r.way == GF_WAY_HANDLE) {
        r.id = gf_prng_below(prng, 1000);
    }
    p->results[p->n_results++] = r;
}

void gf_test_program_random(struct gf_prng *prng, struct gf_program *ret)
{
    static const char *const devices[] = {"auto", "cpu", "cuda:0", "GPU-8f6d2c1e-0000-1111-2222-333344445555"};
    uint64_t arena_end = gf_prng_below(prng, 1000);
    memset(ret, 0, sizeof *ret);
    strcpy(ret->device, devices[gf_prng_below(prng, 4)]);
    ret->deadline_ms = gf_prng_below(prng, 2) * gf_prng_below(prng, 10000);
    ret->trace = ret->deadline_ms % 2 == 1;
    ret->unfused = ret->deadline_ms % 3 == 1;
    for (uint32_t n = 1 + gf_prng_below(prng, 8); n > 0; n--)
        while (!try_step(prng, ret, &arena_end))
            ;
    for (uint32_t n = 1 + gf_prng_below(prng, 8); n > 0; n--)
        add_result(prng, ret, &arena_end);
    if (gf_program_check(ret, true, NULL) != GF_OK)
        abort();
}
