/* SPDX-License-Identifier: MIT */
/* Ops of the family point that compute each sample from samples of the same place: combine, map and expr. */
#include <math.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/combine.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/params/map.h"
#include "protocol/ops/texts/expression.h"
#include "reference_expr.h"
#include "reference_functions.h"
#include "reference_image.h"
#include "reference_ops.h"

/* combine, docs/numerics.md, "combine". */

static float combined(const struct gf_combine_params *p, float a, float b)
{
    switch (p->mode) {
    case GF_COMBINE_LINEAR:
        return fmaf(p->b, b, fmaf(p->a, a, p->c));
    case GF_COMBINE_ABSDIFF:
        return fabsf(a - b);
    case GF_COMBINE_MUL:
        return a * b;
    case GF_COMBINE_MIN:
        return gf_reference_minimum(a, b);
    case GF_COMBINE_MAX:
        return gf_reference_maximum(a, b);
    default:
        return sqrtf(fmaf(a, a, b * b));
    }
}

GF_REFERENCE(combine)
{
    const struct gf_combine_params p = gf_combine_params_get(params);
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                bool copied = gf_reference_is_alpha(out->view.channels, c) && p.alpha != GF_ALPHA_STRAIGHT;
                gf_reference_write(
                    out, y, x, c,
                    copied ? gf_reference_copied_alpha(&in[0], y, x, out->view.dtype)
                           : combined(&p, gf_reference_read(&in[0], y, x, c), gf_reference_read(&in[1], y, x, c)));
            }
    return GF_OK;
}

/* map, docs/numerics.md, "map". */

static float power(float v, float gamma)
{
    if (isnan(v) || v == INFINITY)
        return v;
    if (v <= 0.0f)
        return 0.0f;
    return (float)gf_reference_exp2(fmin(fmax((double)gamma * gf_reference_log2((double)v), -1000.0), 1000.0));
}

static float mapped(const struct gf_map_params *p, float x, uint32_t from, uint32_t to)
{
    float v = fmaf(x, p->scale, p->offset);
    bool full = p->range == GF_RANGE_FULL;
    if (p->gamma != 1.0f && gf_dtype_kind(from) == GF_KIND_FLOAT)
        v = power(v, p->gamma);
    return full ? gf_reference_full_range(v, from, to) : v;
}

/* Whole samples to a power: exact up to the store, here in long double. */
static float mapped_whole(const struct gf_map_params *p, float x, uint32_t from, uint32_t to)
{
    long double max = (long double)gf_reference_max(from), v = (long double)fmaf(x, p->scale, p->offset);
    long double q = v > 0.0L ? max * powl(v / max, (long double)p->gamma) : 0.0L;
    bool to_float = gf_dtype_kind(to) == GF_KIND_FLOAT;
    if (p->range == GF_RANGE_FULL && from != to)
        q = to_float ? q / max : from == GF_U8 ? q * 257.0L : q / 257.0L;
    return to_float ? (float)q : (float)rintl(fminl(q, 65536.0L));
}

GF_REFERENCE(map)
{
    const struct gf_map_params p = gf_map_params_get(params);
    uint32_t from = in[0].view.dtype, to = out->view.dtype;
    bool whole = p.gamma != 1.0f && gf_dtype_kind(from) != GF_KIND_FLOAT;
    (void)op, (void)err;
    for (int64_t y = 0; y < (int64_t)out->view.height; y++)
        for (int64_t x = 0; x < (int64_t)out->view.width; x++)
            for (uint32_t c = 0; c < out->view.channels; c++) {
                float v = gf_reference_read(&in[0], y, x, c);
                if (gf_reference_is_alpha(out->view.channels, c) && p.alpha != GF_ALPHA_STRAIGHT)
                    v = gf_reference_copied_alpha(&in[0], y, x, to);
                else if (in[1].data != NULL)
                    v = gf_reference_read(&in[1], 0, (int64_t)(v - gf_reference_min(from)), 0);
                else
                    v = whole ? mapped_whole(&p, v, from, to) : mapped(&p, v, from, to);
                gf_reference_write(out, y, x, c, v);
            }
    return GF_OK;
}

/* expr, docs/numerics.md, "Expressions". */

static bool is_sample(uint32_t dtype)
{
    return (GF_DT_SAMPLES & GF_DT(dtype)) != 0;
}

/* The first input that has as many channels as any: alpha is its. */
static const struct gf_reference_buf *with_alpha(const struct gf_reference_buf *in, uint32_t n_inputs)
{
    const struct gf_reference_buf *most = in;
    for (uint32_t i = 1; i < n_inputs; i++)
        if (in[i].view.channels > most->view.channels)
            most = &in[i];
    return most;
}

/* Alpha of an input, where it is copied: by its share of the maximum between pictures, else by its value. */
static void copy_alpha(const struct gf_reference_buf *a, const struct gf_reference_buf *out, uint64_t y, uint64_t x,
                       uint32_t c)
{
    if (is_sample(a->view.dtype) && is_sample(out->view.dtype))
        gf_reference_write(out, (int64_t)y, (int64_t)x, c,
                           gf_reference_copied_alpha(a, (int64_t)y, (int64_t)x, out->view.dtype));
    else
        gf_reference_typed_store(out, y, x, c, gf_reference_typed_at(a, y, x, a->view.channels - 1));
}

/* All channels of a pixel; `alpha` is where alpha is copied from, or NULL. */
static enum gf_status pixel(const struct gf_expr *expr, const struct gf_reference_buf *alpha,
                            struct gf_reference_place *place, const struct gf_reference_buf *out, struct gf_error *err)
{
    struct gf_reference_typed values[GF_EXPR_MAX_NODES];
    for (uint32_t c = 0; c < out->view.channels; c++) {
        place->channel = c;
        if (alpha && gf_reference_is_alpha(out->view.channels, c)) {
            copy_alpha(alpha, out, place->y, place->x, c);
            continue;
        }
        enum gf_status status = gf_reference_expr_nodes(expr, place, values, err);
        if (status != GF_OK)
            return status;
        gf_reference_typed_store(out, place->y, place->x, c, values[expr->results[expr->pixels ? c : 0]]);
    }
    return GF_OK;
}

GF_REFERENCE(expr)
{
    struct gf_view views[GF_MAX_INPUTS] = {{0}};
    struct gf_expr expr;
    for (uint32_t i = 0; i < op->n_inputs; i++)
        views[i] = in[i].view;
    enum gf_status status = gf_expr_of_step(views, params, &expr, err);
    if (status != GF_OK)
        return status;
    struct gf_reference_place place = {.in = in, .width = out->view.width, .height = out->view.height};
    bool copies = !expr.pixels && gf_expr_params_get(params).alpha != GF_ALPHA_STRAIGHT;
    const struct gf_reference_buf *alpha = copies ? with_alpha(in, op->n_inputs) : NULL;
    for (place.y = 0; place.y < place.height; place.y++)
        for (place.x = 0; place.x < place.width; place.x++) {
            status = pixel(&expr, alpha, &place, out, err);
            if (status != GF_OK)
                return status;
        }
    return GF_OK;
}
