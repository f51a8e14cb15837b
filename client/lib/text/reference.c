/* SPDX-License-Identifier: MIT */
/* Parses references to operands and to earlier steps. Called by program_text.c and by the command. */
#include "reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/text.h"

#define MAX_REF 64 /* longer than any valid reference */

bool gf_text_is_ref(const char *text)
{
    return text[0] == '@' || text[0] == '#';
}

static enum gf_status operand(uint32_t number, uint32_t n_operands, struct gf_ref *ret, struct gf_error *err)
{
    if (number >= n_operands)
        return gf_error_set(err, GF_E_BAD_REQUEST, "there is no operand %" PRIu32 "; %" PRIu32 " were given", number,
                            n_operands);
    *ret = (struct gf_ref){.index = (uint16_t)number};
    return GF_OK;
}

static enum gf_status output(const struct gf_program *p, uint32_t step, const char *name, struct gf_ref *ret,
                             struct gf_error *err)
{
    const struct gf_op *op = p->steps[step].op;
    char names[128] = "", from[GF_STEP_TEXT];
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        if (strcmp(name, op->outputs[i].name) == 0) {
            *ret = (struct gf_ref){.from = GF_FROM_STEP, .output = (uint8_t)i, .index = (uint16_t)step};
            return GF_OK;
        }
        gf_text_choice(names, sizeof(names), i, op->n_outputs, op->outputs[i].name);
    }
    return gf_error_set(err, GF_E_BAD_REQUEST, "%s has no output %s; it has %s",
                        gf_step_text(step, op, from, sizeof(from)), name, names);
}

static enum gf_status read_ref(const struct gf_program *p, uint32_t n_operands, const char *text, struct gf_ref *ret,
                               struct gf_error *err)
{
    char ref[MAX_REF], name[MAX_REF] = "";
    unsigned number = 0;
    int end = 0;
    snprintf(ref, sizeof(ref), "%s", text);
    bool is_number = strspn(ref + 1, "0123456789") > 0 && strspn(ref + 1, "0123456789") < 6;
    if (is_number)
        sscanf(ref + 1, "%u%n", &number, &end);
    if (ref[0] == '#' && is_number && ref[1 + end] == '.')
        snprintf(name, sizeof(name), "%s", ref + 1 + end + 1);
    if (!is_number || (ref[1 + end] != '\0' && name[0] == '\0'))
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s is not a reference; @N names operand N, #N the result of step N",
                            ref);
    if (ref[0] == '@')
        return operand(number, n_operands, ret, err);
    if (number > p->n_steps)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "step %" PRIu32 " refers to step %u; it may refer to earlier ones, and #0 is operand 0",
                            p->n_steps + 1, number);
    if (number == 0 && name[0] == '\0')
        return operand(0, n_operands, ret, err);
    if (number == 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "#0 is operand 0 and has no %s", name);
    if (name[0] != '\0')
        return output(p, number - 1, name, ret, err);
    *ret = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(number - 1)};
    return GF_OK;
}

enum gf_status gf_text_ref_read(const struct gf_text_value *value, uint32_t n_operands, struct gf_ref *ret,
                                struct gf_error *err)
{
    struct gf_error why;
    enum gf_status status = read_ref(value->program, n_operands, value->text, ret, &why);
    return status == GF_OK ? GF_OK : gf_text_fail(value, status, err, "%s", why.text);
}
