/* SPDX-License-Identifier: MIT */
#include "coverage.h"

#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"

/* Whether the case is one with another word of a parameter, too. */
static bool takes_word(const struct gf_case *c, const struct gf_param_desc *param, const struct gf_word *word)
{
    const struct gf_case_step *step = &c->steps[0];
    struct gf_view in[GF_MAX_INPUTS] = {c->src}, out[GF_MAX_OUTPUTS];
    union gf_params params = step->params;
    for (uint32_t i = 1; i < step->op->n_inputs; i++)
        in[i] = step->inputs[i].view;
    return gf_op_param_set(step->op, param, &word->number, sizeof(word->number), &params, NULL) == GF_OK &&
           gf_op_infer(step->op, in, step->op->n_inputs, &params, out, NULL) == GF_OK;
}

static void add_word(struct gf_coverage *coverage, const struct gf_case *c, uint32_t i)
{
    const struct gf_param_desc *param = &c->steps[0].op->params[i];
    const void *value;
    uint32_t number;
    (void)gf_op_param_get(param, &c->steps[0].params, &value);
    memcpy(&number, value, sizeof(number));
    coverage->words[i] |= 1u << number;
    for (uint32_t k = 0; k < gf_n_words; k++)
        if (gf_enum_is_choice(&gf_words[k], param->e, param->words) && takes_word(c, param, &gf_words[k]))
            coverage->possible[i] |= 1u << gf_words[k].number;
}

void gf_coverage_add(struct gf_coverage *coverage, const struct gf_case *c)
{
    const struct gf_case_step *step = &c->steps[0];
    coverage->dtypes[0] |= GF_DT(c->src.dtype);
    for (uint32_t i = 1; i < step->op->n_inputs; i++) {
        if (gf_view_given(&step->inputs[i].view))
            coverage->dtypes[i] |= GF_DT(step->inputs[i].view.dtype);
        else
            coverage->left_out[i] = true;
    }
    for (uint32_t i = 0; i < step->op->n_params; i++) {
        if (!gf_op_param_is_default(&step->op->params[i], &step->params))
            coverage->changed[i] = true;
        if (step->op->params[i].kind == GF_PARAM_ENUM)
            add_word(coverage, c, i);
    }
}

/* Names what is missing; returns false. */
static bool missing(const struct gf_op *op, const char *verb, const char *name, const char *value)
{
    printf("FAILED: no vector of %s %s %s%s%s: add a line to tests/conformance/vectors.csv\n", op->name, verb, name,
           value[0] == '\0' ? "" : " ", value);
    return false;
}

bool gf_coverage_complete(const struct gf_op *op, const struct gf_coverage *coverage)
{
    bool ok = true;
    for (uint32_t i = 0; i < op->n_inputs; i++) {
        for (uint32_t dtype = 1; gf_dtype_known(dtype); dtype++)
            if ((op->inputs[i].dtypes & ~coverage->dtypes[i] & GF_DT(dtype)) != 0)
                ok = missing(op, "has", op->inputs[i].name, gf_dtype_word(dtype));
        if (op->inputs[i].optional && !coverage->left_out[i])
            ok = missing(op, "leaves out", op->inputs[i].name, "");
    }
    for (uint32_t i = 0; i < op->n_params; i++) {
        const struct gf_param_desc *param = &op->params[i];
        for (uint32_t number = 0; number < 32; number++)
            if ((coverage->possible[i] & ~coverage->words[i] & 1u << number) != 0)
                ok = missing(op, "has", param->name, gf_enum_word(param->e, number));
        if (!coverage->changed[i])
            ok = missing(op, "changes", param->name, "");
    }
    return ok;
}
