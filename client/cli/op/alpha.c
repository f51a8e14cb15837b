/* SPDX-License-Identifier: MIT */
/* Which data of a pipe have alpha, and what its steps do about it; see pipe.h. */
#include "pipe.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"

static bool operand_has_alpha(const struct gf_pipe_operand *o)
{
    return gf_image_has_alpha(&o->image, o->view.channels);
}

/* Whether what a step takes as a picture or an array has alpha. */
static bool takes_alpha(const struct gf_pipe *p, const struct gf_step *step)
{
    bool found = false;
    for (uint32_t k = 0; k < step->op->n_inputs; k++) {
        uint32_t kind = step->op->inputs[k].kind;
        struct gf_ref ref = step->in[k];
        if (kind != GF_INPUT_IMAGE && kind != GF_INPUT_BUFFER)
            continue;
        if (ref.from == GF_FROM_OPERAND)
            found = found || operand_has_alpha(&p->operands[ref.index]);
        else if (ref.from == GF_FROM_STEP && ref.output == 0)
            found = found || (p->has_alpha >> ref.index & 1) != 0;
    }
    return found;
}

/* Whether the last channel of an operation's first result means what the last channel of its input means. */
static bool passes_alpha(const struct gf_op *op)
{
    uint32_t shape = op->outputs[0].shape;
    return shape != GF_SHAPE_TABLE && shape != GF_SHAPE_COUNTED && op->index != GF_INDEX_matrix &&
           op->index != GF_INDEX_merge;
}

void gf_pipe_settle_alpha(struct gf_pipe *p)
{
    p->has_alpha = 0;
    for (uint32_t i = 0; i < p->program.n_steps; i++) {
        struct gf_step *step = &p->program.steps[i];
        const bool has = takes_alpha(p, step);
        if ((p->open_alpha >> i & 1) != 0)
            gf_op_param_set_word(step->op, GF_ENUM_ALPHA, has ? GF_ALPHA_AUTO : GF_ALPHA_STRAIGHT, &step->params);
        if (has && passes_alpha(step->op))
            p->has_alpha |= UINT64_C(1) << i;
    }
}

bool gf_pipe_has_alpha(const struct gf_pipe *p, const struct gf_pipe_target *t)
{
    return t->output == 0 && (p->has_alpha >> t->step & 1) != 0;
}
