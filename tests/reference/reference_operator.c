/* SPDX-License-Identifier: MIT */
/* Operators of users: elements to states, states by the trees of docs/numerics.md, "Operators of users" and "Trees of
 * scans", states to results. */
#include "reference_operator.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/reduce.h"
#include "protocol/ops/params/scan.h"
#include "protocol/ops/texts/operator.h"
#include "reference_expr.h"
#include "reference_reduce.h"
#include "reference_scan.h"

/* One step. */
struct user {
    struct gf_operator o;
    const struct gf_reference_buf *in;
    struct gf_reference_buf *out;
    bool scan, exclusive, reverse;
    uint32_t axis;
    enum gf_status status; /* of a node that is not what it says */
    struct gf_error *err;
};

/* A sequence: elements first to first + n of a line. */
struct line {
    uint64_t number, first, n;
    uint32_t channel; /* of the input and of the result; 0 of pixels */
};

static uint64_t word_of(struct gf_reference_typed v)
{
    uint64_t word = v.type == GF_EXPR_BOOL ? v.b : (uint64_t)(gf_reference_u128)v.whole;
    if (v.type == GF_EXPR_F32)
        memcpy(&word, &v.f32, sizeof(v.f32));
    else if (v.type == GF_EXPR_F64)
        memcpy(&word, &v.f64, sizeof(v.f64));
    return word;
}

static struct gf_reference_typed typed_of(uint32_t type, uint64_t word)
{
    struct gf_reference_typed v = {.type = type, .b = word != 0};
    int64_t whole;
    memcpy(&whole, &word, sizeof(whole));
    v.whole = type == GF_EXPR_I64 ? (gf_reference_i128)whole : (gf_reference_i128)word;
    if (type == GF_EXPR_F32)
        memcpy(&v.f32, &word, sizeof(v.f32));
    else if (type == GF_EXPR_F64)
        memcpy(&v.f64, &word, sizeof(v.f64));
    return v;
}

static void state_of(const struct user *u, const struct gf_reference_item *item, struct gf_reference_typed *ret)
{
    for (uint32_t i = 0; i < u->o.n_state; i++)
        ret[i] = typed_of(u->o.types[i], item->words[i]);
}

/* What a text gives at a place, as words. */
static struct gf_reference_item value_of(struct user *u, const struct gf_expr *text,
                                         const struct gf_reference_place *place, struct gf_reference_typed *ret)
{
    struct gf_reference_typed values[GF_EXPR_MAX_NODES];
    struct gf_reference_item item = {.present = true};
    enum gf_status status = gf_reference_expr_nodes(text, place, values, u->err);
    if (status != GF_OK) {
        u->status = status;
        return item;
    }
    for (uint32_t i = 0; i < text->n_results; i++) {
        item.words[i] = word_of(values[text->results[i]]);
        if (ret)
            ret[i] = values[text->results[i]];
    }
    return item;
}

static struct gf_reference_item combine(void *context, struct gf_reference_item l, struct gf_reference_item r)
{
    struct user *u = context;
    struct gf_reference_typed states[2][GF_EXPR_MAX_STATE];
    const struct gf_reference_place place = {.in = u->in, .states = {states[0], states[1]}};
    state_of(u, &l, states[0]);
    state_of(u, &r, states[1]);
    return value_of(u, &u->o.combine, &place, NULL);
}

/* Where element i of a line is. */
static struct gf_reference_place place_of(const struct user *u, const struct line *line, uint64_t i)
{
    const struct gf_view *v = &u->in->view;
    uint64_t at = line->first + (u->reverse ? line->n - 1 - i : i);
    struct gf_reference_place place = {.in = u->in, .width = v->width, .height = v->height, .index = i};
    place.channel = line->channel;
    place.x = u->axis == GF_AXIS_COLS ? line->number : u->axis == GF_AXIS_ROWS ? at : at % v->width;
    place.y = u->axis == GF_AXIS_COLS ? at : u->axis == GF_AXIS_ROWS ? line->number : at / v->width;
    return place;
}

/* Applies `finish` to a state and stores the value at a pixel of the result. */
static void finish(struct user *u, const struct gf_reference_item *item, uint64_t x, uint64_t y, uint32_t channel)
{
    struct gf_reference_typed state[GF_EXPR_MAX_STATE], values[GF_EXPR_MAX_RESULTS] = {{0}};
    const struct gf_reference_place place = {.in = u->in, .states = {state, NULL}};
    state_of(u, item, state);
    (void)value_of(u, &u->o.finish, &place, values);
    for (uint32_t k = 0; k < u->o.finish.n_results && u->status == GF_OK; k++)
        gf_reference_typed_store(u->out, y, x, u->o.pixels ? k : channel, values[k]);
}

/* The state of no elements: the identity. Without an identity, the item is marked absent. */
static struct gf_reference_item identity(struct user *u)
{
    const struct gf_reference_place place = {.in = u->in};
    return u->o.identity.n_results > 0 ? value_of(u, &u->o.identity, &place, NULL)
                                       : (struct gf_reference_item){.present = false};
}

/* By neighbours until there is one. */
static struct gf_reference_item reduced(struct user *u, struct gf_reference_item *t, uint64_t n)
{
    const struct gf_reference_join join = {combine, u};
    if (n == 0)
        return identity(u);
    for (; n > 1; n = (n + 1) / 2)
        for (uint64_t i = 0; 2 * i < n; i++)
            t[i] = 2 * i + 1 < n ? gf_reference_joined(&join, t[2 * i], t[2 * i + 1]) : t[2 * i];
    return t[0];
}

/* Results of a scan, each at its element. */
static enum gf_status scanned(struct user *u, const struct line *line, struct gf_reference_item *t)
{
    const struct gf_reference_join join = {combine, u};
    enum gf_status status = GF_OK;
    if (u->axis == GF_AXIS_COLS)
        gf_reference_scan_columns(&join, t, line->n);
    else
        status = gf_reference_scan_tree(&join, t, line->n, u->err);
    for (uint64_t i = 0; i < line->n && status == GF_OK; i++) {
        const struct gf_reference_place place = place_of(u, line, i);
        const struct gf_reference_item item = !u->exclusive ? t[i] : i == 0 ? identity(u) : t[i - 1];
        finish(u, &item, place.x, place.y, line->channel);
    }
    return status;
}

/* One sequence, whose result of a reduction is at (x, y). */
static enum gf_status run_line(struct user *u, const struct line *line, uint64_t x, uint64_t y)
{
    struct gf_reference_item gf_cleanup(gf_freep) *t = calloc(line->n + 1, sizeof(*t));
    if (t == NULL)
        return gf_error_set(u->err, GF_E_NO_MEMORY, "no memory for a sequence");
    for (uint64_t i = 0; i < line->n && u->status == GF_OK; i++) {
        const struct gf_reference_place place = place_of(u, line, i);
        t[i] = value_of(u, &u->o.lift, &place, NULL);
    }
    if (u->scan && u->status == GF_OK) {
        enum gf_status status = scanned(u, line, t);
        return status == GF_OK ? u->status : status;
    }
    const struct gf_reference_item item = reduced(u, t, line->n);
    if (u->status == GF_OK)
        finish(u, &item, x, y, line->channel);
    return u->status;
}

static enum gf_status run_segments(struct user *u)
{
    const struct gf_view *v = &u->in->view;
    const uint64_t n = v->width * v->height, segments = u->in[1].view.width - 1;
    const uint32_t channels = u->o.pixels ? 1 : v->channels;
    enum gf_status status = gf_reference_check_segments(&u->in[1], n, u->err);
    if (status == GF_OK && u->scan &&
        (gf_reference_offset(&u->in[1], 0) != 0 || gf_reference_offset(&u->in[1], segments) != n))
        return gf_error_set(u->err, GF_E_BAD_PARAM, "offsets do not begin with 0 or end with the number of elements");
    for (uint64_t i = 0; i < segments * channels && status == GF_OK; i++) {
        uint64_t segment = i / channels, first = gf_reference_offset(&u->in[1], segment);
        const struct line line = {.first = first,
                                  .n = gf_reference_offset(&u->in[1], segment + 1) - first,
                                  .channel = (uint32_t)(i % channels)};
        status = run_line(u, &line, segment, 0);
    }
    return status;
}

enum gf_status gf_reference_operator(const struct gf_op *op, const union gf_params *params,
                                     const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                     struct gf_error *err)
{
    const struct gf_view *v = &in->view;
    struct gf_view views[GF_MAX_INPUTS] = {{0}};
    struct user u = {.in = in, .out = out, .axis = gf_reduce_params_get(params).axis, .status = GF_OK, .err = err};
    for (uint32_t i = 0; i < op->n_inputs; i++)
        views[i] = in[i].view;
    if (op->index == GF_INDEX_scan) {
        u.scan = true;
        u.axis = gf_scan_params_get(params).axis;
        u.exclusive = gf_scan_params_get(params).exclusive != 0;
        u.reverse = gf_scan_params_get(params).reverse != 0;
    }
    enum gf_status status = gf_operator_of_step(op, views, params, &u.o, err);
    if (status == GF_OK && in[1].data != NULL)
        return run_segments(&u);
    uint32_t channels = u.o.pixels ? 1 : v->channels;
    uint64_t lines = u.axis == GF_AXIS_ALL ? 1 : u.axis == GF_AXIS_ROWS ? v->height : v->width;
    uint64_t n = u.axis == GF_AXIS_ALL ? v->width * v->height : u.axis == GF_AXIS_ROWS ? v->width : v->height;
    for (uint64_t i = 0; i < lines * channels && status == GF_OK; i++) {
        const struct line line = {.number = i / channels, .n = n, .channel = (uint32_t)(i % channels)};
        status =
            run_line(&u, &line, u.axis == GF_AXIS_COLS ? line.number : 0, u.axis == GF_AXIS_ROWS ? line.number : 0);
    }
    return status;
}
