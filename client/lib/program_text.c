/* SPDX-License-Identifier: MIT */
/* The operands of a program as text: the caller's, and matrices in the text. Called by run.c. */
#include "call.h"

#include <inttypes.h>

#include "protocol/ops/op_codec.h"
#include "text/reader.h"

#define MASK_CAPACITY ((size_t)GF_MAX_MASK_SIDE * GF_MAX_MASK_SIDE)

struct operands {
    struct gf_call *call;
    uint32_t n_given; /* operands of the caller */
    uint32_t next;    /* the first one not taken yet: for an input without a value */
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
    if (status == GF_OK && ret->from == GF_FROM_OPERAND && ret->index >= o->next)
        o->next = ret->index + 1u;
    return status;
}

enum gf_status gf_call_add_text(struct gf_call *c, const char *text, struct gf_error *err)
{
    struct operands o = {.call = c, .n_given = c->program.n_operands};
    const struct gf_text_data data = {.user = &o, .connect = connect};
    enum gf_status status = gf_text_read(text, &data, &c->program, err);
    if (status == GF_OK && o.next != o.n_given)
        return gf_error_set(err, GF_E_BAD_REQUEST, "the text takes %" PRIu32 " operands; %" PRIu32 " were given",
                            o.next, o.n_given);
    return status;
}
