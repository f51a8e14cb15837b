/* SPDX-License-Identifier: MIT */
/* Output and checks of expr, docs/numerics.md, "Expressions". Called by gf_op_infer. */
#include <inttypes.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/texts/expression.h"

/* Inputs must have the sides of a, and either the largest number of channels or one channel. */
static enum gf_status check_inputs(const struct gf_op *op, const struct gf_view *in, struct gf_error *err)
{
    uint32_t channels = gf_expr_channels(in);
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        const char *name = op->inputs[i].name;
        if (!gf_view_given(&in[i]))
            continue;
        if (in[i].width != in->width || in[i].height != in->height)
            return gf_error_set(err, GF_E_BAD_VIEW,
                                "%s: %s is %" PRIu64 "x%" PRIu64 ", a is %" PRIu64 "x%" PRIu64 "; sides must be equal",
                                op->name, name, in[i].width, in[i].height, in->width, in->height);
        if (in[i].channels != channels && in[i].channels != 1)
            return gf_error_set(err, GF_E_BAD_VIEW,
                                "%s: %s has %" PRIu32 " channels, another input has %" PRIu32
                                "; allowed: as many, or 1",
                                op->name, name, in[i].channels, channels);
    }
    return GF_OK;
}

enum gf_status gf_outputs_expr(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                               struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_expr_params p = gf_expr_params_get(params);
    const struct gf_expr *nodes = p.expression.nodes; /* already checked, unless alpha adds to them */
    struct gf_expr expr;
    if (p.expression.size == 0)
        return gf_error_set(err, GF_E_BAD_PARAM,
                            "%s: expression is missing; give one, such as expression=\"clamp(a*1.2, 0, 255)\"",
                            op->name);
    if (p.alpha == GF_ALPHA_PREMULTIPLIED)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: alpha=premultiplied has no meaning where pixels are not mixed; allowed: auto, straight "
            "or ignore",
            op->name);
    enum gf_status status = check_inputs(op, in, err);
    if (status == GF_OK && (nodes == NULL || gf_copies_alpha(p.alpha, gf_expr_channels(in)))) {
        status = gf_expr_with_alpha(in, params, &expr, err);
        nodes = &expr;
    }
    if (status != GF_OK)
        return status;
    ret_out[0] = gf_view_tight(p.dtype == GF_DTYPE_SAME ? in->dtype : p.dtype, in->width, in->height,
                               nodes->pixels ? nodes->n_results : gf_expr_channels(in));
    return gf_view_check(&ret_out[0], "expr: dst", err);
}
