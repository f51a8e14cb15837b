/* SPDX-License-Identifier: MIT */
/* Compiles the programs of an operator; see operator.h. */
#include "operator.h"

#include "protocol/ops/texts/operator.h"

/* The identity consists of literals only and is folded. */
static enum gf_status compile_identity(const struct gf_operator *from, const struct gf_view *in,
                                       struct gf_operator_programs *ret, struct gf_error *err)
{
    struct gf_expr_program program;
    enum gf_status status = gf_expr_compile_state(&from->identity, in->width, in->height, &program, err);
    for (uint32_t i = 0; i < from->n_state && status == GF_OK; i++)
        ret->identity[i] = program.constants[program.results[i] - GF_EXPR_FIRST_CONSTANT];
    return status;
}

enum gf_status gf_operator_compile(const struct gf_step *step, const struct gf_view *in,
                                   struct gf_operator_programs *ret, struct gf_error *err)
{
    struct gf_operator from;
    enum gf_status status = gf_operator_of_step(step->op, in, &step->params, &from, err);
    if (status != GF_OK)
        return status;
    *ret = (struct gf_operator_programs){.n_state = from.n_state, .pixels = from.pixels};
    for (uint32_t i = 0; i < from.n_state; i++)
        ret->machines[i] = (uint8_t)gf_expr_state_machine(from.types[i]);
    status = gf_expr_compile_state(&from.lift, in->width, in->height, &ret->lift, err);
    if (status == GF_OK)
        status = gf_expr_compile_state(&from.combine, in->width, in->height, &ret->combine, err);
    if (status == GF_OK)
        status = gf_expr_compile_state(&from.finish, in->width, in->height, &ret->finish, err);
    return status == GF_OK && from.identity.n_results > 0 ? compile_identity(&from, in, ret, err) : status;
}
