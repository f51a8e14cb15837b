/* SPDX-License-Identifier: MIT */
/* expr, docs/numerics.md, "Expressions". */
#include "protocol/ops/params/expr.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/texts/expression.h"
#include "reference_expr.h"
#include "reference_image.h"
#include "reference_ops.h"

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
    enum gf_status status = gf_expr_of_step(op, views, params, &expr, err);
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
