/* SPDX-License-Identifier: MIT */
/* `ops`: prints the op table as a list, as JSON, and as the pages made from it. Needs no daemon. Called by main.c. */
#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "docgen.h"
#include "gpufilter/client.h"
#include "protocol/ops/op_table.h"

static void print_list(void)
{
    for (size_t i = 0; i < GF_N_OPS; i++)
        printf("%-14s%s\n", gf_ops[i].name, gf_help_text(gf_ops[i].help));
}

int gf_cmd_ops(struct gf_cli *cli, struct gf_args *args)
{
    const char *markdown = NULL, *man = NULL, *completion = NULL;
    const struct gf_option own[] = {
        {"markdown", '\0', NULL, "print operations.md, a page of all operations", &markdown},
        {"man", '\0', NULL, "print the man page gpufilter-client.1", &man},
        {"completion", '\0', "SHELL", "print completions for bash, zsh or fish", &completion},
    };
    const struct gf_help help = {.synopsis = "ops [options]",
                                 .about = "Lists the operations that this client knows, with --json also their "
                                          "parameters. No daemon is needed.",
                                 .example = "ops",
                                 .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help, NULL, 0, NULL);
    if (code != GF_EXIT_OK || cli->help)
        return code;
    if ((markdown != NULL) + (man != NULL) + (completion != NULL) > 1)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--markdown, --man and --completion exclude each other");
    const char *json = cli->json ? gpufilter_ops_json() : NULL;
    if (cli->json && !json) {
        struct gf_error err;
        gf_error_set(&err, GF_E_NO_MEMORY, "out of memory");
        return gf_cli_fail_error(cli, &err);
    }
    if (completion)
        return gf_completion_print(cli, completion);
    if (markdown)
        gf_page_markdown();
    else if (man)
        gf_page_man(cli);
    else if (cli->json)
        puts(json);
    else
        print_list();
    return GF_EXIT_OK;
}
