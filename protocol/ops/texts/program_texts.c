/* SPDX-License-Identifier: MIT */
/* The characters of a program's texts, which must outlive the buffer from which they were read; see program.h. */
#include <string.h>

#include "protocol/ops/program.h"

/* Parameter `i` of a step if it is a text, otherwise an empty text. */
static struct gf_text text_of(const struct gf_step *step, uint32_t i)
{
    struct gf_text text = {0};
    if (step->op->params[i].kind == GF_PARAM_TEXT)
        memcpy(&text, (const char *)&step->params + step->op->params[i].offset, sizeof text);
    return text;
}

uint64_t gf_program_texts_size(const struct gf_program *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->n_steps; i++)
        for (uint32_t k = 0; p->steps[i].op != NULL && k < p->steps[i].op->n_params; k++)
            sum += text_of(&p->steps[i], k).size;
    return sum;
}

void gf_program_texts_move(struct gf_program *p, char *room)
{
    for (uint32_t i = 0; i < p->n_steps; i++)
        for (uint32_t k = 0; k < p->steps[i].op->n_params; k++) {
            struct gf_text text = text_of(&p->steps[i], k);
            if (text.size == 0)
                continue;
            memcpy(room, text.chars, text.size);
            text.chars = room;
            memcpy((char *)&p->steps[i].params + p->steps[i].op->params[k].offset, &text, sizeof text);
            room += text.size;
        }
}
