/* SPDX-License-Identifier: MIT */
/* Options of an operation from its descriptor; called by op_call.c, op_help.c and the printed pages. */
#include "op_options.h"

#include <float.h>
#include <string.h>

#include "protocol/enums.h"
#include "protocol/op_codec.h"
#include "protocol/text.h"

const char *gf_op_option_name(const char *param, char *text, size_t size)
{
    snprintf(text, size, "%s", param);
    for (char *p = strchr(text, '_'); p; p = strchr(p, '_'))
        *p = '-';
    return text;
}

const char *gf_op_range_text(const struct gf_param_desc *param, char *text, size_t size)
{
    char lo[GF_NUMBER_TEXT], hi[GF_NUMBER_TEXT];
    if (param->kind == GF_PARAM_ENUM)
        return gf_enum_choices(param->e, text, size);
    if (param->kind != GF_PARAM_U32 && param->lo <= -(double)FLT_MAX && param->hi >= (double)FLT_MAX)
        snprintf(text, size, "any finite number");
    else if (param->kind == GF_PARAM_F32)
        snprintf(text, size, "%s..%s", gf_text_from_f32((float)param->lo, lo, sizeof(lo)),
                 gf_text_from_f32((float)param->hi, hi, sizeof(hi)));
    else
        snprintf(text, size, "%s..%s", gf_text_from_f64(param->lo, lo, sizeof(lo)),
                 gf_text_from_f64(param->hi, hi, sizeof(hi)));
    return text;
}

const char *gf_op_default_text(const struct gf_op *op, const struct gf_param_desc *param, char *text, size_t size)
{
    union gf_params params;
    gf_op_params_default(op, &params);
    return gf_op_param_text(param, &params, text, size);
}

/* "NUMBER", "NUMBER[,NUMBER]" for up to two, "NUMBER[,...]" for more. */
static void value_text(const struct gf_param_desc *param, char *text, size_t size)
{
    static const char *const words[] = {
        [GF_PARAM_U32] = "INTEGER", [GF_PARAM_F32] = "NUMBER", [GF_PARAM_F64] = "NUMBER", [GF_PARAM_ENUM] = "WORD"};
    const char *word = words[param->kind];
    snprintf(text, size, "%s", word);
    if (param->max == 2)
        gf_text_append(text, size, "[,%s]", word);
    else if (param->max > 2)
        gf_text_append(text, size, "[,...]");
}

/* "standard deviation in pixels, one or x,y; 0..2047 (2)"; the words of an enum stand on lines of their own. */
static void help_text(const struct gf_op *op, const struct gf_param_desc *param, char *text, size_t size)
{
    char range[64], def[64];
    snprintf(text, size, "%s", param->help);
    if (param->kind != GF_PARAM_ENUM)
        gf_text_append(text, size, "; %s", gf_op_range_text(param, range, sizeof(range)));
    gf_op_default_text(op, param, def, sizeof(def));
    if (def[0])
        gf_text_append(text, size, " (%s)", def);
}

void gf_op_options_init(const struct gf_op *op, struct gf_op_options *o)
{
    memset(o, 0, sizeof(*o));
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (op->inputs[i].kind == GF_INPUT_COEFS)
            o->rows[o->n++] = (struct gf_option){op->inputs[i].name, '\0', "ROWS",
                                                 "'1 2 1; 2 4 2; 1 2 1', or @FILE with a row per line", &o->inputs[i]};
    o->first_param = o->n;
    for (uint32_t i = 0; i < op->n_params; i++) {
        const struct gf_param_desc *param = &op->params[i];
        gf_op_option_name(param->name, o->names[i], sizeof(o->names[i]));
        value_text(param, o->values[i], sizeof(o->values[i]));
        help_text(op, param, o->helps[i], sizeof(o->helps[i]));
        o->rows[o->n++] = (struct gf_option){o->names[i], '\0', o->values[i], o->helps[i], &o->params[i]};
    }
    o->rows[o->n++] = (struct gf_option){"raw", '\0', "WxHxC:DTYPE",
                                         "IN holds bare samples of this shape: u8, u16 or f32, little-endian", &o->raw};
    o->rows[o->n++] = (struct gf_option){"format", '\0', "WORD", "format of OUT (by its extension)", &o->format};
}

const char *gf_op_example(const struct gf_op *op, const char *command, char *text, size_t size)
{
    char name[40], def[64];
    bool masks = false;
    snprintf(text, size, "%s", command);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (op->inputs[i].kind == GF_INPUT_COEFS) {
            gf_text_append(text, size, " --%s '1 2 1; 2 4 2; 1 2 1'", op->inputs[i].name);
            masks = true;
        }
    if (masks && gf_op_param(op, "normalize"))
        gf_text_append(text, size, " --normalize sum");
    else if (!masks && op->n_params > 0 && op->params[0].n_def > 0)
        gf_text_append(text, size, " --%s %s", gf_op_option_name(op->params[0].name, name, sizeof(name)),
                       gf_op_default_text(op, &op->params[0], def, sizeof(def)));
    gf_text_append(text, size, " in.png out.png");
    return text;
}
