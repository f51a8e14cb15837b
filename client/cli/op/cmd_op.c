/* SPDX-License-Identifier: MIT */
/*
 * Every operation as a command, from its descriptor: reads the picture, has the daemon process it, writes the result;
 * for one file or several. Knows no operation by name. Called by cli.c.
 */
#include <string.h>

#include "adjust.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/batch/batch.h"
#include "client/cli/report/list.h"
#include "client/cli/report/table.h"
#include "client/cli/stream/stream.h"
#include "op_options.h"
#include "op_work.h"

static int run_one(const struct gf_cli *cli, const struct gf_op_call *call)
{
    gf_cleanup(gf_cli_once_deinit) struct gf_cli_once once = {.cli = cli};
    gf_cleanup(gf_op_work_deinit) struct gf_op_work work = {.client = NULL};
    const struct gf_image_memory memory = gf_cli_once_memory(&once);
    const struct gf_image_load how = {.memory = &memory, .page = cli->page_number};
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

/* A stream: what its pictures have in common, and what they come to. */
struct frames {
    const struct gf_op_call *call;
    struct gf_fit fit;
    struct gf_fit_count count;
};

static int begin_frame(void *data, const struct gf_cli *cli, gpufilter_client *client, struct gf_image *picture,
                       void *at_hand)
{
    static const struct gf_image_load how;
    struct gf_op_work *work = at_hand;
    const struct frames *f = data;
    work->images[0] = *picture;
    *picture = GF_IMAGE_NULL;
    int code = gf_op_work_read(cli, work, f->call, &how);
    return code == GF_EXIT_OK ? gf_op_work_submit(cli, work, client) : code;
}

static int wait_frame(const struct gf_cli *cli, void *at_hand)
{
    return gf_op_work_wait(cli, at_hand);
}

/* What a fit does is told once, of all. */
static int end_frame(void *data, const struct gf_cli *cli, void *at_hand)
{
    struct frames *f = data;
    struct gf_op_work *work = at_hand;
    struct gf_cli quiet = *cli;
    quiet.quiet = "";
    int code = gf_op_work_finish(&quiet, work);
    f->fit = work->run.fit;
    gf_fit_count_add(&f->count, &work->run.count);
    return code;
}

static void reset_frame(void *at_hand)
{
    gf_op_work_reset(at_hand);
}

static bool moves_grey(const void *data)
{
    const struct frames *f = data;
    const struct gf_op_call *call = f->call;
    return f->fit.dtype || (call->adjust ? gf_adjust_moves_grey(call->adjust) : gf_stream_moves_grey(call->op));
}

/* Whether it goes from standard input to standard output, a picture for a picture. */
static bool is_stream(const struct gf_cli *cli, const struct gf_op_call *call)
{
    bool goes = gf_stream_goes(cli) && !call->is_batch && !call->text_dtype && call->out &&
                strcmp(call->out, "-") == 0 && strcmp(call->in[0], "-") == 0 && gf_op_takes_one(call->op) &&
                !gf_op_is_list(call->op) && !gf_op_is_table(call->op);
    for (uint32_t i = 1; i < call->op->n_inputs; i++)
        goes = goes && !(call->in[i] && strcmp(call->in[i], "-") == 0);
    return goes;
}

static int run_stream(const struct gf_cli *cli, const struct gf_op_call *call)
{
    struct frames frames = {.call = call};
    const struct gf_stream_work work = {.data = &frames,
                                        .capacity = sizeof(struct gf_op_work),
                                        .begin = begin_frame,
                                        .wait = wait_frame,
                                        .end = end_frame,
                                        .reset = reset_frame,
                                        .deinit = reset,
                                        .moves_grey = moves_grey};
    int code = gf_stream_run(cli, call->is_raw ? &call->raw : NULL, &work);
    if (frames.fit.dtype)
        gf_fit_report(cli, &frames.fit, &frames.count, call->out);
    return code;
}

int gf_cmd_op(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_op_call_deinit) struct gf_op_call call = GF_OP_CALL_NULL;
    int code = gf_op_call_parse(cli, args, &call);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return cli->adjust && !gf_op_by_name(cli->command) ? gf_adjust_help(cli) : gf_op_help(cli);
    if (is_stream(cli, &call))
        return run_stream(cli, &call);
    return call.is_batch ? run_batch(cli, &call) : run_one(cli, &call);
}
