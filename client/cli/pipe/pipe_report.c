/* SPDX-License-Identifier: MIT */
/* Explains and reports a pipe; called by cmd_pipe.c. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/io/io_error.h"
#include "client/cli/op/op_options.h"
#include "client/cli/op/op_report.h"
#include "client/cli/op/plan.h"
#include "client/cli/op/verify.h"
#include "client/cli/report/chart.h"
#include "client/cli/report/table.h"
#include "pipe.h"
#include "protocol/base/dtype.h"

static struct gf_view view_of(const gpufilter_view *v)
{
    return (struct gf_view){v->dtype, v->channels, v->width, v->height, v->pitch};
}

/* An output of a step; dtype 0 where there is none, which a pipe that has been checked does not have. */
static struct gf_view output_view(const struct gf_pipe *p, uint32_t step, uint32_t output)
{
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    gpufilter_error err;
    result.step = step;
    result.output = output;
    if (gpufilter_infer_text(p->text.text, p->operands, p->text.n_files, &result, 1, &err) != GPUFILTER_OK)
        return (struct gf_view){.dtype = 0};
    return view_of(&result.view);
}

struct gf_view gf_pipe_input(const struct gf_pipe *p, uint32_t step, uint32_t input)
{
    struct gf_ref ref = p->text.steps[step].in[input];
    if (ref.from == GF_FROM_NOTHING)
        return (struct gf_view){.dtype = 0};
    return ref.from == GF_FROM_STEP ? output_view(p, ref.index, ref.output) : view_of(&p->operands[ref.index]);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static void plan_input(const struct gf_pipe *p, uint32_t step, uint32_t input, struct gf_plan_input *ret)
{
    char giver[GF_STEP_TEXT];
    struct gf_ref ref = p->text.steps[step].in[input];
    *ret = (struct gf_plan_input){.from = ""};
    if (p->text.steps[step].call.op->inputs[input].kind == GF_INPUT_COEFS)
        return;
    ret->view = gf_pipe_input(p, step, input);
    if (!gf_view_given(&ret->view))
        return;
    if (ref.from != GF_FROM_STEP) {
        snprintf(ret->from, sizeof(ret->from), "%s", name_of(p->text.files[ref.index].path));
        return;
    }
    const struct gf_op *op = p->text.steps[ref.index].call.op;
    gf_step_text(ref.index, op, giver, sizeof(giver));
    snprintf(ret->from, sizeof(ret->from), "%s%s%s", giver, ref.output > 0 ? " " : "",
             ref.output > 0 ? op->outputs[ref.output].name : "");
}

static void plan_step(const struct gf_pipe *p, uint32_t step, struct gf_plan *ret)
{
    const struct gf_op_call *call = &p->text.steps[step].call;
    struct gf_plan_input in[GF_MAX_INPUTS];
    struct gf_view out[GF_MAX_OUTPUTS];
    for (uint32_t i = 0; i < call->op->n_inputs; i++)
        plan_input(p, step, i, &in[i]);
    for (uint32_t i = 0; i < call->op->n_outputs; i++)
        out[i] = output_view(p, step, i);
    gf_plan_step_init(ret, step, call, in, out);
}

void gf_pipe_explain(const struct gf_cli *cli, const struct gf_pipe *p)
{
    struct gf_plan plan;
    gf_plan_print_device(cli->device, cli->err);
    for (uint32_t i = 0; i < p->text.n_steps; i++) {
        plan_step(p, i, &plan);
        fputc('\n', cli->err);
        gf_plan_print(&plan, cli->err);
    }
    fputc('\n', cli->err);
}

static uint64_t hash_of(const struct gf_pipe_target *t)
{
    struct gf_view view = view_of(&t->stored);
    return gf_hash_samples(&view, t->stored.data);
}

static void put_view(struct gf_json *json, const char *path, const gpufilter_view *view)
{
    gf_json_text(json, "path", path);
    gf_json_u64(json, "width", view->width);
    gf_json_u64(json, "height", view->height);
    gf_json_u64(json, "channels", view->channels);
    gf_json_text(json, "dtype", gf_dtype_word(view->dtype));
}

static void put_files(struct gf_json *json, const struct gf_pipe *p)
{
    char hash[GF_HASH_TEXT];
    gf_json_array(json, "inputs");
    for (uint32_t i = 0; i < p->text.n_files; i++) {
        gf_json_object(json, NULL);
        put_view(json, p->text.files[i].path, &p->operands[i]);
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
    gf_json_array(json, "outputs");
    for (uint32_t i = 0; i < p->n_targets; i++) {
        const struct gf_pipe_target *t = &p->targets[i];
        gf_json_object(json, NULL);
        gf_json_u64(json, "step", t->step + 1);
        put_view(json, t->path, &t->stored);
        if (t->fit.dtype)
            gf_json_u64(json, "saturated", t->count.saturated);
        gf_json_text(json, "hash", gf_hash_text(hash_of(t), hash));
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

static void put_taps(struct gf_json *json, const struct gf_pipe *p)
{
    gf_json_array(json, "taps");
    for (uint32_t i = 0; i < p->text.n_steps; i++) {
        const struct gf_op *op = p->text.steps[i].call.op;
        uint32_t tables[GF_MAX_OUTPUTS];
        if (gf_op_tables(op, tables) == 0)
            continue;
        struct gf_view in = gf_pipe_input(p, i, 0);
        gf_json_object(json, NULL);
        gf_json_u64(json, "step", i + 1);
        gf_json_text(json, "op", op->name);
        gf_table_json(json, op, &p->results[p->taps[i]], &in);
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

static void put_plans(struct gf_json *json, const struct gf_pipe *p)
{
    struct gf_plan plan;
    gf_json_array(json, "plan");
    for (uint32_t i = 0; i < p->text.n_steps; i++) {
        plan_step(p, i, &plan);
        gf_plan_json(&plan, NULL, json);
    }
    gf_json_array_end(json);
}

static void print_json(const struct gf_cli *cli, const struct gf_pipe *p)
{
    struct gf_json json = {.out = cli->out};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "op", "pipe");
    gf_json_text(&json, "device", p->times.device);
    put_files(&json, p);
    put_taps(&json, p);
    if (cli->verify)
        gf_json_text(&json, "verified", GF_VERIFY_DEVICE);
    if (cli->explain) {
        put_plans(&json, p);
        gf_json_text(&json, "why", p->times.why);
    }
    gf_json_u64(&json, "kernel_ns", p->times.kernel_ns);
    gf_json_u64(&json, "total_ns", p->times.total_ns);
    gf_json_object_end(&json);
    fputc('\n', cli->out);
}

struct gf_histogram gf_pipe_histogram(const struct gf_pipe *p, uint32_t step)
{
    return (struct gf_histogram){.results = &p->results[p->taps[step]],
                                 .params = &p->text.steps[step].call.params.histogram,
                                 .name = p->text.files[0].path,
                                 .step = step + 1,
                                 .in = gf_pipe_input(p, step, 0)};
}

/* Tables and hashes for people; a picture on standard output has it to itself. */
static void print_text(const struct gf_cli *cli, const struct gf_pipe *p)
{
    char hash[GF_HASH_TEXT], step[GF_STEP_TEXT], name[GF_PATH_TEXT];
    FILE *out = cli->out;
    for (uint32_t i = 0; i < p->n_targets; i++)
        if (strcmp(p->targets[i].path, "-") == 0)
            out = cli->err;
    if (cli->file && !cli->quiet && p->n_targets < p->n_results)
        fprintf(out, "%s:\n", gf_path_text(cli->file, name, sizeof(name)));
    for (uint32_t i = 0; i < p->text.n_steps && !cli->quiet; i++) {
        const struct gf_op *op = p->text.steps[i].call.op;
        const gpufilter_result *results = &p->results[p->taps[i]];
        struct gf_histogram histogram = gf_pipe_histogram(p, i);
        uint32_t tables[GF_MAX_OUTPUTS];
        if (gf_op_tables(op, tables) == 0)
            continue;
        fprintf(out, "%s\n", gf_step_text(i, op, step, sizeof(step)));
        if (gf_op_is_histogram(op) && isatty(fileno(out)))
            gf_chart_print(out, &histogram, gf_cli_wants_colour(cli));
        else
            gf_table_print(out, op, results, &histogram.in);
    }
    for (uint32_t i = 0; i < p->n_targets && cli->hash; i++)
        fprintf(out, "%s %s\n", gf_hash_text(hash_of(&p->targets[i]), hash),
                gf_path_text(p->targets[i].path, name, sizeof(name)));
}

void gf_pipe_report(const struct gf_cli *cli, const struct gf_pipe *p)
{
    if (cli->json) {
        print_json(cli, p);
        return;
    }
    print_text(cli, p);
    gf_verify_report(cli);
    if (cli->explain)
        gf_plan_print_run(&p->times, cli->err);
    if (cli->timing)
        fprintf(cli->err, "%s: kernels %.3f ms, daemon in all %.3f ms\n", p->times.device,
                (double)p->times.kernel_ns / 1e6, (double)p->times.total_ns / 1e6);
}
