/* SPDX-License-Identifier: MIT */
/* The options of an operation, from its descriptor. Called by cmd_op.c, op_help.c and the generated pages. */
#include "op_options.h"

#include <string.h>

#include "client/cli/report/table.h"
#include "protocol/base/dtype.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"

const char *gf_op_option_name(const char *param, char *text, size_t size)
{
    snprintf(text, size, "%s", param);
    for (char *p = strchr(text, '_'); p; p = strchr(p, '_'))
        *p = '-';
    return text;
}

bool gf_op_param_is_flag(const struct gf_param_desc *param)
{
    return param->kind == GF_PARAM_U32 && param->max == 1 && param->lo == 0 && param->hi == 1;
}

/* "NUMBER", "NUMBER[,NUMBER]" for up to two, "NUMBER[,...]" for more. */
static void value_text(const struct gf_param_desc *param, char *text, size_t size)
{
    static const char *const words[] = {[GF_PARAM_U32] = "INTEGER",
                                        [GF_PARAM_F32] = "NUMBER",
                                        [GF_PARAM_F64] = "NUMBER",
                                        [GF_PARAM_ENUM] = "WORD",
                                        [GF_PARAM_TEXT] = "TEXT"};
    const char *word = gf_op_param_is_flag(param) ? GF_YES_NO : words[param->kind];
    snprintf(text, size, "%s", word);
    if (param->kind == GF_PARAM_TEXT)
        return;
    if (param->max == 2)
        gf_text_append(text, size, "[,%s]", word);
    else if (param->max > 2)
        gf_text_append(text, size, "[,...]");
}

/* "standard deviation in pixels, one or x,y; 0..2047 (2)". The words of an enum have lines of their own. A flag shows
 * the meaning of yes, which its descriptor gives after "1: ". */
static void help_text(const struct gf_op *op, const struct gf_param_desc *param, char *text, size_t size)
{
    char range[64], def[64];
    const char *help = gf_help_text(param->help);
    if (gf_op_param_is_flag(param)) {
        snprintf(text, size, "%s%s", help + (strncmp(help, "1: ", 3) == 0 ? 3 : 0), param->def != 0 ? " (yes)" : "");
        return;
    }
    snprintf(text, size, "%s", help);
    if (param->kind != GF_PARAM_ENUM)
        gf_text_append(text, size, "; %s", gf_op_range_text(param, range, sizeof(range)));
    gf_op_default_text(op, param, def, sizeof(def));
    if (param->kind == GF_PARAM_ENUM && param->e == GF_ENUM_ALPHA)
        snprintf(def, sizeof(def), "auto if the file says so, otherwise straight");
    if (def[0])
        gf_text_append(text, size, " (%s)", def);
}

static void add_file_options(const struct gf_op *op, struct gf_op_options *o)
{
    static const char *const outputs[GF_MAX_OUTPUTS] = {"write output 0 to a file", "write output 1 to a file",
                                                        "write output 2 to a file", "write output 3 to a file"};
    o->first_file = o->n;
    o->rows[o->n++] = (struct gf_option){"raw", '\0', "WxHxC:DTYPE",
                                         "IN holds bare samples of this shape and type, little-endian", &o->raw};
    o->rows[o->n++] =
        (struct gf_option){"in-dtype", '\0', "DTYPE", "IN holds numbers of this type as text", &o->in_dtype};
    o->rows[o->n++] =
        (struct gf_option){gf_op_param(op, "output") ? "output-file" : "output", 'o', "FILE",
                           gf_op_is_table(op)   ? outputs[0]
                           : gf_op_is_batch(op) ? "write to this file, into DIR/, or to 'dir/{stem}.new{ext}'"
                                                : "write to this file instead of OUT",
                           &o->output};
    gf_batch_name_rows(&o->names_how, &o->rows[o->n]);
    o->n += GF_BATCH_NAME_OPTIONS - gf_op_is_table(op); /* a table cannot replace IN */
    if (gf_op_is_batch(op)) {
        gf_batch_option_rows(&o->batch, &o->rows[o->n]);
        o->n += GF_BATCH_OPTIONS;
    }
    for (uint32_t i = 1; i < op->n_outputs; i++)
        if (op->outputs[i].shape != GF_SHAPE_TABLE)
            o->rows[o->n++] = (struct gf_option){op->outputs[i].name, '\0', "FILE", outputs[i], &o->lists[i]};
    if (op->index == GF_INDEX_resize) {
        o->rows[o->n++] = (struct gf_option){
            "shrink-on-load", '\0', GF_YES_NO,
            "read JPEG at 1/2, 1/4 or 1/8 where the result is less than half of that (yes)", &o->shrink};
        o->rows[o->n++] = (struct gf_option){"only-shrink", '\0', GF_YES_NO,
                                             "leave a picture that fits into --fit at its size", &o->only_shrink};
    }
    if (gf_op_is_histogram(op))
        o->rows[o->n++] = (struct gf_option){"plot", '\0', "FILE", "draw the histogram as .svg or .png", &o->plot};
    o->rows[o->n++] =
        (struct gf_option){"format", '\0', "WORD", "format of the file written (by its extension)", &o->format};
}

static struct gf_option input_option(const struct gf_op *op, uint32_t i, struct gf_op_options *o)
{
    const struct gf_input_desc *input = &op->inputs[i];
    if (input->kind == GF_INPUT_COEFS)
        return (struct gf_option){input->name, '\0', "ROWS", "'1 2 1; 2 4 2; 1 2 1', or @FILE with a row per line",
                                  &o->inputs[i]};
    bool list = input->kind == GF_INPUT_LIST;
    char set[GF_DTYPES_TEXT];
    snprintf(o->input_helps[i], sizeof(o->input_helps[i]), "%s: %s; %s", gf_help_text(input->help),
             gf_dtype_set_text(input->dtypes, set, sizeof(set)), list ? "0,4,10 or a file, .npy or text" : "a file");
    return (struct gf_option){input->name, '\0', list ? "NUMBERS|FILE" : "FILE", o->input_helps[i], &o->inputs[i]};
}

/* Whether the values of a repeated option are joined to one text, as for --set. */
static bool is_added_up(const struct gf_op *op, const struct gf_param_desc *param)
{
    return gf_op_takes_text(op) && param->kind == GF_PARAM_TEXT;
}

void gf_op_options_init(const struct gf_op *op, struct gf_op_options *o)
{
    memset(o, 0, sizeof(*o));
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (gf_op_input_is_option(op, i))
            o->rows[o->n++] = input_option(op, i, o);
    o->first_param = o->n;
    for (uint32_t i = 0; i < op->n_params; i++) {
        const struct gf_param_desc *param = &op->params[i];
        gf_op_option_name(param->name, o->names[i], sizeof(o->names[i]));
        value_text(param, o->values[i], sizeof(o->values[i]));
        help_text(op, param, o->helps[i], sizeof(o->helps[i]));
        o->rows[o->n++] = (struct gf_option){o->names[i], '\0', o->values[i], o->helps[i], &o->params[i]};
        for (size_t k = 0; k < GF_OP_REPEATS && i > 0 && is_added_up(op, param); k++) {
            o->rows[o->n] = o->rows[o->n - 1];
            o->rows[o->n++].ret = &o->more[k];
        }
    }
    add_file_options(op, o);
}

const struct gf_param_desc *gf_op_option_param(const struct gf_op *op, const struct gf_op_options *o, size_t row)
{
    for (uint32_t i = 0; i < op->n_params; i++)
        if (o->rows[row].ret == &o->params[i])
            return &op->params[i];
    return NULL;
}

size_t gf_op_operands(const struct gf_op *op, const char *ret_names[GF_MAX_INPUTS + 1], char *text, size_t size)
{
    static const char *const words[GF_MAX_INPUTS] = {"IN", "IN2", "IN3", "IN4", "IN5", "IN6", "IN7", "IN8"};
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (!gf_op_input_is_option(op, i)) {
            gf_text_append(text, size, op->inputs[i].optional ? "%s[%s]" : "%s%s", n > 0 ? " " : "", words[n]);
            ret_names[n] = words[n];
            n++;
        }
    if (!gf_op_is_table(op)) {
        uint32_t tables[GF_MAX_OUTPUTS]; /* tables are printed, and may be the only result */
        ret_names[n] = gf_op_tables(op, tables) > 0 ? "[OUT]" : "OUT";
        gf_text_append(text, size, "%s%s", n > 0 ? " " : "", ret_names[n]);
        n++;
    }
    return n;
}

bool gf_op_takes_text(const struct gf_op *op)
{
    return op->n_params > 0 && op->params[0].kind == GF_PARAM_TEXT;
}

bool gf_op_input_is_option(const struct gf_op *op, uint32_t input)
{
    return gf_input_is_copied(&op->inputs[input]) || (gf_op_takes_text(op) && op->inputs[input].optional);
}

bool gf_op_is_batch(const struct gf_op *op)
{
    size_t n = 0;
    for (uint32_t i = 0; i < op->n_inputs; i++)
        n += !gf_op_input_is_option(op, i);
    return n == 1;
}

bool gf_op_is_histogram(const struct gf_op *op)
{
    return op->n_outputs == 3 && strcmp(op->outputs[0].name, "counts") == 0 &&
           strcmp(op->outputs[2].name, "edges") == 0;
}
