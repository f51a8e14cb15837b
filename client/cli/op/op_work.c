/* SPDX-License-Identifier: MIT */
/* One picture through an operation, stage by stage; called by cmd_op.c. */
#include "op_work.h"

#include <string.h>

#include "adjust.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/base/timeline.h"
#include "client/cli/io/input.h"
#include "client/cli/report/list.h"
#include "client/cli/report/plot.h"
#include "client/cli/report/table.h"
#include "client/cli/stream/stream.h"
#include "data_option.h"
#include "keep.h"
#include "op_options.h"
#include "protocol/base/clock.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "save_check.h"
#include "shrink.h"
#include "verify.h"

/* Stores the time since *start, which was spent on `name`, and starts anew. */
static void lap(const struct gf_cli *cli, const char *name, uint64_t *start, uint64_t *ret_ns)
{
    gf_timeline_add(cli->timeline, name, NULL, *start);
    uint64_t now = gf_now_ns();
    *ret_ns = now - *start;
    *start = now;
}

static enum gf_io_status read_data(const struct gf_cli *cli, const struct gf_op_call *call, uint32_t input,
                                   const struct gf_image_load *how, struct gf_op_run *run, struct gf_image *ret_image,
                                   struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    const char *path = call->in[input];
    uint64_t start = gf_now_ns(), ns = 0;
    enum gf_io_status r;
    if (gf_input_is_copied(&call->op->inputs[input])) {
        r = gf_data_option_read(&call->op->inputs[input], path, ret_image, err);
        lap(cli, "read", &start, &run->read_ns);
        return r;
    }
    if (call->is_raw && input == 0) {
        r = gf_image_read(path, &call->raw, how, ret_image, err);
        lap(cli, "read", &start, &run->read_ns);
        return r;
    }
    r = gf_input_read(path, GF_IMAGE_MAX_FILE, "an image file may have", &bytes, err);
    lap(cli, "read", &start, &ns);
    run->read_ns += ns;
    if (r != GF_IO_OK)
        return r;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct gf_image_load own = *how;
    own.is_stream = bytes.is_stream;
    if (gf_shrink_may(call)) {
        own.shrink = gf_shrink_choose;
        own.shrink_user = (void *)(uintptr_t)call;
    }
    r = call->text_dtype ? gf_array_decode_text(name, bytes.data, bytes.size, call->text_dtype, ret_image, err)
                         : gf_image_decode(name, bytes.data, bytes.size, &own, ret_image, err);
    lap(cli, "decode", &start, &ns);
    run->decode_ns += ns;
    return r;
}

/* What can be found wrong once the shapes of the data are known, and the shape of the result. */
static int check(const struct gf_cli *cli, struct gf_op_work *work)
{
    struct gf_op_call *call = &work->call;
    struct gf_op_run *run = &work->run;
    struct gf_view in[GF_MAX_INPUTS], out[GF_MAX_OUTPUTS];
    struct gf_error err;
    struct gf_io_error io_err;
    if (call->out && call->format == GF_FORMAT_NONE) {
        call->format = work->images[0].format;
        struct gf_save_seen seen = {.path = NULL};
        gf_save_see(&seen, call->format, "standard output");
        int known = gf_op_call_check_format(cli, call);
        if (known == GF_EXIT_OK)
            known = gf_save_check(cli, &seen);
        if (known != GF_EXIT_OK)
            return known;
    }
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        in[i] = call->coefs[i].data ? call->coefs[i].view : work->images[i].view;
    if (gf_op_infer(call->op, in, call->op->n_inputs, &call->params, out, &err) != GF_OK)
        return gf_cli_fail_error(cli, &err);
    run->output = out[0];
    for (uint32_t i = call->op->n_outputs; i > 0; i--)
        if (gf_output_is_list(call->op, i - 1))
            run->capacity = out[i - 1].width;
    if (call->out)
        run->fit = gf_fit_choose(call->op, &call->params, in[0].dtype, &out[0], call->format);
    if (run->fit.dtype)
        run->output = gf_view_tight(run->fit.dtype, out[0].width, out[0].height, out[0].channels);
    if (call->out && gf_image_can_store(call->format, &run->output, &cli->save, call->out, &io_err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &io_err);
    int code = gf_stream_check(cli, &work->images[0], call->format, &run->output);
    if (code != GF_EXIT_OK)
        return code;
    for (uint32_t i = 1; i < call->op->n_outputs; i++)
        if (call->lists[i].path &&
            gf_image_can_hold(call->lists[i].format, &out[i], call->lists[i].path, &io_err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &io_err);
    return GF_EXIT_OK;
}

/* What is asked for: every table, and data that go to a file. */
static uint32_t list_results(const struct gf_op_call *call, gpufilter_result *results)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->op->n_outputs; i++) {
        uint32_t shape = call->op->outputs[i].shape;
        if (i > 0 ? shape != GF_SHAPE_TABLE && !call->lists[i].path : shape == GF_SHAPE_COUNTED && !call->out)
            continue;
        results[n] = (gpufilter_result)GPUFILTER_RESULT_INIT;
        results[n].step = 0;
        results[n++].output = i;
    }
    return n;
}

int gf_op_work_read(const struct gf_cli *cli, struct gf_op_work *work, const struct gf_op_call *call,
                    const struct gf_image_load *how)
{
    struct gf_io_error err;
    struct gf_op_run *run = &work->run;
    work->call = *call;
    *run = (struct gf_op_run){.call = &work->call, .results = work->results, .begin_ns = gf_now_ns()};
    for (uint32_t i = 0; i < call->op->n_inputs; i++) {
        if (call->in[i] && !work->images[i].data &&
            read_data(cli, call, i, how, run, &work->images[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        uint32_t orientation = work->images[i].meta.orientation;
        if (gf_op_sees_upright(call->op) && gf_image_make_upright(&work->images[i], call->in[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        gf_cli_warn(cli, work->images[i].warning);
        gf_shrink_fit(&work->call, &work->images[i], orientation);
    }
    run->input = work->images[0].view;
    run->meta = &work->images[0].meta;
    int code = gf_adjust_apply(cli, &work->call, run->input.dtype, cli->save.white);
    if (code == GF_EXIT_OK)
        code = check(cli, work);
    if (code == GF_EXIT_OK && cli->explain) {
        gf_plan_init(&work->plan, call, cli->device, &run->input, &run->output);
        run->plan = &work->plan;
    }
    if (run->plan && !cli->json)
        gf_plan_print(run->plan, cli->err);
    return code;
}

static gpufilter_view client_view(const struct gf_view *view, void *data)
{
    return (gpufilter_view){data, view->width, view->height, view->pitch, view->dtype, view->channels};
}

/* Parameters that differ from their defaults, so that an older daemon is asked for nothing that it does not know. */
static uint32_t list_params(const struct gf_op_call *call, gpufilter_param *params)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->op->n_params; i++) {
        const struct gf_param_desc *desc = &call->op->params[i];
        gpufilter_param *param = &params[n];
        if (gf_op_param_is_default(desc, &call->params))
            continue;
        param->id = desc->id;
        param->count = gf_op_param_get(desc, &call->params, &param->values);
        n++;
    }
    return n;
}

static void make_program(struct gf_op_work *work)
{
    const struct gf_op_call *call = &work->call;
    const struct gf_fit *fit = &work->run.fit;
    work->n_operands = 0;
    for (uint32_t i = 0; i < call->op->n_inputs; i++) {
        const struct gf_coefs *coefs = &call->coefs[i];
        const struct gf_image *image = &work->images[i];
        work->refs[i] = (gpufilter_ref){.from = GPUFILTER_FROM_NOTHING};
        if (!coefs->data && !image->data)
            continue;
        work->refs[i] = (gpufilter_ref){.index = (uint16_t)work->n_operands};
        work->operands[work->n_operands++] =
            coefs->data ? client_view(&coefs->view, coefs->data) : client_view(&image->view, image->data);
    }
    work->steps[0] = (gpufilter_step){call->op->id, call->op->n_inputs, work->refs, work->params, 0};
    work->steps[0].n_params = list_params(call, work->params);
    work->program = (gpufilter_program)GPUFILTER_PROGRAM_INIT;
    work->program.n_steps = 1;
    work->program.steps = work->steps;
    if (fit->dtype) {
        gf_fit_steps_init(&work->fitting, fit, (gpufilter_ref){.from = GPUFILTER_FROM_STEP});
        memcpy(&work->steps[1], work->fitting.steps, sizeof(work->fitting.steps));
        work->program.n_steps += GF_FIT_STEPS;
    }
}

int gf_op_work_submit(const struct gf_cli *cli, struct gf_op_work *work, gpufilter_client *client)
{
    struct gf_op_run *run = &work->run;
    uint32_t tables[GF_MAX_OUTPUTS];
    gpufilter_error err;
    make_program(work);
    work->n_results = list_results(&work->call, work->results);
    run->tables = work->results + work->n_results - gf_op_tables(work->call.op, tables);
    if (run->fit.dtype)
        work->n_results = gf_fit_results(work->results, 1);
    work->submit_ns = gf_now_ns();
    if (gpufilter_submit(client, &work->program, work->operands, work->n_operands, work->results, work->n_results, NULL,
                         &work->id, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    work->client = client;
    return GF_EXIT_OK;
}

/* The answer, checked where that is wanted. */
int gf_op_work_wait(const struct gf_cli *cli, struct gf_op_work *work)
{
    if (work->awaited)
        return GF_EXIT_OK;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    gpufilter_error err;
    gpufilter_times *times = &work->run.times;
    *times = (gpufilter_times)GPUFILTER_TIMES_INIT;
    if (gpufilter_wait(work->client, work->id, -1, &answer, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    if (answer.status != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &answer.error);
    if (gpufilter_last_times(work->client, times, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    gf_timeline_add_run(cli->timeline, work->client, work->submit_ns);
    const struct gf_verify_work verify = {
        .program = &work->program, .operands = work->operands, .n_operands = work->n_operands};
    int code = cli->verify ? gf_verify(cli, times->device, &verify, work->results, work->n_results) : GF_EXIT_OK;
    work->awaited = code == GF_EXIT_OK;
    return code;
}

/* Writes the counted outputs that are wanted, as far as they are filled. */
static int write_lists(const struct gf_cli *cli, struct gf_op_run *run)
{
    const struct gf_op_call *call = run->call;
    struct gf_io_error err;
    for (gpufilter_result *r = run->results; r < run->tables; r++) {
        if (!gf_output_is_list(call->op, r->output))
            continue;
        const char *path = r->output == 0 ? call->out : call->lists[r->output].path;
        gf_list_cut(&r->view, &run->tables[0].view);
        struct gf_view view = gf_list_view(&r->view);
        if (gf_image_write(path, r->output == 0 ? call->format : call->lists[r->output].format, &view, r->view.data,
                           NULL, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    }
    if (gf_op_is_list(call->op))
        run->output = gf_list_view(&run->results[0].view);
    return GF_EXIT_OK;
}

/* Writes the other pictures that are wanted. */
static int write_more(const struct gf_cli *cli, const struct gf_op_run *run)
{
    struct gf_io_error err;
    for (const gpufilter_result *r = run->results + 1; r < run->tables; r++) {
        if (gf_output_is_list(run->call->op, r->output))
            continue;
        const struct gf_op_list *file = &run->call->lists[r->output];
        struct gf_view view = gf_list_view(&r->view);
        if (gf_image_write(file->path, file->format, &view, r->view.data, NULL, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    }
    return GF_EXIT_OK;
}

static int write_results(const struct gf_cli *cli, struct gf_op_work *work)
{
    struct gf_io_error err;
    struct gf_op_run *run = &work->run;
    uint64_t start = gf_now_ns();
    const void *data = run->results[0].view.data;
    struct gf_image_save save = gf_keep_save(cli, run->meta, gf_op_keeps(run->call->op, 0));
    bool lists = gf_op_is_list(run->call->op);
    int code = run->fit.dtype ? GF_EXIT_OK : write_lists(cli, run);
    if (code != GF_EXIT_OK)
        return code;
    if (!lists && run->call->out &&
        gf_image_write(run->call->out, run->call->format, &run->output, data, &save, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (!lists && run->call->out)
        gf_keep_warn(cli, &save, run->call->format, run->call->out);
    code = lists ? GF_EXIT_OK : write_more(cli, run);
    if (code != GF_EXIT_OK)
        return code;
    struct gf_histogram histogram = gf_op_run_histogram(run);
    if (run->call->plot && gf_plot_write(run->call->plot, &histogram, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    lap(cli, "write", &start, &run->write_ns);
    if (run->fit.dtype)
        run->count = gf_fit_count_of(&run->results[0].view, &run->results[1].view);
    if (cli->json || cli->hash)
        run->hash = gf_hash_samples(&run->output, data);
    return GF_EXIT_OK;
}

int gf_op_work_finish(const struct gf_cli *cli, struct gf_op_work *work)
{
    int code = gf_op_work_wait(cli, work);
    if (code == GF_EXIT_OK)
        code = write_results(cli, work);
    work->run.whole_ns = gf_now_ns() - work->run.begin_ns;
    if (code != GF_EXIT_OK)
        return code;
    gf_op_report(cli, &work->run);
    return gf_table_says_different(work->call.op, work->results) ? GF_EXIT_DIFFERENT : GF_EXIT_OK;
}

void gf_op_work_reset(struct gf_op_work *work)
{
    for (uint32_t i = 0; i < work->n_results && work->client; i++)
        gpufilter_free(work->client, work->results[i].view.data);
    gf_image_deinit(&work->images[0]);
    work->n_results = 0;
    work->client = NULL;
    work->awaited = false;
}

void gf_op_work_deinit(struct gf_op_work *work)
{
    gf_op_work_reset(work);
    for (size_t i = 0; i < GF_MAX_INPUTS; i++)
        gf_image_deinit(&work->images[i]);
    *work = (struct gf_op_work){.client = NULL};
}
