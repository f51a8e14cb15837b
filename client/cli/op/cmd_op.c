/* SPDX-License-Identifier: MIT */
/*
 * Every operation as a command, from its descriptor: reads the picture, has the daemon process it, writes the result;
 * for one file or several. Knows no operation by name. Called by cli.c.
 */
#include "adjust.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/batch/batch.h"
#include "op_work.h"

static int run_one(const struct gf_cli *cli, const struct gf_op_call *call)
{
    gf_cleanup(gf_cli_once_deinit) struct gf_cli_once once = {.cli = cli};
    gf_cleanup(gf_op_work_deinit) struct gf_op_work work = {.client = NULL};
    const struct gf_image_memory memory = gf_cli_once_memory(&once);
    const struct gf_image_load how = {.memory = &memory};
    int code = gf_op_work_read(cli, &work, call, &how);
    work.run.decode_ns -= once.connect_ns; /* as far as it was done meanwhile */
    if (code == GF_EXIT_OK)
        code = gf_cli_once_connect(&once);
    work.run.connect_ns = once.connect_ns;
    if (code == GF_EXIT_OK)
        code = gf_op_work_submit(cli, &work, once.client);
    return code == GF_EXIT_OK ? gf_op_work_finish(cli, &work) : code;
}

static int begin(const void *data, const struct gf_batch_file *file, void *at_hand)
{
    struct gf_op_call call;
    int code = gf_op_call_file(file->cli, data, file->in, file->out, &call);
    if (code == GF_EXIT_OK)
        code = gf_op_work_read(file->cli, at_hand, &call, &file->how);
    return code == GF_EXIT_OK ? gf_op_work_submit(file->cli, at_hand, file->client) : code;
}

static int end(const struct gf_batch_file *file, void *at_hand)
{
    return gf_op_work_finish(file->cli, at_hand);
}

static void reset(void *at_hand)
{
    gf_op_work_deinit(at_hand);
}

static int run_batch(const struct gf_cli *cli, const struct gf_op_call *call)
{
    const struct gf_batch_work work = {.data = call,
                                       .capacity = sizeof(struct gf_op_work),
                                       .begin = begin,
                                       .end = end,
                                       .reset = reset,
                                       .deinit = reset};
    return gf_batch_run(cli, &call->batch, &call->names, &work);
}

int gf_cmd_op(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_op_call_deinit) struct gf_op_call call = GF_OP_CALL_NULL;
    int code = gf_op_call_parse(cli, args, &call);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return cli->adjust ? gf_adjust_help(cli) : gf_op_help(cli);
    return call.is_batch ? run_batch(cli, &call) : run_one(cli, &call);
}
