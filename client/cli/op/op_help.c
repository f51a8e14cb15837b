/* SPDX-License-Identifier: MIT */
/* The help of an operation, from its descriptor. Called by cmd_op.c. */
#include <string.h>

#include "client/cli/base/exit_code.h"
#include "client/cli/report/table.h"
#include "client/cli/stream/stream.h"
#include "op_options.h"
#include "protocol/base/dtype.h"
#include "protocol/ops/enums.h"
#include "store.h"

/* The operand that is a text. */
#define GF_OP_TEXT "'EXPRESSION' "
#define GF_OP_TEXT_ABOUT                                                                                               \
    "\n  EXPRESSION says what each sample becomes; " GF_CLI_NAME " help expressions has the language.\n"               \
    "  Other files have names: b=FILE is --b FILE. An expression that begins with - follows --.\n"                     \
    "  Comparisons give 0 and 1, which look black in a picture: write 'select(a > 100, 255, 0)'."

static void print_words(const struct gf_param_desc *param)
{
    for (size_t i = 0; i < gf_n_words; i++) {
        const char *help = gf_op_word_help(param, &gf_words[i]);
        if (help)
            printf("%28s%-14s %s\n", "", gf_words[i].word, help);
    }
}

static void print_files(const struct gf_op *op)
{
    char set[GF_DTYPES_TEXT];
    const char *names[GF_MAX_INPUTS + 1];
    char operands[64];
    size_t n = gf_op_operands(op, names, operands, sizeof(operands)), k = 0;
    for (uint32_t i = 0; i < op->n_inputs; i++)
        if (!gf_op_input_is_option(op, i))
            printf("  %-5s %s: %s, 1 to 4 channels\n", names[k++], gf_help_text(op->inputs[i].help),
                   gf_dtype_set_text(op->inputs[i].dtypes, set, sizeof(set)));
    if (k < n)
        printf("  OUT   %s: %s\n", gf_help_text(op->outputs[0].help), gf_image_format_words());
    uint32_t tables[GF_MAX_OUTPUTS], n_tables = gf_op_tables(op, tables);
    for (uint32_t i = 0; i < n_tables; i++)
        printf("  printed: %s: %s\n", op->outputs[tables[i]].name, gf_help_text(op->outputs[tables[i]].help));
}

int gf_op_help(const struct gf_cli *cli)
{
    const struct gf_op *op = cli->op;
    struct gf_op_options options;
    gf_op_options_init(op, &options);
    const char *names[GF_MAX_INPUTS + 1];
    char operands[64];
    gf_op_operands(op, names, operands, sizeof(operands));
    const char *text = gf_op_takes_text(op) ? GF_OP_TEXT : "";
    printf("usage: " GF_CLI_NAME " %s [options] %s%s\n", cli->command, text, operands);
    if (gf_op_is_batch(op))
        printf("       " GF_CLI_NAME " %s [options] %s%sIN...\n", cli->command, text,
               gf_op_is_table(op) ? "" : "-o 'DIR/{stem}.NEW{ext}' ");
    printf("\n%s", gf_help_text(op->help));
    if (strcmp(cli->command, op->name) != 0)
        printf("; another name for %s", op->name);
    puts(".\n");
    print_files(op);
    if (gf_op_is_batch(op))
        puts(GF_BATCH_ABOUT);
    if (!gf_op_is_table(op) && !gf_op_is_list(op))
        puts(GF_STREAM_ABOUT);
    puts("  Files may be - for standard input and output. " GF_CLI_NAME " help formats lists the file types.");
    if (gf_table_note(op))
        printf("\n%s.\n", gf_table_note(op));
    if (gf_fit_concerns(op))
        puts("  Where the file cannot hold f32, f16 or u16: " GF_FIT_BITS ";\n  " GF_FIT_KEPT ".");
    if (gf_op_takes_text(op))
        puts(GF_OP_TEXT_ABOUT);
    puts("\nParameters:");
    for (size_t i = 0; i < options.first_file; i++) {
        const struct gf_param_desc *param = gf_op_option_param(op, &options, i);
        if (!param && i >= options.first_param)
            continue; /* a repeated row */
        gf_args_print(stdout, &(struct gf_option_set){&options.rows[i], 1});
        if (param)
            print_words(param);
    }
    puts("\nOptions:");
    gf_args_print(stdout, &(struct gf_option_set){&options.rows[options.first_file], options.n - options.first_file});
    gf_args_print(stdout, &cli->work);
    gf_args_print(stdout, &cli->common);
    printf("\nExample:\n  " GF_CLI_NAME " %s %s\n", cli->command, gf_help_text(op->example));
    return GF_EXIT_OK;
}
