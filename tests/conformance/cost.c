/* SPDX-License-Identifier: MIT */
/* What a case costs, so that the random ones stay small and a slow run can leave out more. Called by main.c, random.c.
 */
#include <math.h>
#include <string.h>

#include "case.h"
#include "protocol/ops/params/erode.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/texts/operator.h"

/* Samples that the reference reads for one of its results, as far as parameters and other inputs tell by their names.
 */
static double taps(const struct gf_case_step *step, const struct gf_view *first)
{
    const struct gf_param_desc *size = gf_op_param(step->op, "size"), *sigma = gf_op_param(step->op, "sigma"),
                               *truncate = gf_op_param(step->op, "truncate");
    const char *params = (const char *)&step->params;
    double n = 1.0;
    for (uint32_t i = 1; i < step->op->n_inputs; i++) {
        const struct gf_view *v = &step->inputs[i].view;
        bool mask = step->op->inputs[i].kind == GF_INPUT_COEFS || strcmp(step->op->inputs[i].name, "kernel") == 0;
        if (!gf_view_given(v))
            continue;
        if (step->op->inputs[i].kind == GF_INPUT_LIST)
            n += log2((double)v->width + 1.0);
        else if (mask || v->width != first->width || v->height != first->height)
            n *= (double)v->width * (double)v->height;
    }
    if (size != NULL && (step->op->work.kind == GF_WORK_BOX || step->op->work.kind == GF_WORK_WINDOW)) {
        struct gf_u32v v;
        memcpy(&v, params + size->offset, sizeof(v));
        n *= (double)GF_PICK(v, 0) * (double)GF_PICK(v, 1);
    }
    if (step->op->work.kind == GF_WORK_ELEMENT) {
        const struct gf_erode_params p = gf_erode_params_get(&step->params);
        n = gf_view_given(&step->inputs[1].view)
                ? n
                : (double)gf_element_side(step->op, &step->params, &step->inputs[1].view, 0) *
                      (double)gf_element_side(step->op, &step->params, &step->inputs[1].view, 1);
        n *= (double)p.iterations * step->op->work.weight;
    }
    if (step->op->work.kind == GF_WORK_EXPRESSION)
        n += gf_expr_params_get(&step->params).expression.size / 4.0;
    if (gf_operator_is_used(step->op, &step->params))
        n += gf_operator_characters(step->op, &step->params) / 4.0;
    if (step->op->work.kind == GF_WORK_DISC) {
        double side = 1.0 + 2.0 * gf_bilateral_radius(&step->params);
        n *= 4.0 * side * side;
    }
    if (step->op->scratch == GF_SCRATCH_ORDER) /* all are sorted */
        n += log2((double)gf_view_samples(first) + 1.0);
    if (sigma != NULL && sigma->vector && truncate != NULL) {
        uint64_t x = gf_separable_taps(step->op, &step->params, 0), y = gf_separable_taps(step->op, &step->params, 1);
        n += (double)(x - 1 + (y - 1));
    }
    return n;
}

double gf_case_cost(const struct gf_case *c)
{
    double cost = 0.0;
    for (uint32_t s = 0; s < c->n_steps; s++) {
        const struct gf_case_step *step = &c->steps[s];
        const struct gf_view *first = step->source < 0 ? &c->src : &c->steps[step->source].out[0];
        double samples = (double)gf_view_samples(first);
        for (uint32_t i = 0; i < step->op->n_outputs; i++)
            samples = fmax(samples, (double)gf_view_samples(&step->out[i]));
        cost += (taps(step, first) + 3.0) * samples;
    }
    return cost;
}
