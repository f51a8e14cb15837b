/* SPDX-License-Identifier: MIT */
/* Help of an operation, from its descriptor; called by cmd_op.c. */
#include <string.h>

#include "exit_code.h"
#include "op_call.h"
#include "op_options.h"
#include "protocol/dtype.h"
#include "protocol/enums.h"

static void print_words(uint32_t e)
{
    for (size_t i = 0; i < gf_n_words; i++)
        if (gf_words[i].e == e && gf_words[i].help)
            printf("%28s%-14s %s\n", "", gf_words[i].word, gf_words[i].help);
}

static void print_files(const struct gf_op *op)
{
    char set[64];
    printf("  IN    %s: %s, 1 to 4 channels\n", op->inputs[0].help,
           gf_dtype_set_text(op->inputs[0].dtypes, set, sizeof(set)));
    printf("  OUT   %s: %s\n", op->outputs[0].help, gf_image_format_words());
}

int gf_op_help(const struct gf_cli *cli)
{
    const struct gf_op *op = cli->op;
    struct gf_op_options options;
    char example[160];
    gf_op_options_init(op, &options);
    printf("usage: " GF_CLI_NAME " %s [options] IN OUT\n\n%s", cli->command, op->help);
    if (strcmp(cli->command, op->name) != 0)
        printf("; another name of %s", op->name);
    puts(".\n");
    print_files(op);
    puts("  IN and OUT are files, or - for standard input and output.\n\nParameters:");
    for (size_t i = 0; i + GF_OP_FILE_OPTIONS < options.n; i++) {
        gf_args_print(stdout, &(struct gf_option_set){&options.rows[i], 1});
        if (i >= options.first_param)
            print_words(op->params[i - options.first_param].e);
    }
    puts("\nOptions:");
    gf_args_print(stdout, &(struct gf_option_set){&options.rows[options.n - GF_OP_FILE_OPTIONS], GF_OP_FILE_OPTIONS});
    gf_args_print(stdout, &cli->work);
    gf_args_print(stdout, &cli->common);
    printf("\nExample:\n  " GF_CLI_NAME " %s\n", gf_op_example(op, cli->command, example, sizeof(example)));
    return GF_EXIT_OK;
}
