/* SPDX-License-Identifier: MIT */
/* docs/operations.md, made from the op table. Called by cmd_ops.c. */
#include <ctype.h>

#include "client/cli/op/op_options.h"
#include "docgen.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"

static const char *const input_kinds[] = {
    [GF_INPUT_IMAGE] = "picture of 1 to 4 channels",
    [GF_INPUT_COEFS] = "matrix of coefficients, sides 1 to 255",
    [GF_INPUT_BUFFER] = "picture or array of 1 to 4 channels",
    [GF_INPUT_LIST] = "row of numbers",
    [GF_INPUT_MATRIX] = "array of one channel",
};

static const char *const param_kinds[] = {
    [GF_PARAM_U32] = "u32",   [GF_PARAM_F32] = "f32",   [GF_PARAM_F64] = "f64",
    [GF_PARAM_ENUM] = "word", [GF_PARAM_TEXT] = "text",
};

static void print_param(const struct gf_op *op, const struct gf_param_desc *param)
{
    char range[160], def[64];
    printf("| %u | `%s` | %s", param->id, param->name, param_kinds[param->kind]);
    if (param->max > 1 && param->kind != GF_PARAM_TEXT)
        printf(", up to %u", param->max);
    if (param->kind == GF_PARAM_ENUM)
        printf(" | [%s](#%s)%s%s", gf_enum_name(param->e), gf_enum_name(param->e), param->words ? ": " : "",
               param->words ? gf_op_range_text(param, range, sizeof(range)) : "");
    else
        printf(" | %s", gf_op_range_text(param, range, sizeof(range)));
    gf_op_default_text(op, param, def, sizeof(def));
    printf(" | %s | %s |\n", def[0] ? def : "not given", gf_help_text(param->help));
}

static void print_output(const struct gf_op *op, uint32_t i)
{
    const struct gf_output_desc *output = &op->outputs[i];
    printf("- output %u `%s`: %s", i, output->name, gf_help_text(output->help));
    if (output->shape < GF_SHAPE_OWN)
        printf("; the shape%s of `%s`", output->dtype == GF_RULE_SAME_DTYPE ? " and type" : "", op->inputs[0].name);
    if (output->shape == GF_SHAPE_FILTER)
        printf("; with `size=valid` smaller by the mask's sides minus one");
    if (output->shape == GF_SHAPE_CHANNELS)
        printf(" except for channels");
    if (output->shape == GF_SHAPE_BRIGHTNESS)
        printf("; with `channels=luma` one channel for its colours");
    if (output->shape == GF_SHAPE_TABLE && op->outputs[0].shape == GF_SHAPE_TABLE)
        printf("; in a pipe the next step takes what this one took");
    putchar('\n');
}

static void print_op(const struct gf_op *op)
{
    char set[GF_DTYPES_TEXT];
    printf("## %s\n\n%s. Operation 0x%04x.", op->name, gf_help_text(op->help), op->id);
    for (size_t i = 0; i < gf_n_aliases; i++)
        if (gf_op_by_name(gf_aliases[i].op) == op)
            printf(" The command `%s` is the same.", gf_aliases[i].name);
    printf("\n\n    " GF_CLI_NAME " %s %s\n\n", op->name, gf_help_text(op->example));
    for (uint32_t i = 0; i < op->n_inputs; i++)
        printf("- input %u `%s`: %s; %s, %s%s\n", i, op->inputs[i].name, gf_help_text(op->inputs[i].help),
               input_kinds[op->inputs[i].kind], gf_dtype_set_text(op->inputs[i].dtypes, set, sizeof(set)),
               op->inputs[i].optional ? "; may be left out" : "");
    for (uint32_t i = 0; i < op->n_outputs; i++)
        print_output(op, i);
    puts("\n| id | parameter | type | range | default | |\n| --- | --- | --- | --- | --- | --- |");
    for (uint32_t i = 0; i < op->n_params; i++)
        print_param(op, &op->params[i]);
    putchar('\n');
}

static void print_enum(uint32_t e)
{
    const char *help = gf_enum_help(e);
    printf("## %s\n\n%c%s.\n\n| number | word | | other names |\n| --- | --- | --- | --- |\n", gf_enum_name(e),
           toupper((unsigned char)help[0]), help + 1);
    for (size_t i = 0; i < gf_n_words; i++) {
        if (gf_words[i].e != e || gf_words[i].is_alias)
            continue;
        printf("| %u | `%s` | ", gf_words[i].number, gf_words[i].word);
        for (const char *p = gf_word_help(&gf_words[i]); *p; p++) {
            if (*p == '|')
                putchar('\\');
            putchar(*p);
        }
        printf(" | ");
        bool first = true;
        for (size_t k = 0; k < gf_n_words; k++)
            if (gf_words[k].e == e && gf_words[k].is_alias && gf_words[k].number == gf_words[i].number) {
                printf("%s`%s`", first ? "" : ", ", gf_words[k].word);
                first = false;
            }
        puts(" |");
    }
    putchar('\n');
}

void gf_page_markdown(void)
{
    puts(
        "<!-- Printed by `gpufilter-client ops --markdown` from the tables in protocol/; do not edit. -->\n"
        "# Operations\n\n"
        "The inputs, outputs and parameters of each operation. An absent parameter takes its default; a default never\n"
        "changes. The formulas, to the bit, are in [numerics.md](numerics.md), the bytes on the wire in\n"
        "[protocol.md](protocol.md).\n"
        "On the command line a parameter is an option of the same name with `-` for `_`, `--border-value 0`, or a "
        "word\n"
        "as in pipes, `border_value=0`; a file of that name is given as `./border_value=0`. Several values are\n"
        "separated by `,` or `x`, a mask is given row by row: `--mask '1 2 1; 2 4 2; 1 2 1'`, or `--mask @file` with\n"
        "one row per line. A parameter that is 0 or 1 is a flag: `--reverse`, `--no-reverse` or `--reverse=1`.\n");
    for (size_t i = 0; i < GF_N_OPS; i++)
        print_op(&gf_ops[i]);
    puts("# Words\n\nThe words of parameters that take one. A name with a prefix is the name in another tool; names\n"
         "without a prefix differ between tools and are not accepted.\n");
    for (uint32_t e = GF_ENUM_NONE + 1; e < GF_N_ENUMS; e++)
        print_enum(e);
}
