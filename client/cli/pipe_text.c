/* SPDX-License-Identifier: MIT */
/* Reads the text of a pipe without judging it; called by cmd_pipe.c. */
#include "pipe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base.h"
#include "protocol/enums.h"
#include "protocol/op_codec.h"
#include "table.h"

#define BLANKS " \t\r\n"
#define MAX_NAME 40

/* Copies a word and returns what stands behind it. */
static const char *read_word(const char *at, char name[MAX_NAME])
{
    size_t n = strcspn(at, BLANKS "|='\"");
    snprintf(name, MAX_NAME, "%.*s", (int)(n < MAX_NAME ? n : MAX_NAME - 1), at);
    return at + n;
}

/* A value with or without quotes; NULL where the text ends within it or there is no memory. */
static const char *read_value(const char *at, char **ret_value)
{
    char quote = *at == '\'' || *at == '"' ? *at : '\0';
    const char *begin = at + (quote != '\0');
    const char *end = quote ? strchr(begin, quote) : begin + strcspn(begin, BLANKS "|");
    *ret_value = end ? strndup(begin, (size_t)(end - begin)) : NULL;
    return *ret_value ? end + (quote != '\0') : NULL;
}

/* The pairs of a step; returns the bar or the end behind it, NULL where the text is wrong. */
static const char *read_pairs(const char *at, struct gf_pipe_step *step)
{
    for (at += strspn(at, BLANKS); *at && *at != '|'; at += strspn(at, BLANKS)) {
        gf_cleanup(gf_freep) char *value = NULL;
        char name[MAX_NAME];
        struct gf_error err;
        at = read_word(at, name);
        if (*at != '=')
            return NULL;
        at = read_value(at + 1, &value);
        if (!at)
            return NULL;
        const struct gf_param_desc *param = gf_op_param(step->op, name);
        if (param)
            (void)gf_op_param_parse(step->op, param, value, &step->params, &err);
    }
    return at;
}

uint32_t gf_pipe_text_read(const char *text, struct gf_pipe_step steps[GF_MAX_STEPS])
{
    uint32_t n = 0;
    const char *at = text;
    while (at && n < GF_MAX_STEPS) {
        char name[MAX_NAME];
        at = read_word(at + strspn(at, BLANKS), name);
        steps[n].op = gf_op_by_word(name);
        if (!steps[n].op)
            return n;
        gf_op_params_default(steps[n].op, &steps[n].params);
        at = read_pairs(at, &steps[n++]);
        at = at && *at == '|' ? at + 1 : NULL;
    }
    return n;
}

/* What a step gives of what it takes. */
static uint32_t dtype_out(const struct gf_pipe_step *step, uint32_t in)
{
    const struct gf_param_desc *param = gf_op_param(step->op, "dtype");
    uint32_t asked = GF_DTYPE_SAME, rule = step->op->outputs[0].dtype;
    if (gf_op_is_table(step->op) || rule == GF_RULE_SAME_DTYPE)
        return in;
    if (rule == GF_RULE_OWN)
        return 0;
    if (param)
        memcpy(&asked, (const char *)&step->params + param->offset, sizeof(asked));
    if (asked != GF_DTYPE_SAME)
        return asked;
    return rule == GF_RULE_PARAM_DTYPE_F32 ? (uint32_t)GF_F32 : in;
}

uint32_t gf_pipe_dtype_into(const struct gf_pipe_step *steps, uint32_t step, uint32_t dtype)
{
    for (uint32_t i = 0; i < step; i++)
        dtype = dtype_out(&steps[i], dtype);
    return dtype;
}
