/* SPDX-License-Identifier: MIT */
/* Prints the help of the whole program; see help.h. */
#include "help.h"

#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/image/image.h"

#define GF_TOPIC_FORMATS "formats"
#define GF_TOPIC_EXPRESSIONS "expressions"

/* Families of operations, most used first. */
static const struct {
    enum gf_op_family family;
    const char *heading;
} families[] = {
    {GF_OP_FAMILY_GEOMETRY, "Size and place"},
    {GF_OP_FAMILY_FILTER, "Blurs, gradients and masks"},
    {GF_OP_FAMILY_POINT, "Sample by sample, and tones"},
    {GF_OP_FAMILY_COLOUR, "Colours and channels"},
    {GF_OP_FAMILY_MORPHOLOGY, "Shapes"},
    {GF_OP_FAMILY_RANK, "Ranks in a window"},
    {GF_OP_FAMILY_REGION, "Parts of a picture"},
    {GF_OP_FAMILY_HISTOGRAM, "Histograms"},
    {GF_OP_FAMILY_REDUCE, "Numbers"},
    {GF_OP_FAMILY_ORDER, "Order"},
    {GF_OP_FAMILY_SELECT, "Selection"},
    {GF_OP_FAMILY_SCAN, "Running sums"},
    {GF_OP_FAMILY_LINALG, "Matrices and 1-D kernels"},
};

void gf_help_print_usage(FILE *out)
{
    fputs("usage: " GF_CLI_NAME " OPERATION [options] IN OUT\n"
          "       " GF_CLI_NAME " COMMAND [options]\n",
          out);
}

int gf_help_print(const struct gf_cli *cli)
{
    gf_help_print_usage(stdout);
    puts("\nFilters pictures through gpufilterd. IN and OUT are files, or - for standard input and output.\n"
         "\nOperations:");
    for (size_t f = 0; f < GF_ARRAY_LEN(families); f++) {
        printf(" %s\n", families[f].heading);
        for (size_t i = 0; i < GF_N_OPS; i++)
            if (gf_ops[i].family == families[f].family)
                printf("  %-14s%s\n", gf_ops[i].name, gf_ops[i].help);
    }
    puts(" Other names");
    for (size_t i = 0; i < gf_n_aliases; i++)
        printf("  %-14sanother name for %s\n", gf_aliases[i].name, gf_aliases[i].op);
    puts("\nCommands:");
    for (size_t i = 0; i < cli->n_commands; i++)
        printf("  %-14s%s\n", cli->commands[i].name, cli->commands[i].help);
    puts("  help          explain an operation or a command; help " GF_TOPIC_FORMATS
         " lists the file types,\n                help " GF_TOPIC_EXPRESSIONS " the language of expr\n\nOptions:");
    gf_args_print(stdout, &cli->common);
    puts("\nOptions of operations:");
    gf_args_print(stdout, &cli->work);
    puts("\nExit codes:");
    for (size_t i = 0; i < gf_n_exits; i++)
        printf("  %-4d%s\n", (int)gf_exits[i].code, gf_exits[i].help);
    puts("\nExample:\n  " GF_CLI_NAME " blur --sigma 2 in.png out.png");
    return GF_EXIT_OK;
}

bool gf_help_has_topic(const char *word)
{
    return strcmp(word, GF_TOPIC_FORMATS) == 0 || strcmp(word, GF_TOPIC_EXPRESSIONS) == 0;
}

bool gf_help_print_topic(const char *word)
{
    if (strcmp(word, GF_TOPIC_EXPRESSIONS) == 0)
        fputs(gf_expressions_help, stdout);
    if (strcmp(word, GF_TOPIC_FORMATS) == 0) {
        fputs(gf_formats_read, stdout);
        fputs(gf_formats_written, stdout);
    }
    return gf_help_has_topic(word);
}
