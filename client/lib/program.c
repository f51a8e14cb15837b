/* SPDX-License-Identifier: MIT */
/* The steps of a call from text, or from the caller's structs, and their inputs: the caller's operands, and matrices in
 * the text. Called by call.c. */
#include "call.h"

#include <inttypes.h>

#include "params.h"
#include "protocol/ops/op_codec.h"
#include "text/reader.h"

#define MASK_CAPACITY ((size_t)GF_MAX_MASK_SIDE * GF_MAX_MASK_SIDE)

struct operands {
    struct gf_call *call;
    uint32_t n_given; /* operands of the caller */
    uint32_t next;    /* the first one behind all that are taken: for an input without a value */
    uint64_t taken;   /* operands that are inputs, a bit each */
};

/* A matrix becomes an operand of the call's own. */
static enum gf_status set_matrix(struct gf_call *c, const struct gf_text_value *value, struct gf_ref *ret,
                                 struct gf_error *err)
{
    const struct gf_op *op = gf_text_op(value);
    gf_cleanup(gf_freep) float *coefs = malloc(MASK_CAPACITY * sizeof(*coefs));
    if (coefs == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    struct gf_error why;
    uint32_t width = 0, height = 0, operand = c->program.n_operands;
    if (gf_mask_parse(value->text, coefs, MASK_CAPACITY, &width, &height, &why) != GF_OK)
        return gf_text_fail(value, why.status, err, "%s: %s", op->inputs[value->input].name, why.text);
    const gpufilter_view view = {
        .data = coefs, .width = width, .height = height, .dtype = GPUFILTER_F32, .channels = 1};
    enum gf_status status = gf_call_add_operand(c, &view, err);
    if (status != GF_OK)
        return status;
    c->coefs[operand] = gf_steal_ptr(&coefs);
    *ret = (struct gf_ref){.index = (uint16_t)operand};
    return GF_OK;
}

/* An input without a value takes the caller's next operand. */
static enum gf_status set_next(const struct operands *o, const struct gf_text_value *value, struct gf_ref *ret,
                               struct gf_error *err)
{
    const struct gf_op *op = gf_text_op(value);
    uint32_t operand = value->input == 0 ? 0 : o->next;
    if (operand >= o->n_given)
        return gf_text_fail(value, GF_E_BAD_REQUEST, err, "%s needs %s: give it by name or as operand %" PRIu32,
                            op->name, op->inputs[value->input].name, operand);
    *ret = (struct gf_ref){.index = (uint16_t)operand};
    return GF_OK;
}

static enum gf_status connect(void *user, const struct gf_text_value *value, struct gf_ref *ret, struct gf_error *err)
{
    struct operands *o = user;
    const struct gf_op *op = gf_text_op(value);
    const struct gf_input_desc *input = &op->inputs[value->input];
    if (value->text != NULL && !gf_text_is_ref(value->text))
        return input->kind == GF_INPUT_COEFS
                   ? set_matrix(o->call, value, ret, err)
                   : gf_text_fail(value, GF_E_BAD_REQUEST, err,
                                  "%s of %s is data, not text; @N names operand N, #N the result of step N",
                                  input->name, op->name);
    enum gf_status status =
        value->text != NULL ? gf_text_ref_read(value, o->n_given, ret, err) : set_next(o, value, ret, err);
    if (status != GF_OK || ret->from != GF_FROM_OPERAND)
        return status;
    o->taken |= UINT64_C(1) << ret->index;
    o->next = ret->index >= o->next ? ret->index + 1u : o->next;
    return GF_OK;
}

/* Every operand of the caller must be an input of a step. */
static enum gf_status check_taken(const struct operands *o, struct gf_error *err)
{
    for (uint32_t i = 0; i < o->n_given; i++)
        if ((o->taken >> i & 1) == 0)
            return gf_error_set(err, GF_E_BAD_REQUEST, "no step takes operand %" PRIu32 "; %" PRIu32 " were given", i,
                                o->n_given);
    return GF_OK;
}

enum gf_status gf_call_add_text(struct gf_call *c, const char *text, struct gf_error *err)
{
    struct operands o = {.call = c, .n_given = c->program.n_operands};
    const struct gf_text_data data = {.user = &o, .connect = connect, .ret_open_alpha = &c->open_alpha};
    enum gf_status status = gf_text_read(text, &data, &c->program, err);
    return status == GF_OK ? check_taken(&o, err) : status;
}

/* In a program, inputs come from operands and steps, and outputs go to results. */
static enum gf_status check_no_views(const void *params, uint32_t at, const struct gf_op *op, struct gf_error *err)
{
    const char *found = NULL, *prefix = "";
    char name[GF_STEP_TEXT];
    for (uint32_t i = op->n_required; i < op->n_inputs; i++)
        found = gf_params_input(op, params, i) != NULL ? op->inputs[i].name : found;
    for (uint32_t i = 1; i < op->n_outputs && found == NULL; i++)
        if (gf_params_output(op, params, i) != NULL) {
            found = op->outputs[i].name;
            prefix = "ret_";
        }
    return found == NULL ? GF_OK
                         : gf_error_set(err, GF_E_BAD_ARGUMENT,
                                        "%s: %s%s must be NULL in a program, whose operands and results have the views",
                                        gf_step_text(at, op, name, sizeof(name)), prefix, found);
}

/* Step n_steps of the program. */
static enum gf_status add_step(struct gf_call *c, const gpufilter_step *from, const struct gf_text_data *data,
                               struct gf_ref *flow, struct gf_error *err)
{
    const uint32_t at = c->program.n_steps;
    struct gf_step *step = &c->program.steps[at];
    struct gf_error why;
    char name[GF_STEP_TEXT];
    if (from->params == NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT,
                            "step %" PRIu32 ": params is NULL; it must be the struct of an operation", at + 1);
    enum gf_status status = gf_params_read(from->params, at, step, &c->open_alpha, err);
    if (status == GF_OK)
        status = check_no_views(from->params, at, step->op, err);
    if (status != GF_OK)
        return status;
    status = gf_text_read_inputs(from->inputs != NULL ? from->inputs : "", data, flow, &c->program, &why);
    return status == GF_OK
               ? GF_OK
               : gf_error_set(err, status, "%s: inputs: %s", gf_step_text(at, step->op, name, sizeof(name)), why.text);
}

enum gf_status gf_call_add_steps(struct gf_call *c, const gpufilter_step *steps, uint32_t n, struct gf_error *err)
{
    struct operands o = {.call = c, .n_given = c->program.n_operands};
    const struct gf_text_data data = {.user = &o, .connect = connect};
    struct gf_ref flow = {.from = GF_FROM_NOTHING};
    if (n == 0 || n > GF_MAX_STEPS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "program of %" PRIu32 " steps; allowed: 1..%u", n, GF_MAX_STEPS);
    if (steps == NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "steps is NULL, but n_steps=%" PRIu32, n);
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < n && status == GF_OK; i++)
        status = add_step(c, &steps[i], &data, &flow, err);
    return status == GF_OK ? check_taken(&o, err) : status;
}
