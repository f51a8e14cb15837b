/* SPDX-License-Identifier: MIT */
/*
 * `pipe`: several operations on one picture or array in one request. A step that gives a table is a tap: it is
 * reported, and the next step takes what it took. Called by cli.c.
 */
#include <string.h>

#include "chart.h"
#include "coefs.h"
#include "connect.h"
#include "data_option.h"
#include "exit_code.h"
#include "fail.h"
#include "input.h"
#include "list.h"
#include "op_options.h"
#include "output.h"
#include "pipe.h"
#include "protocol/clock.h"
#include "table.h"
#include "timeline.h"
#include "verify.h"

/* What the command line says. */
struct options {
    const char *outputs[GF_PIPE_TARGETS], *format, *raw, *in_dtype, *plot;
    struct gf_option rows[GF_PIPE_TARGETS + 4];
};

static void options_init(struct options *o)
{
    struct gf_option *row = o->rows;
    *o = (struct options){.format = NULL};
    for (size_t i = 0; i < GF_PIPE_TARGETS; i++)
        *row++ = (struct gf_option){"output", 'o', "[STEP:]FILE", "write the last result that is no table, or a step's",
                                    &o->outputs[i]};
    *row++ = (struct gf_option){"format", '\0', "WORD", "format of the files (by their extensions)", &o->format};
    *row++ = (struct gf_option){"raw", '\0', "WxHxC:DTYPE",
                                "IN holds bare samples of this shape and type, little-endian", &o->raw};
    *row++ = (struct gf_option){"in-dtype", '\0', "DTYPE", "IN holds numbers of this type as text", &o->in_dtype};
    *row = (struct gf_option){"plot", '\0', "[STEP:]FILE", "draw the last histogram, or a step's, as .svg or .png",
                              &o->plot};
}

static void pipe_freep(struct gf_pipe **pp)
{
    struct gf_pipe *p = *pp;
    if (!p)
        return;
    for (uint32_t i = 0; i < GF_MAX_OPERANDS; i++)
        gf_image_deinit(&p->images[i]);
    gf_pipe_text_deinit(&p->text);
    free(p);
}

static int add_result(const struct gf_cli *cli, struct gf_pipe *p, uint32_t step, uint32_t output)
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
static uint32_t last_data(const struct gf_pipe_text *t)
{
    for (uint32_t i = t->n_steps; i > 0; i--)
        if (!gf_op_is_table(t->steps[i - 1].call.op))
            return i - 1;
    return t->n_steps > 0 ? t->n_steps - 1 : 0;
}

/* "2:edges.png" or "2.edges:edges.npy" as step, output and path; the path alone leaves the others as they are. */
static int parse_place(const struct gf_cli *cli, const struct gf_pipe_text *t, const char *option, const char *text,
                       uint32_t *step, uint32_t *output, const char **ret_path)
{
    size_t digits = strspn(text, "0123456789"), word = 0;
    if (digits > 0 && text[digits] == '.')
        word = strspn(text + digits + 1, "abcdefghijklmnopqrstuvwxyz_");
    size_t colon = digits + (word > 0 ? word + 1 : 0);
    *ret_path = text;
    if (digits == 0 || text[colon] != ':')
        return GF_EXIT_OK;
    unsigned long number = strtoul(text, NULL, 10);
    if (number < 1 || number > t->n_steps)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s: there are steps 1..%u", option, text, t->n_steps);
    const struct gf_op *op = t->steps[number - 1].call.op;
    *step = (uint32_t)number - 1;
    *output = word > 0 ? gf_pipe_output(op, text + digits + 1, word) : 0;
    if (*output == op->n_outputs)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--%s %s: %s gives no %.*s", option, text, op->name, (int)word,
                           text + digits + 1);
    *ret_path = text + colon + 1;
    return GF_EXIT_OK;
}

static int add_target(const struct gf_cli *cli, struct gf_pipe *p, const char *text, const char *format)
{
    struct gf_pipe_target *t = &p->targets[p->n_targets];
    struct gf_io_error err;
    *t = (struct gf_pipe_target){.step = last_data(&p->text), .result = p->n_results};
    int code = parse_place(cli, &p->text, "output", text, &t->step, &t->output, &t->path);
    if (code != GF_EXIT_OK)
        return code;
    enum gf_io_status r = format ? gf_image_format_from_word(format, &t->format, &err)
                                 : gf_image_format_from_path(t->path, &t->format, &err);
    if (r == GF_IO_OK)
        r = gf_output_try(t->path, &err);
    if (r != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (cli->json && strcmp(t->path, "-") == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json and the result would both go to standard output; name a file");
    p->n_targets++;
    const struct gf_op_call *call = &p->text.steps[t->step].call;
    if (t->step < p->text.n_steps && t->output == 0)
        code = gf_fit_refuse(cli, call->op, &call->params, t->format, t->path);
    return code == GF_EXIT_OK ? add_result(cli, p, t->step, t->output) : code;
}

static int add_taps(const struct gf_cli *cli, struct gf_pipe *p)
{
    int code = GF_EXIT_OK;
    for (uint32_t i = 0; i < p->text.n_steps; i++) {
        uint32_t tables[GF_MAX_OUTPUTS], n = gf_op_tables(p->text.steps[i].call.op, tables);
        p->taps[i] = p->n_results;
        for (uint32_t k = 0; k < n && code == GF_EXIT_OK; k++)
            code = add_result(cli, p, i, tables[k]);
    }
    return code;
}

static int add_plot(const struct gf_cli *cli, struct gf_pipe *p, const char *text)
{
    struct gf_io_error err;
    uint32_t step = p->text.n_steps, output = 0;
    for (uint32_t i = 0; i < p->text.n_steps; i++)
        if (gf_op_is_histogram(p->text.steps[i].call.op))
            step = i;
    int code = parse_place(cli, &p->text, "plot", text, &step, &output, &p->plot);
    if (code != GF_EXIT_OK)
        return code;
    if (step == p->text.n_steps || !gf_op_is_histogram(p->text.steps[step].call.op))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--plot %s: %s", text,
                           step == p->text.n_steps ? "no step is a histogram" : "that step is no histogram");
    p->plot_step = step;
    if (gf_chart_can_plot(p->plot, &err) != GF_IO_OK || gf_output_try(p->plot, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
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

static int read_operands(const struct gf_cli *cli, struct gf_pipe *p)
{
    struct gf_io_error err;
    for (uint32_t i = 0; i < p->text.n_files; i++) {
        const struct gf_pipe_file *file = &p->text.files[i];
        struct gf_image *image = &p->images[i];
        enum gf_io_status r;
        uint64_t begin = gf_now_ns();
        if (file->mask)
            r = gf_coefs_read(file->path, file->mask, &err);
        else if (file->list)
            r = gf_data_option_read(file->list, file->path, image, &err);
        else if (i == 0 && p->text_dtype)
            r = read_text_array(file->path, p->text_dtype, image, &err);
        else
            r = gf_image_read(file->path, i == 0 ? p->raw : NULL, NULL, image, &err);
        if (r != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        gf_timeline_add(cli->timeline, "read", file->path, begin);
        const struct gf_view *v = file->mask ? &file->mask->view : &image->view;
        void *data = file->mask ? (void *)file->mask->data : image->data;
        p->operands[i] = (gpufilter_view){data, v->width, v->height, v->pitch, v->dtype, v->channels};
    }
    return GF_EXIT_OK;
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
    for (uint32_t i = 0; i < p->n_targets; i++) {
        struct gf_pipe_target *t = &p->targets[i];
        const struct gf_op_call *call = &p->text.steps[t->step].call;
        const gpufilter_view *v = &p->results[t->result].view;
        struct gf_view view = gf_view_tight(v->dtype, v->width, v->height, v->channels);
        if (t->output == 0)
            t->fit = gf_fit_choose(call->op, &call->params, gf_pipe_input(p, t->step, 0).dtype, &view, t->format);
        if (t->fit.dtype)
            view = gf_view_tight(t->fit.dtype, v->width, v->height, v->channels);
        if (gf_image_can_hold(t->format, &view, t->path, &io_err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &io_err);
    }
    return GF_EXIT_OK;
}

/* Has a result converted that its file does not hold. */
static int fit(const struct gf_cli *cli, gpufilter_client *client, const char *device, struct gf_pipe_target *t)
{
    struct gf_fit_steps fitting;
    gpufilter_result results[GF_FIT_RESULTS];
    gpufilter_program program = GPUFILTER_PROGRAM_INIT;
    gpufilter_error err;
    uint64_t begin = gf_now_ns();
    gf_fit_steps_init(&fitting, &t->fit, (gpufilter_ref){.from = GPUFILTER_FROM_OPERAND});
    program.n_steps = GF_FIT_STEPS;
    program.steps = fitting.steps;
    if (gpufilter_run(client, &program, &t->stored, 1, results, gf_fit_results(results, 0), &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    gf_timeline_add_run(cli->timeline, client, begin);
    const struct gf_verify_work work = {.program = &program, .operands = &t->stored, .n_operands = 1};
    int code = cli->verify ? gf_verify(cli, device, &work, results, GF_FIT_RESULTS) : GF_EXIT_OK;
    if (code != GF_EXIT_OK)
        return code;
    t->stored = results[0].view;
    t->count = gf_fit_count_of(&results[0].view, &results[1].view);
    gf_fit_report(cli, &t->fit, &t->count, t->path);
    return GF_EXIT_OK;
}

static int write_target(const struct gf_cli *cli, gpufilter_client *client, const struct gf_pipe *p,
                        struct gf_pipe_target *t)
{
    struct gf_io_error err;
    int code = GF_EXIT_OK;
    t->stored = p->results[t->result].view;
    if (gf_op_is_list(p->text.steps[t->step].call.op) && t->result != p->taps[t->step]) {
        const gpufilter_view *counts = &p->results[p->taps[t->step]].view;
        gf_list_report(cli, counts, t->stored.width);
        gf_list_cut(&t->stored, counts);
    }
    if (t->fit.dtype)
        code = fit(cli, client, p->times.device, t);
    struct gf_view view = gf_list_view(&t->stored);
    struct gf_image_save save = gf_cli_save(cli, &p->images[0].meta);
    uint64_t begin = gf_now_ns();
    if (code == GF_EXIT_OK && gf_image_write(t->path, t->format, &view, t->stored.data, &save, &err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &err);
    gf_timeline_add(cli->timeline, "write", t->path, begin);
    return code;
}

static int run(const struct gf_cli *cli, gpufilter_client *client, struct gf_pipe *p)
{
    gpufilter_error err;
    struct gf_io_error io_err;
    p->times = (gpufilter_times)GPUFILTER_TIMES_INIT;
    uint64_t begin = gf_now_ns();
    if (gpufilter_run_text(client, p->text.text, p->operands, p->text.n_files, p->results, p->n_results, &err) !=
            GPUFILTER_OK ||
        gpufilter_last_times(client, &p->times, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    gf_timeline_add_run(cli->timeline, client, begin);
    const struct gf_verify_work work = {.text = p->text.text, .operands = p->operands, .n_operands = p->text.n_files};
    int code = cli->verify ? gf_verify(cli, p->times.device, &work, p->results, p->n_results) : GF_EXIT_OK;
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++)
        code = write_target(cli, client, p, &p->targets[i]);
    if (code == GF_EXIT_OK && p->plot &&
        gf_chart_plot(p->plot, &p->results[p->taps[p->plot_step]], &io_err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &io_err);
    return code;
}

static bool says_different(const struct gf_pipe *p)
{
    for (uint32_t i = 0; i < p->text.n_steps; i++)
        if (gf_table_says_different(p->text.steps[i].call.op, &p->results[p->taps[i]]))
            return true;
    return false;
}

static int run_and_report(const struct gf_cli *cli, struct gf_pipe *p)
{
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    int code = read_operands(cli, p);
    if (code == GF_EXIT_OK)
        code = check(cli, p);
    if (code == GF_EXIT_OK && cli->explain && !cli->json)
        gf_pipe_explain(cli, p);
    if (code == GF_EXIT_OK)
        code = gf_cli_connect(cli, &client);
    if (code == GF_EXIT_OK)
        code = run(cli, client, p);
    if (code != GF_EXIT_OK)
        return code;
    gf_pipe_report(cli, p);
    return says_different(p) ? GF_EXIT_DIFFERENT : GF_EXIT_OK;
}

/* What the command line says of IN. */
static int take_input(const struct gf_cli *cli, const struct options *o, struct gf_pipe *p, struct gf_view *ret_raw)
{
    struct gf_io_error err;
    if (o->raw && o->in_dtype)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--raw and --in-dtype: samples are bare or text, not both");
    if (o->raw && gf_image_raw_parse(o->raw, ret_raw, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    p->raw = o->raw ? ret_raw : NULL;
    p->text_dtype = o->in_dtype ? gf_dtype_from_word(o->in_dtype) : 0;
    if (o->in_dtype && p->text_dtype == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "--in-dtype %s: there are u8, i8, u16, i16, u32, i32, u64, i64, f32, f64", o->in_dtype);
    return GF_EXIT_OK;
}

/* Nothing would come of it, which may be so because the text is wrong. */
static int fail_without_results(const struct gf_cli *cli, struct gf_pipe *p)
{
    int code = add_result(cli, p, GPUFILTER_LAST_STEP, 0);
    if (code == GF_EXIT_OK)
        code = read_operands(cli, p);
    if (code == GF_EXIT_OK)
        code = check(cli, p);
    if (code != GF_EXIT_OK)
        return code;
    return gf_cli_fail(cli, GF_EXIT_USAGE, "no result is wanted; name a file with -o, or add a step that reports");
}

static int run_pipe(const struct gf_cli *cli, const struct options *o, const char *in, const char *text)
{
    gf_cleanup(pipe_freep) struct gf_pipe *p = calloc(1, sizeof(*p));
    struct gf_view raw;
    if (!p)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    int code = take_input(cli, o, p, &raw);
    if (code == GF_EXIT_OK)
        code = gf_pipe_text_read(cli, in, text, &p->text);
    for (size_t i = 0; i < GF_PIPE_TARGETS && o->outputs[i] && code == GF_EXIT_OK; i++)
        code = add_target(cli, p, o->outputs[i], o->format);
    if (code == GF_EXIT_OK)
        code = add_taps(cli, p);
    if (code == GF_EXIT_OK && o->plot)
        code = add_plot(cli, p, o->plot);
    if (code == GF_EXIT_OK && p->n_results == 0)
        return fail_without_results(cli, p);
    return code == GF_EXIT_OK ? run_and_report(cli, p) : code;
}

int gf_cmd_pipe(struct gf_cli *cli, struct gf_args *args)
{
    static const char *const names[] = {"IN", "PROGRAM"};
    const char *files[2] = {NULL};
    struct options o;
    options_init(&o);
    const struct gf_help help = {.synopsis = "pipe [options] IN 'STEP | STEP ...' -o OUT",
                                 .about = GF_PIPE_ABOUT,
                                 .example = GF_PIPE_EXAMPLE,
                                 .own = {o.rows, GF_ARRAY_LEN(o.rows)}};
    int code = gf_cli_parse(cli, args, &help.own, names, GF_ARRAY_LEN(names), files);
    if (code != GF_EXIT_OK)
        return code;
    return cli->help ? gf_cli_print_help(cli, &help) : run_pipe(cli, &o, files[0], files[1]);
}
