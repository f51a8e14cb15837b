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
#include "image.h"
#include "op_options.h"
#include "table.h"

#define MAX_OUTPUTS 8

/* A file to be written. */
struct target {
    const char *path;
    uint32_t step; /* from 0 */
    enum gf_image_format format;
    uint32_t result;
};

struct pipe {
    const char *in, *text;
    const struct gf_view *raw; /* NULL: IN is a file that tells its shape */
    const struct gf_op *ops[GF_MAX_STEPS];
    uint32_t n_ops;
    struct target targets[MAX_OUTPUTS];
    uint32_t n_targets;
    gpufilter_result results[GF_MAX_RESULTS];
    uint32_t n_results;
    uint32_t taps[GF_MAX_STEPS]; /* the first result of each step that is a table */
};

/* The operations that the text names, as far as they are known; the library says what is wrong with the text. */
static void find_ops(struct pipe *p)
{
    const char *at = p->text;
    for (bool more = true; more && p->n_ops < GF_MAX_STEPS; p->n_ops++) {
        char name[40];
        at += strspn(at, " \t\r\n");
        size_t n = strcspn(at, " \t\r\n|='\"");
        snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1), at);
        p->ops[p->n_ops] = gf_op_by_name(name);
        if (!p->ops[p->n_ops])
            return;
        char quote = '\0';
        for (; *at && (*at != '|' || quote); at++) {
            if (quote == *at)
                quote = '\0';
            else if (!quote && (*at == '\'' || *at == '"'))
                quote = *at;
        }
        more = *at == '|';
        at += more;
    }
}

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
    for (uint32_t i = p->n_ops; i > 0; i--)
        if (!gf_op_is_table(p->ops[i - 1]))
            return i - 1;
    return p->n_ops > 0 ? p->n_ops - 1 : 0;
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
        if (number < 1 || number > p->n_ops)
            return gf_cli_fail(cli, GF_EXIT_USAGE, "--output %s: there are steps 1..%u", text, p->n_ops);
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
    return add_result(cli, p, t->step, 0);
}

static int add_taps(const struct gf_cli *cli, struct pipe *p)
{
    int code = GF_EXIT_OK;
    for (uint32_t i = 0; i < p->n_ops; i++) {
        p->taps[i] = p->n_results;
        for (uint32_t k = 0; gf_op_is_table(p->ops[i]) && k < p->ops[i]->n_outputs && code == GF_EXIT_OK; k++)
            code = add_result(cli, p, i, k);
    }
    return code;
}

static int run(const struct gf_cli *cli, gpufilter_client *client, struct pipe *p, const struct gf_image *image)
{
    gpufilter_error err;
    const struct gf_view *v = &image->view;
    gpufilter_view operand = {image->data, v->width, v->height, v->pitch, v->dtype, v->channels};
    if (gpufilter_run_text(client, p->text, &operand, 1, p->results, p->n_results, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    for (uint32_t i = 0; i < p->n_targets; i++) {
        const struct target *t = &p->targets[i];
        const gpufilter_view *r = &p->results[t->result].view;
        struct gf_view view = {r->dtype, r->channels, r->width, r->height, r->pitch};
        struct gf_io_error io_err;
        if (gf_image_write(t->path, t->format, &view, r->data, &io_err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &io_err);
    }
    return GF_EXIT_OK;
}

static void print_json(const struct pipe *p, const gpufilter_times *times)
{
    struct gf_json json = {.out = stdout};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "op", "pipe");
    gf_json_text(&json, "device", times->device);
    gf_json_array(&json, "outputs");
    for (uint32_t i = 0; i < p->n_targets; i++) {
        const gpufilter_view *view = &p->results[p->targets[i].result].view;
        gf_json_object(&json, NULL);
        gf_json_u64(&json, "step", p->targets[i].step + 1);
        gf_json_text(&json, "path", p->targets[i].path);
        gf_json_u64(&json, "width", view->width);
        gf_json_u64(&json, "height", view->height);
        gf_json_u64(&json, "channels", view->channels);
        gf_json_text(&json, "dtype", gf_dtype_word(view->dtype));
        gf_json_object_end(&json);
    }
    gf_json_array_end(&json);
    gf_json_array(&json, "taps");
    for (uint32_t i = 0; i < p->n_ops; i++) {
        if (!gf_op_is_table(p->ops[i]))
            continue;
        gf_json_object(&json, NULL);
        gf_json_u64(&json, "step", i + 1);
        gf_json_text(&json, "op", p->ops[i]->name);
        gf_table_json(&json, p->ops[i], &p->results[p->taps[i]]);
        gf_json_object_end(&json);
    }
    gf_json_array_end(&json);
    gf_json_u64(&json, "kernel_ns", times->kernel_ns);
    gf_json_u64(&json, "total_ns", times->total_ns);
    gf_json_object_end(&json);
    fputc('\n', stdout);
}

/* Tables for people; a picture on standard output has it to itself. */
static void print_taps(const struct gf_cli *cli, const struct pipe *p)
{
    FILE *out = stdout;
    for (uint32_t i = 0; i < p->n_targets; i++)
        if (strcmp(p->targets[i].path, "-") == 0)
            out = stderr;
    for (uint32_t i = 0; i < p->n_ops && !cli->quiet; i++) {
        if (!gf_op_is_table(p->ops[i]))
            continue;
        fprintf(out, "%u %s\n", i + 1, p->ops[i]->name);
        if (gf_op_is_histogram(p->ops[i]) && isatty(fileno(out)))
            gf_chart_print(out, &p->results[p->taps[i]], gf_cli_wants_colour(cli));
        else
            gf_table_print(out, p->ops[i], &p->results[p->taps[i]]);
    }
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
        print_taps(cli, p);
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
                                          "-o 2:EDGES for the result of the second step.",
                                 .example = "pipe in.png 'gaussian sigma=2 | box size=5' -o out.png",
                                 .own = {own, GF_ARRAY_LEN(own)}};
    int code = gf_cli_parse(cli, args, &help.own, names, GF_ARRAY_LEN(names), files);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (cli->explain || cli->hash)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "takes no --%s", cli->explain ? "explain" : "hash");
    struct gf_view view;
    struct gf_io_error err;
    if (raw && gf_image_raw_parse(raw, &view, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    struct pipe p = {.in = files[0], .text = files[1], .raw = raw ? &view : NULL};
    find_ops(&p);
    for (size_t i = 0; i < MAX_OUTPUTS && outputs[i] && code == GF_EXIT_OK; i++)
        code = add_target(cli, &p, outputs[i], format);
    if (code == GF_EXIT_OK)
        code = add_taps(cli, &p);
    if (code == GF_EXIT_OK && p.n_results == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "no result is wanted; name a file with -o, or add a step that reports");
    return code == GF_EXIT_OK ? run_and_report(cli, &p) : code;
}
