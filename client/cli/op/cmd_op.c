/* SPDX-License-Identifier: MIT */
/* Runs any operation as a command, from its descriptor, without knowing an operation by name. Called by main.c. */
#include "adjust.h"
#include "client/cli/base/exit_code.h"
#include "op_call.h"
#include "op_report.h"

int gf_cmd_op(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_op_call_deinit) struct gf_op_call call = {.pipe = NULL};
    int code = gf_op_call_parse(cli, args, &call);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return cli->adjust && !gf_op_by_name(cli->command) ? gf_adjust_help(cli) : gf_op_help(cli);
    return gf_pipe_run(cli, call.pipe, &call.files, gf_op_explain, gf_op_report);
}
