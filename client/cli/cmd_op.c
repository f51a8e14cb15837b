/* SPDX-License-Identifier: MIT */
/*
 * Every operation as a command, from its descriptor: reads the picture, has the daemon filter it, writes the result.
 * Nothing here knows an operation by name. Called by cli.c.
 */
#include <string.h>

#include "chart.h"
#include "connect.h"
#include "data_option.h"
#include "exit_code.h"
#include "fail.h"
#include "input.h"
#include "list.h"
#include "op_options.h"
#include "op_report.h"
#include "protocol/clock.h"
#include "protocol/op_codec.h"
#include "protocol/op_shapes.h"
#include "table.h"
#include "timeline.h"
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
                                   struct gf_op_run *run, struct gf_image *ret_image, struct gf_io_error *err)
{
    gf_cleanup(gf_bytes_deinit) struct gf_bytes bytes = {.data = NULL};
    const char *path = call->in[input];
    uint64_t start = gf_now_ns(), ns = 0;
    enum gf_io_status r;
    if (gf_op_input_is_option(&call->op->inputs[input])) {
        r = gf_data_option_read(&call->op->inputs[input], path, ret_image, err);
        lap(cli, "read", &start, &run->read_ns);
        return r;
    }
    if (call->is_raw && input == 0) {
        r = gf_image_read(path, &call->raw, NULL, ret_image, err);
        lap(cli, "read", &start, &run->read_ns);
        return r;
    }
    r = gf_input_read(path, GF_IMAGE_MAX_FILE, "an image file may have", &bytes, err);
    lap(cli, "read", &start, &ns);
    run->read_ns += ns;
    if (r != GF_IO_OK)
        return r;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    r = call->text_dtype ? gf_array_decode_text(name, bytes.data, bytes.size, call->text_dtype, ret_image, err)
                         : gf_image_decode(name, bytes.data, bytes.size, NULL, ret_image, err);
    lap(cli, "decode", &start, &ns);
    run->decode_ns += ns;
    return r;
}

/* The images of a call, by input; those of masks stay empty. */
struct images {
    struct gf_image of[GF_MAX_INPUTS];
};

static void images_deinit(struct images *images)
{
    for (size_t i = 0; i < GF_MAX_INPUTS; i++)
        gf_image_deinit(&images->of[i]);
}

static int read_all(const struct gf_cli *cli, const struct gf_op_call *call, struct gf_op_run *run,
                    struct images *images)
{
    struct gf_io_error err;
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        if (call->in[i] && read_data(cli, call, i, run, &images->of[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    run->input = images->of[0].view;
    run->meta = &images->of[0].meta;
    return GF_EXIT_OK;
}

/* What can be found wrong once the shapes of the data are known, and the shape of the result. */
static int check(const struct gf_cli *cli, const struct gf_op_call *call, const struct images *images,
                 struct gf_op_run *run)
{
    struct gf_view in[GF_MAX_INPUTS], out[GF_MAX_OUTPUTS];
    struct gf_error err;
    struct gf_io_error io_err;
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        in[i] = call->coefs[i].data ? call->coefs[i].view : images->of[i].view;
    if (gf_op_infer(call->op, in, call->op->n_inputs, &call->params, out, &err) != GF_OK)
        return gf_cli_fail_error(cli, &err);
    run->output = out[0];
    run->capacity = out[0].width;
    if (call->out)
        run->fit = gf_fit_choose(call->op, &call->params, in[0].dtype, &out[0], call->format);
    if (run->fit.dtype)
        run->output = gf_view_tight(run->fit.dtype, out[0].width, out[0].height, out[0].channels);
    if (call->out && gf_image_can_hold(call->format, &run->output, call->out, &io_err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &io_err);
    for (uint32_t i = 1; i < call->op->n_outputs; i++)
        if (call->lists[i].path &&
            gf_image_can_hold(call->lists[i].format, &out[i], call->lists[i].path, &io_err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &io_err);
    return GF_EXIT_OK;
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

/* Sends the call, and under --verify has it checked; the memory of the results belongs to the client. */
static int filter(const struct gf_cli *cli, gpufilter_client *client, const struct gf_op_call *call,
                  const struct images *images, struct gf_op_run *run, uint32_t n_results)
{
    const struct gf_fit *fit = &run->fit;
    struct gf_fit_steps fitting;
    gpufilter_param params[GF_MAX_PARAMS];
    gpufilter_ref refs[GF_MAX_INPUTS];
    gpufilter_view operands[GF_MAX_INPUTS];
    gpufilter_error err;
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->op->n_inputs; i++) {
        const struct gf_coefs *coefs = &call->coefs[i];
        const struct gf_image *image = &images->of[i];
        refs[i] = (gpufilter_ref){.from = GPUFILTER_FROM_NOTHING};
        if (!coefs->data && !image->data)
            continue;
        refs[i] = (gpufilter_ref){.index = (uint16_t)n};
        operands[n++] = coefs->data ? client_view(&coefs->view, coefs->data) : client_view(&image->view, image->data);
    }
    gpufilter_step steps[1 + GF_FIT_STEPS] = {{call->op->id, call->op->n_inputs, refs, params, 0}};
    steps[0].n_params = list_params(call, params);
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    program.n_steps = 1;
    program.steps = steps;
    if (fit->dtype) {
        gf_fit_steps_init(&fitting, fit, (gpufilter_ref){.from = GPUFILTER_FROM_STEP});
        memcpy(&steps[1], fitting.steps, sizeof(fitting.steps));
        program.n_steps += GF_FIT_STEPS;
    }
    run->times = (gpufilter_times)GPUFILTER_TIMES_INIT;
    uint64_t begin = gf_now_ns();
    if (gpufilter_run(client, &program, operands, n, run->results, n_results, &err) != GPUFILTER_OK ||
        gpufilter_last_times(client, &run->times, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    gf_timeline_add_run(cli->timeline, client, begin);
    const struct gf_verify_work work = {.program = &program, .operands = operands, .n_operands = n};
    return cli->verify ? gf_verify(cli, run->times.device, &work, run->results, n_results) : GF_EXIT_OK;
}

/* Writes the counted outputs that are wanted, as far as they are filled. */
static int write_lists(const struct gf_cli *cli, struct gf_op_run *run)
{
    const struct gf_op_call *call = run->call;
    struct gf_io_error err;
    for (gpufilter_result *r = run->results; r < run->tables; r++) {
        const char *path = r->output == 0 ? call->out : call->lists[r->output].path;
        gf_list_cut(&r->view, &run->tables[0].view);
        struct gf_view view = gf_list_view(&r->view);
        if (gf_image_write(path, r->output == 0 ? call->format : call->lists[r->output].format, &view, r->view.data,
                           NULL, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    }
    run->output = gf_list_view(&run->results[0].view);
    return GF_EXIT_OK;
}

static int finish(const struct gf_cli *cli, struct gf_op_run *run)
{
    struct gf_io_error err;
    uint64_t start = gf_now_ns();
    const void *data = run->results[0].view.data;
    struct gf_image_save save = gf_cli_save(cli, run->meta);
    bool lists = gf_op_is_list(run->call->op);
    int code = lists ? write_lists(cli, run) : GF_EXIT_OK;
    if (code != GF_EXIT_OK)
        return code;
    if (!lists && run->call->out &&
        gf_image_write(run->call->out, run->call->format, &run->output, data, &save, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (run->call->plot && gf_chart_plot(run->call->plot, run->results, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    lap(cli, "write", &start, &run->write_ns);
    if (run->fit.dtype)
        run->count = gf_fit_count_of(&run->results[0].view, &run->results[1].view);
    if (cli->json || cli->hash)
        run->hash = gf_hash_samples(&run->output, data);
    return GF_EXIT_OK;
}

/* What is asked for: every table, and data that go to a file. */
static uint32_t list_results(const struct gf_op_call *call, gpufilter_result *results)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->op->n_outputs; i++) {
        uint32_t shape = call->op->outputs[i].shape;
        if (shape == GF_SHAPE_COUNTED ? !(i == 0 ? call->out : call->lists[i].path) : shape != GF_SHAPE_TABLE && i > 0)
            continue;
        results[n] = (gpufilter_result)GPUFILTER_RESULT_INIT;
        results[n].step = 0;
        results[n++].output = i;
    }
    return n;
}

static int connect_and_filter(const struct gf_cli *cli, const struct gf_op_call *call, const struct images *images,
                              struct gf_op_run *run)
{
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    gpufilter_result results[GF_MAX_OUTPUTS];
    uint32_t n = list_results(call, results), tables[GF_MAX_OUTPUTS];
    run->results = results;
    run->tables = results + n - gf_op_tables(call->op, tables);
    if (run->fit.dtype)
        n = gf_fit_results(results, 1);
    uint64_t start = gf_now_ns();
    int code = gf_cli_connect(cli, &client);
    run->connect_ns = gf_now_ns() - start;
    if (code == GF_EXIT_OK)
        code = filter(cli, client, call, images, run, n);
    if (code == GF_EXIT_OK)
        code = finish(cli, run);
    run->whole_ns = gf_now_ns() - run->begin_ns;
    if (code == GF_EXIT_OK)
        gf_op_report(cli, run);
    if (code == GF_EXIT_OK && gf_table_says_different(call->op, results))
        code = GF_EXIT_DIFFERENT;
    return code;
}

static int run_call(const struct gf_cli *cli, const struct gf_op_call *call)
{
    gf_cleanup(images_deinit) struct images images = {.of = {{.data = NULL}}};
    struct gf_op_run run = {.call = call, .begin_ns = gf_now_ns()};
    struct gf_plan plan;
    int code = read_all(cli, call, &run, &images);
    if (code == GF_EXIT_OK)
        code = check(cli, call, &images, &run);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->explain) {
        gf_plan_init(&plan, call, cli->device, &run.input, &run.output);
        run.plan = &plan;
    }
    if (cli->explain && !cli->json)
        gf_plan_print(&plan, stderr);
    return connect_and_filter(cli, call, &images, &run);
}

int gf_cmd_op(struct gf_cli *cli, struct gf_args *args)
{
    gf_cleanup(gf_op_call_deinit) struct gf_op_call call = GF_OP_CALL_NULL;
    int code = gf_op_call_parse(cli, args, &call);
    if (code != GF_EXIT_OK)
        return code;
    return cli->help ? gf_op_help(cli) : run_call(cli, &call);
}
