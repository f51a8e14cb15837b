/* SPDX-License-Identifier: MIT */
/* One picture through a pipe, stage by stage; called by cmd_pipe.c. */
#include <string.h>

#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/base/timeline.h"
#include "client/cli/io/input.h"
#include "client/cli/op/coefs.h"
#include "client/cli/op/data_option.h"
#include "client/cli/op/keep.h"
#include "client/cli/op/save_check.h"
#include "client/cli/op/verify.h"
#include "client/cli/report/list.h"
#include "client/cli/report/plot.h"
#include "client/cli/report/table.h"
#include "client/cli/stream/stream.h"
#include "pipe.h"
#include "protocol/base/clock.h"

void gf_pipe_reset(struct gf_pipe *p)
{
    gf_image_deinit(&p->images[0]);
    for (uint32_t i = 0; i < p->n_results; i++) {
        if (p->client)
            gpufilter_free(p->client, p->results[i].view.data);
        p->results[i].view = (gpufilter_view){.data = NULL};
    }
    for (uint32_t i = 0; i < p->n_targets; i++)
        for (uint32_t k = 0; k < GF_FIT_RESULTS && p->client; k++)
            gpufilter_free(p->client, gf_steal_ptr(&p->targets[i].fitted[k]));
    p->client = NULL;
    p->awaited = false;
}

void gf_pipe_deinit(struct gf_pipe *p)
{
    gf_pipe_reset(p);
    for (uint32_t i = 0; i < GF_MAX_OPERANDS; i++)
        gf_image_deinit(&p->images[i]);
    gf_pipe_text_deinit(&p->text);
}

static enum gf_io_status read_text_array(const char *path, uint32_t dtype, struct gf_image *ret_image,
                                         struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    enum gf_io_status r = gf_input_read(path, GF_IMAGE_MAX_FILE, "a file may have", &bytes, err);
    if (r != GF_IO_OK)
        return r;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return gf_array_decode_text(name, bytes.data, bytes.size, dtype, ret_image, err);
}

static enum gf_io_status read_operand(const struct gf_pipe *p, uint32_t i, const struct gf_image_load *how,
                                      struct gf_image *image, struct gf_io_error *err)
{
    const struct gf_pipe_file *file = &p->text.files[i];
    if (file->mask)
        return gf_coefs_read(file->path, file->mask, err);
    if (file->list)
        return gf_data_option_read(file->list, file->path, image, err);
    if (i == 0 && p->text_dtype)
        return read_text_array(file->path, p->text_dtype, image, err);
    return gf_image_read(file->path, i == 0 && p->is_raw ? &p->raw : NULL, how, image, err);
}

/* Whether one of the steps goes by what is seen as left and right: pictures that meet lie alike then. */
static bool sees_upright(const struct gf_pipe *p)
{
    bool found = false;
    for (uint32_t i = 0; i < p->text.n_steps; i++)
        found = found || gf_op_sees_upright(p->text.steps[i].call.op);
    return found;
}

/* What the text names is the same for the next file. */
static int read_operands(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_image_load *how)
{
    struct gf_io_error err;
    const struct gf_image_load other = {.page = cli->page_number};
    for (uint32_t i = 0; i < p->text.n_files; i++) {
        const struct gf_pipe_file *file = &p->text.files[i];
        uint64_t begin = gf_now_ns();
        if (i > 0 && i < p->n_read)
            continue;
        if (!(i == 0 && p->images[0].data) &&
            read_operand(p, i, i == 0 && how ? how : &other, &p->images[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        if (sees_upright(p) && gf_image_make_upright(&p->images[i], file->path, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        gf_cli_warn(cli, p->images[i].warning);
        gf_timeline_add(cli->timeline, "read", file->path, begin);
        const struct gf_view *v = file->mask ? &file->mask->view : &p->images[i].view;
        void *data = file->mask ? (void *)file->mask->data : p->images[i].data;
        p->operands[i] = (gpufilter_view){data, v->width, v->height, v->pitch, v->dtype, v->channels};
        if (p->n_read <= i)
            p->n_read = i + 1;
    }
    return GF_EXIT_OK;
}

/* Standard output gets the format of IN. */
static int take_format(const struct gf_cli *cli, struct gf_pipe *p)
{
    struct gf_save_seen seen = {.path = NULL};
    int code = GF_EXIT_OK;
    bool late = false; /* a format was not known before */
    for (struct gf_pipe_target *t = p->targets; t < p->targets + p->n_targets && code == GF_EXIT_OK; t++) {
        if (t->as_input) {
            struct gf_op_call call = p->text.steps[t->step].call;
            call.in[0] = p->text.files[0].path;
            call.format = t->format = p->images[0].format;
            code = gf_op_call_check_format(cli, &call);
            late = true;
        }
        gf_save_see(&seen, t->format, t->path);
    }
    return code == GF_EXIT_OK && late ? gf_save_check(cli, &seen) : code;
}

/* The program without a daemon, and whether every file can hold what it shall get. */
static int check(const struct gf_cli *cli, struct gf_pipe *p)
{
    gpufilter_error err;
    struct gf_io_error io_err;
    if (gpufilter_infer_text(p->text.text, p->operands, p->text.n_files, p->results, p->n_results, &err) !=
        GPUFILTER_OK) {
        /* What is wrong with the text is wrong with the command line. */
        bool is_text = err.status == GPUFILTER_E_BAD_REQUEST || err.status == GPUFILTER_E_UNSUPPORTED;
        return is_text ? gf_cli_fail(cli, GF_EXIT_USAGE, "%s", err.text) : gf_cli_fail_client(cli, &err);
    }
    int code = take_format(cli, p);
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++) {
        struct gf_pipe_target *t = &p->targets[i];
        const struct gf_op_call *call = &p->text.steps[t->step].call;
        const gpufilter_view *v = &p->results[t->result].view;
        struct gf_view view = gf_view_tight(v->dtype, v->width, v->height, v->channels);
        if (t->output == 0)
            t->fit = gf_fit_choose(call->op, &call->params, gf_pipe_input(p, t->step, 0).dtype, &view, t->format);
        if (t->fit.dtype)
            view = gf_view_tight(t->fit.dtype, v->width, v->height, v->channels);
        if (gf_image_can_store(t->format, &view, &cli->save, t->path, &io_err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &io_err);
        code = gf_stream_check(cli, &p->images[0], t->format, &view);
    }
    return code;
}

int gf_pipe_read(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_image_load *how)
{
    int code = read_operands(cli, p, how);
    return code == GF_EXIT_OK ? check(cli, p) : code;
}

int gf_pipe_submit(const struct gf_cli *cli, struct gf_pipe *p, gpufilter_client *client)
{
    gpufilter_error err;
    for (uint32_t i = 0; i < p->n_results; i++)
        p->results[i].view = (gpufilter_view){.data = NULL}; /* its shape was looked at */
    p->submit_ns = gf_now_ns();
    if (gpufilter_submit_text(client, p->text.text, p->operands, p->text.n_files, p->results, p->n_results, NULL,
                              &p->id, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    p->client = client;
    return GF_EXIT_OK;
}

/* Has a result converted that its file does not hold. */
static int fit(const struct gf_cli *cli, struct gf_pipe *p, struct gf_pipe_target *t)
{
    struct gf_fit_steps fitting;
    gpufilter_result results[GF_FIT_RESULTS];
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    gpufilter_error err;
    uint64_t begin = gf_now_ns();
    gf_fit_steps_init(&fitting, &t->fit, (gpufilter_ref){.from = GPUFILTER_FROM_OPERAND});
    program.n_steps = GF_FIT_STEPS;
    program.steps = fitting.steps;
    if (gpufilter_run(p->client, &program, &t->stored, 1, results, gf_fit_results(results, 0), &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    for (uint32_t i = 0; i < GF_FIT_RESULTS; i++)
        t->fitted[i] = results[i].view.data;
    gf_timeline_add_run(cli->timeline, p->client, begin);
    const struct gf_verify_work work = {.program = &program, .operands = &t->stored, .n_operands = 1};
    int code = cli->verify ? gf_verify(cli, p->times.device, &work, results, GF_FIT_RESULTS) : GF_EXIT_OK;
    if (code != GF_EXIT_OK)
        return code;
    t->stored = results[0].view;
    t->count = gf_fit_count_of(&results[0].view, &results[1].view);
    gf_fit_report(cli, &t->fit, &t->count, t->path);
    return GF_EXIT_OK;
}

/* What a step's result keeps of what the file IN says, by that step and those before it. */
static enum gf_keep keeps(const struct gf_pipe *p, const struct gf_pipe_target *t)
{
    enum gf_keep keep = gf_op_keeps(p->text.steps[t->step].call.op, t->output);
    for (uint32_t i = 0; i < t->step; i++) {
        const struct gf_op *op = p->text.steps[i].call.op;
        enum gf_keep one = gf_op_keeps(op, 0);
        if (!gf_op_is_table(op) && one > keep)
            keep = one;
    }
    return keep;
}

static int write_target(const struct gf_cli *cli, struct gf_pipe *p, struct gf_pipe_target *t)
{
    struct gf_io_error err;
    int code = GF_EXIT_OK;
    t->stored = p->results[t->result].view;
    if (gf_output_is_list(p->text.steps[t->step].call.op, t->output)) {
        const gpufilter_view *counts = &p->results[p->taps[t->step]].view;
        gf_list_report(cli, counts, t->stored.width);
        gf_list_cut(&t->stored, counts);
    }
    if (t->fit.dtype)
        code = fit(cli, p, t);
    struct gf_view view = gf_list_view(&t->stored);
    struct gf_image_save save = gf_keep_save(cli, &p->images[0].meta, keeps(p, t));
    uint64_t begin = gf_now_ns();
    if (code == GF_EXIT_OK && gf_image_write(t->path, t->format, &view, t->stored.data, &save, &err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &err);
    if (code == GF_EXIT_OK)
        gf_keep_warn(cli, &save, t->format, t->path);
    gf_timeline_add(cli->timeline, "write", t->path, begin);
    return code;
}

/* The answer, checked where that is wanted. */
int gf_pipe_wait(const struct gf_cli *cli, struct gf_pipe *p)
{
    if (p->awaited)
        return GF_EXIT_OK;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    gpufilter_error err;
    p->times = (gpufilter_times)GPUFILTER_TIMES_INIT;
    if (gpufilter_wait(p->client, p->id, -1, &answer, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    if (answer.status != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &answer.error);
    if (gpufilter_last_times(p->client, &p->times, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    gf_timeline_add_run(cli->timeline, p->client, p->submit_ns);
    const struct gf_verify_work work = {.text = p->text.text, .operands = p->operands, .n_operands = p->text.n_files};
    int code = cli->verify ? gf_verify(cli, p->times.device, &work, p->results, p->n_results) : GF_EXIT_OK;
    p->awaited = code == GF_EXIT_OK;
    return code;
}

static bool says_different(const struct gf_pipe *p)
{
    for (uint32_t i = 0; i < p->text.n_steps; i++)
        if (gf_table_says_different(p->text.steps[i].call.op, &p->results[p->taps[i]]))
            return true;
    return false;
}

int gf_pipe_finish(const struct gf_cli *cli, struct gf_pipe *p)
{
    struct gf_io_error err;
    int code = gf_pipe_wait(cli, p);
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++)
        code = write_target(cli, p, &p->targets[i]);
    if (code == GF_EXIT_OK && p->plot) {
        struct gf_histogram histogram = gf_pipe_histogram(p, p->plot_step);
        if (gf_plot_write(p->plot, &histogram, &err) != GF_IO_OK)
            code = gf_cli_fail_io(cli, &err);
    }
    if (code != GF_EXIT_OK)
        return code;
    gf_pipe_report(cli, p);
    return says_different(p) ? GF_EXIT_DIFFERENT : GF_EXIT_OK;
}
