/* SPDX-License-Identifier: MIT */
/*
 * `pipe`: several operations on one picture or array in one request. A step that gives a table is a tap: it is
 * reported, and the next step takes what it took. Called by cli.c.
 */
#include <string.h>
#include <unistd.h>

#include "chart.h"
#include "connect.h"
#include "exit_code.h"
#include "fail.h"
#include "fit.h"
#include "image.h"
#include "op_options.h"
#include "op_report.h"
#include "pipe_text.h"
#include "table.h"

#define MAX_OUTPUTS 8

/* A file to be written. */
struct target {
    const char *path;
    uint32_t step; /* from 0 */
    enum gf_image_format format;
    uint32_t result;
    gpufilter_view stored; /* what is in the file */
    struct gf_fit fit;
    struct gf_fit_count count;
};

struct pipe {
    const char *in, *text;
    const struct gf_view *raw; /* NULL: IN is a file that tells its shape */
    struct gf_pipe_step steps[GF_MAX_STEPS];
    uint32_t n_steps;
    struct target targets[MAX_OUTPUTS];
    uint32_t n_targets;
    gpufilter_result results[GF_MAX_RESULTS];
    uint32_t n_results;
    uint32_t taps[GF_MAX_STEPS]; /* the first result of each step that is a table */
};

static int add_result(const struct gf_cli *cli, struct pipe *p, uint32_t step, uint32_t output)
{
    if (p->n_results == GF_MAX_RESULTS)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "more than %u results; write and tap less", GF_MAX_RESULTS);
    gpufilter_result *result = &p->results[p->n_results++];
    *result = (gpufilter_result)GPUFILTER_RESULT_INIT;
    result->step = step;
    result->output = output;
    return GF_EXIT_OK;
}

/* The last step whose result is data; the last of all where there is none. */
static uint32_t last_data(const struct pipe *p)
{
    for (uint32_t i = p->n_steps; i > 0; i--)
        if (!gf_op_is_table(p->steps[i - 1].op))
            return i - 1;
    return p->n_steps > 0 ? p->n_steps - 1 : 0;
}

/* "edges.png", or "2:edges.png" for the result of step 2. */
static int add_target(const struct gf_cli *cli, struct pipe *p, const char *text, const char *format)
{
    struct target *t = &p->targets[p->n_targets];
    struct gf_io_error err;
    size_t digits = strspn(text, "0123456789");
    *t = (struct target){.path = text, .step = last_data(p), .result = p->n_results};
    if (digits > 0 && text[digits] == ':') {
        unsigned long number = strtoul(text, NULL, 10);
        if (number < 1 || number > p->n_steps)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "--output %s: there are steps 1..%u", text, p->n_steps);
        t->step = (uint32_t)number - 1;
        t->path = text + digits + 1;
    }
    enum gf_io_status r = format ? gf_image_format_from_word(format, &t->format, &err)
                                 : gf_image_format_from_path(t->path, &t->format, &err);
    if (r != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (cli->json && strcmp(t->path, "-") == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json and the result would both go to standard output; name a file");
    p->n_targets++;
    if (t->step < p->n_steps) {
        int code = gf_fit_refuse(cli, p->steps[t->step].op, &p->steps[t->step].params, t->format, t->path);
        if (code != GF_EXIT_OK)
            return code;
    }
    return add_result(cli, p, t->step, 0);
}

static int add_taps(const struct gf_cli *cli, struct pipe *p)
{
    int code = GF_EXIT_OK;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        p->taps[i] = p->n_results;
        for (uint32_t k = 0; gf_op_is_table(p->steps[i].op) && k < p->steps[i].op->n_outputs && code == GF_EXIT_OK; k++)
            code = add_result(cli, p, i, k);
    }
    return code;
}

static struct gf_view view_of(const gpufilter_view *v)
{
    return (struct gf_view){v->dtype, v->channels, v->width, v->height, v->pitch};
}

/* Has a result converted that its file does not hold. */
static int fit(const struct gf_cli *cli, gpufilter_client *client, struct target *t)
{
    struct gf_fit_steps fitting;
    gpufilter_result results[GF_FIT_RESULTS];
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    gpufilter_error err;
    gf_fit_steps_init(&fitting, &t->fit, (gpufilter_ref){.from = GPUFILTER_FROM_OPERAND});
    program.n_steps = GF_FIT_STEPS;
    program.steps = fitting.steps;
    if (gpufilter_run(client, &program, &t->stored, 1, results, gf_fit_results(results, 0), &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    t->stored = results[0].view;
    t->count = gf_fit_count_of(&results[0].view, &results[1].view);
    gf_fit_report(cli, &t->fit, &t->count, t->path);
    return GF_EXIT_OK;
}

static int write_target(const struct gf_cli *cli, gpufilter_client *client, const struct pipe *p, struct target *t,
                        uint32_t in_dtype)
{
    const struct gf_pipe_step *step = &p->steps[t->step];
    struct gf_io_error err;
    int code = GF_EXIT_OK;
    t->stored = p->results[t->result].view;
    struct gf_view view = view_of(&t->stored);
    t->fit = gf_fit_choose(step->op, &step->params, gf_pipe_dtype_into(p->steps, t->step, in_dtype), &view, t->format);
    if (t->fit.dtype)
        code = fit(cli, client, t);
    view = view_of(&t->stored);
    if (code == GF_EXIT_OK && gf_image_write(t->path, t->format, &view, t->stored.data, &err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &err);
    return code;
}

static int run(const struct gf_cli *cli, gpufilter_client *client, struct pipe *p, const struct gf_image *image)
{
    gpufilter_error err;
    const struct gf_view *v = &image->view;
    gpufilter_view operand = {image->data, v->width, v->height, v->pitch, v->dtype, v->channels};
    if (gpufilter_run_text(client, p->text, &operand, 1, p->results, p->n_results, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    int code = GF_EXIT_OK;
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++)
        code = write_target(cli, client, p, &p->targets[i], v->dtype);
    return code;
}

static uint64_t hash_of(const struct target *t)
{
    struct gf_view view = view_of(&t->stored);
    return gf_hash_samples(&view, t->stored.data);
}

static void print_json(const struct pipe *p, const gpufilter_times *times)
{
    char hash[GF_HASH_TEXT];
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "op", "pipe");
    gf_json_text(&json, "device", times->device);
    gf_json_array(&json, "outputs");
    for (uint32_t i = 0; i < p->n_targets; i++) {
        const gpufilter_view *view = &p->targets[i].stored;
        gf_json_object(&json, NULL);
        gf_json_u64(&json, "step", p->targets[i].step + 1);
        gf_json_text(&json, "path", p->targets[i].path);
        gf_json_u64(&json, "width", view->width);
        gf_json_u64(&json, "height", view->height);
        gf_json_u64(&json, "channels", view->channels);
        gf_json_text(&json, "dtype", gf_dtype_word(view->dtype));
        if (p->targets[i].fit.dtype)
            gf_json_u64(&json, "saturated", p->targets[i].count.saturated);
        gf_json_text(&json, "hash", gf_hash_text(hash_of(&p->targets[i]), hash));
        gf_json_object_end(&json);
    }
    gf_json_array_end(&json);
    gf_json_array(&json, "taps");
    for (uint32_t i = 0; i < p->n_steps; i++) {
        if (!gf_op_is_table(p->steps[i].op))
            continue;
        gf_json_object(&json, NULL);
        gf_json_u64(&json, "step", i + 1);
        gf_json_text(&json, "op", p->steps[i].op->name);
        gf_table_json(&json, p->steps[i].op, &p->results[p->taps[i]]);
        gf_json_object_end(&json);
    }
    gf_json_array_end(&json);
    gf_json_u64(&json, "kernel_ns", times->kernel_ns);
    gf_json_u64(&json, "total_ns", times->total_ns);
    gf_json_object_end(&json);
    fputc('\n', stdout);
}

/* Tables and hashes for people; a picture on standard output has it to itself. */
static void print_text(const struct gf_cli *cli, const struct pipe *p)
{
    char hash[GF_HASH_TEXT];
    FILE *out = stdout;
    for (uint32_t i = 0; i < p->n_targets; i++)
        if (strcmp(p->targets[i].path, "-") == 0)
            out = stderr;
    for (uint32_t i = 0; i < p->n_steps && !cli->quiet; i++) {
        if (!gf_op_is_table(p->steps[i].op))
            continue;
        fprintf(out, "%u %s\n", i + 1, p->steps[i].op->name);
        if (gf_op_is_histogram(p->steps[i].op) && isatty(fileno(out)))
            gf_chart_print(out, &p->results[p->taps[i]], gf_cli_wants_colour(cli));
        else
            gf_table_print(out, p->steps[i].op, &p->results[p->taps[i]]);
    }
    for (uint32_t i = 0; i < p->n_targets && cli->hash; i++)
        fprintf(out, "%s %s\n", gf_hash_text(hash_of(&p->targets[i]), hash), p->targets[i].path);
}

static int run_and_report(const struct gf_cli *cli, struct pipe *p)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    struct gf_io_error err;
    gpufilter_error client_err;
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    if (gf_image_read(p->in, p->raw, &image, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    int code = gf_cli_connect(cli, &client);
    if (code == GF_EXIT_OK)
        code = run(cli, client, p, &image);
    if (code == GF_EXIT_OK && gpufilter_last_times(client, &times, &client_err) != GPUFILTER_OK)
        code = gf_cli_fail_client(cli, &client_err);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->json)
        print_json(p, &times);
    else
        print_text(cli, p);
    if (cli->timing && !cli->json)
        fprintf(stderr, "%s: kernels %.3f ms, daemon in all %.3f ms\n", times.device, (double)times.kernel_ns / 1e6,
                (double)times.total_ns / 1e6);
    return GF_EXIT_OK;
}

int gf_cmd_pipe(struct gf_cli *cli, struct gf_args *args)
{
    static const char *const names[] = {"IN", "PROGRAM"};
    const char *outputs[MAX_OUTPUTS] = {NULL}, *format = NULL, *raw = NULL, *files[2] = {NULL};
    struct gf_option own[MAX_OUTPUTS + 2];
    for (size_t i = 0; i < MAX_OUTPUTS; i++)
        own[i] = (struct gf_option){"output", 'o', "[STEP:]FILE", "write the last result that is no table, or a step's",
                                    &outputs[i]};
    own[MAX_OUTPUTS] = (struct gf_option){"format", '\0', "WORD", "format of the files (by their extensions)", &format};
    own[MAX_OUTPUTS + 1] = (struct gf_option){"raw", '\0', "WxHxC:DTYPE",
                                              "IN holds bare samples of this shape and type, little-endian", &raw};
    const struct gf_help help = {.synopsis = "pipe [options] IN 'STEP | STEP ...' -o OUT",
                                 .about = "Runs several operations in one request. A step is an operation's name and "
                                          "name=value pairs. A step\nthat gives a table (a histogram, a reduction) is "
                                          "reported, and the next one takes what it took.\nUp to 8 files: -o OUT, "
                                          "-o 2:EDGES for the result of the second step.\n"
                                          "Where a file cannot hold an f32 result: " GF_FIT_BITS ";\n" GF_FIT_KEPT ".",
                                 .example = "pipe in.png 'gaussian sigma=2 | box size=5' -o out.png",
                                 .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help.own, names, GF_ARRAY_LEN(names), files);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (cli->explain)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "takes no --explain");
    struct gf_view view;
    struct gf_io_error err;
    if (raw && gf_image_raw_parse(raw, &view, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    struct pipe p = {.in = files[0], .text = files[1], .raw = raw ? &view : NULL};
    p.n_steps = gf_pipe_text_read(p.text, p.steps);
    for (size_t i = 0; i < MAX_OUTPUTS && outputs[i] && code == GF_EXIT_OK; i++)
        code = add_target(cli, &p, outputs[i], format);
    if (code == GF_EXIT_OK)
        code = add_taps(cli, &p);
    if (code == GF_EXIT_OK && p.n_results == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "no result is wanted; name a file with -o, or add a step that reports");
    return code == GF_EXIT_OK ? run_and_report(cli, &p) : code;
}
