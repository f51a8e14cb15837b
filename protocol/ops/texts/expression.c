/* SPDX-License-Identifier: MIT */
/* The expression of a step of op expr; see expression.h. */
#include "expression.h"

#include "protocol/ops/params/expr.h"

bool gf_expr_is_large(const struct gf_view *in)
{
    const uint64_t most = GF_EXPR_EXACT_F32;
    return in->width > most || in->height > most;
}

uint32_t gf_expr_channels(const struct gf_view *in)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++)
        most = in[i].channels > most ? in[i].channels : most;
    return most;
}

uint32_t gf_expr_alpha_input(const struct gf_view *in)
{
    uint32_t channels = gf_expr_channels(in), i = 0;
    while (in[i].channels != channels)
        i++;
    return i;
}

struct gf_expr_scope gf_expr_scope_of(const struct gf_view *in, const union gf_params *params)
{
    const struct gf_expr_params p = gf_expr_params_get(params);
    struct gf_expr_scope scope = {.what = "expr: expression",
                                  .place = true,
                                  .large = gf_expr_is_large(in),
                                  .params = p.set.chars,
                                  .params_size = p.set.size};
    for (uint32_t i = 0; i < GF_EXPR_MAX_INPUTS; i++) {
        scope.dtypes[i] = in[i].dtype;
        scope.channels[i] = in[i].channels;
    }
    return scope;
}

enum gf_status gf_expr_of_step(const struct gf_view *in, const union gf_params *params, struct gf_expr *ret_expr,
                               struct gf_error *err)
{
    const struct gf_text text = gf_expr_params_get(params).expression;
    if (text.nodes != NULL) {
        gf_expr_copy(ret_expr, text.nodes);
        return GF_OK;
    }
    const struct gf_expr_scope scope = gf_expr_scope_of(in, params);
    return gf_expr_parse(text.chars, text.size, &scope, ret_expr, err);
}

enum gf_status gf_step_expr(const struct gf_step *step, const struct gf_view *in, bool alpha, struct gf_expr *ret_expr,
                            struct gf_error *err)
{
    if (step->nodes != NULL) {
        gf_expr_copy(ret_expr, step->nodes);
        return GF_OK;
    }
    return alpha ? gf_expr_with_alpha(in, &step->params, ret_expr, err)
                 : gf_expr_of_step(in, &step->params, ret_expr, err);
}
