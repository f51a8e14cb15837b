/* SPDX-License-Identifier: MIT */
/* Follows alpha through a program; see alpha.h. */
#include "alpha.h"

#include "enums.h"
#include "op_codec.h"

/* Whether what a step takes as a picture or an array has alpha. */
static bool takes_alpha(const struct gf_step *step, uint64_t operands, uint64_t made)
{
    bool found = false;
    for (uint32_t k = 0; k < step->op->n_inputs; k++) {
        const uint32_t kind = step->op->inputs[k].kind;
        const struct gf_ref ref = step->in[k];
        if (kind != GF_INPUT_IMAGE && kind != GF_INPUT_BUFFER)
            continue;
        if (ref.from == GF_FROM_OPERAND)
            found = found || (operands >> ref.index & 1) != 0;
        else if (ref.from == GF_FROM_STEP && ref.output == 0)
            found = found || (made >> ref.index & 1) != 0;
    }
    return found;
}

/* Whether the last channel of an operation's first result means what the last channel of its input means. */
static bool passes_alpha(const struct gf_op *op)
{
    const uint32_t shape = op->outputs[0].shape;
    return shape != GF_SHAPE_TABLE && shape != GF_SHAPE_COUNTED && op->index != GF_INDEX_matrix &&
           op->index != GF_INDEX_merge;
}

uint64_t gf_program_settle_alpha(struct gf_program *p, uint64_t operands, uint64_t open)
{
    uint64_t made = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        struct gf_step *step = &p->steps[i];
        const bool has = takes_alpha(step, operands, made);
        if ((open >> i & 1) != 0)
            gf_op_param_set_word(step->op, GF_ENUM_ALPHA, has ? GF_ALPHA_AUTO : GF_ALPHA_STRAIGHT, &step->params);
        if (has && passes_alpha(step->op))
            made |= UINT64_C(1) << i;
    }
    return made;
}
