/* SPDX-License-Identifier: MIT */
/* Parses lines of cases/<family>.csv to cases, and says what a case costs. Called by the runner, and by random.c, which
 * draws such lines and keeps them cheap. */
#include "case.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/erode.h"
#include "protocol/ops/params/expr.h"
#include "protocol/ops/program.h"
#include "protocol/ops/texts/operator.h"

/* FNV-1a: equal texts have equal data, wherever they stand. */
static uint64_t text_hash(const char *text)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001B3u;
    return h;
}

/* The next word of a text; NULL at the end. Blanks in double quotes belong to the word, the quotes do not. */
static char *next_word(char **rest)
{
    char *from = *rest + strspn(*rest, " "), *word = from, *to = from;
    bool quoted = false;
    for (; *from != '\0' && (quoted || *from != ' '); from++) {
        if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *rest = *from == '\0' ? from : from + 1;
    *to = '\0';
    return from == word ? NULL : word;
}

static enum gf_status parse_params(const struct gf_op *op, char *text, union gf_params *ret, struct gf_error *err)
{
    gf_op_params_default(op, ret);
    for (char *word = next_word(&text); word != NULL; word = next_word(&text)) {
        char *value = strchr(word, '=');
        if (value == NULL)
            return gf_error_set(err, GF_E_BAD_ARGUMENT, "'%s' is not name=value", word);
        *value++ = '\0';
        const struct gf_param_desc *param = gf_op_param(op, word);
        if (param == NULL)
            return gf_error_set(err, GF_E_UNKNOWN_PARAM, "%s has no parameter '%s'", op->name, word);
        enum gf_status status = gf_op_param_parse(op, param, value, ret, err);
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

uint32_t gf_case_dtype(const struct gf_input_desc *input, uint32_t dtype)
{
    return (input->dtypes & GF_DT(dtype)) != 0 ? dtype : (uint32_t)__builtin_ctz(input->dtypes);
}

void gf_case_step_copy(const struct gf_case_step *from, struct gf_case_step *ret)
{
    *ret = *from;
    for (uint32_t i = 0; i < from->op->n_params; i++) {
        const struct gf_param_desc *param = &from->op->params[i];
        const void *chars;
        uint32_t size = gf_op_param_get(param, &from->params, &chars);
        if (param->kind == GF_PARAM_TEXT && size > 0)
            (void)gf_op_param_set(from->op, param, ret->words + ((const char *)chars - from->words), size, &ret->params,
                                  NULL);
    }
}

static enum gf_status parse_input(const struct gf_input_desc *input, const char *text, const struct gf_case *c,
                                  struct gf_case_input *ret, struct gf_error *err)
{
    bool mask = input->kind == GF_INPUT_COEFS;
    uint64_t width, height;
    uint32_t channels = 1;
    char dtype[8] = "";
    if (strcmp(text, "-") == 0 && input->optional)
        return GF_OK;
    if (strcmp(text, "-") == 0 && !mask) {
        ret->view = gf_view_tight(gf_case_dtype(input, c->src.dtype), c->src.width, c->src.height, c->src.channels);
        memcpy(ret->kind, c->data_kind, sizeof(ret->kind));
        return GF_OK;
    }
    if (sscanf(text, "%" SCNu64 "x%" SCNu64 ":%15[^:]:%7s", &width, &height, ret->kind, dtype) < 3 &&
        (mask || sscanf(text, "%" SCNu64 "x%" SCNu64 "x%" SCNu32 ":%15[^:]:%7s", &width, &height, &channels, ret->kind,
                        dtype) < 4))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "input '%s' is not WxH:kind or WxHxC:kind:dtype", text);
    uint32_t number = dtype[0] != '\0' ? gf_dtype_from_word(dtype) : gf_case_dtype(input, c->src.dtype);
    ret->view = gf_view_tight(number, width, height, channels);
    return GF_OK;
}

static enum gf_status parse_inputs(const struct gf_op *op, char *text, const struct gf_case *c,
                                   struct gf_case_step *step, struct gf_error *err)
{
    char *rest = NULL;
    uint32_t n = 1;
    enum gf_status status = GF_OK;
    if (op->n_inputs == 1 && strcmp(text, "-") == 0)
        return GF_OK;
    for (char *word = strtok_r(text, "+", &rest); word != NULL && status == GF_OK; word = strtok_r(NULL, "+", &rest)) {
        if (n < op->n_inputs)
            status = parse_input(&op->inputs[n], word, c, &step->inputs[n], err);
        n++;
    }
    return status != GF_OK ? status : gf_program_count_inputs(op, 0, n, err);
}

enum gf_status gf_case_parse(const struct gf_op *op, const char *line, uint64_t seed, struct gf_case *ret_case,
                             struct gf_error *err)
{
    struct gf_case c = {.n_steps = 1, .steps[0] = {.op = op, .source = -1, .kept = true}};
    struct gf_case_step *step = &c.steps[0];
    char dtype[8], inputs[120];
    uint64_t width, height;
    uint32_t channels;
    int at = -1;
    int n = sscanf(line, "%7[^,],%" SCNu64 "x%" SCNu64 "x%" SCNu32 ",%119[^,],%" SCNu32 ",%15[^,],%n", dtype, &width,
                   &height, &channels, inputs, &c.pad, c.data_kind, &at);
    if (n < 7 || at < 0 || strlen(line + at) >= sizeof(step->words))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "'%s' is not dtype,WxHxC,inputs,pad,data,parameters", line);
    c.src = gf_view_tight(gf_dtype_from_word(dtype), width, height, channels);
    c.src.pitch += c.pad;
    snprintf(c.text, sizeof(c.text), "%s: %s", op->name, line);
    c.seed = seed + text_hash(c.text);

    enum gf_status status = parse_inputs(op, inputs, &c, step, err);
    if (status == GF_OK)
        status = parse_params(op, strcpy(step->words, line + at), &step->params, err);
    if (status != GF_OK)
        return status;
    struct gf_view in[GF_MAX_INPUTS] = {c.src};
    for (uint32_t i = 1; i < op->n_inputs; i++)
        in[i] = step->inputs[i].view;
    status = gf_op_infer(op, in, op->n_inputs, &step->params, step->out, err);
    if (status == GF_OK) {
        *ret_case = c;
        gf_case_step_copy(step, &ret_case->steps[0]);
    }
    return status;
}

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
