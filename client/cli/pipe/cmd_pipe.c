/* SPDX-License-Identifier: MIT */
/*
 * `pipe`: several operations on one picture or array in one request, or on each of several. A step whose result is a
 * table is a tap: its result is reported, and the next step takes its input. Called by cli.c.
 */
#include <string.h>
#include <unistd.h>

#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/fail.h"
#include "client/cli/batch/batch_list.h"
#include "client/cli/io/output.h"
#include "client/cli/op/op_options.h"
#include "client/cli/op/save_check.h"
#include "client/cli/report/list.h"
#include "client/cli/report/plot.h"
#include "client/cli/report/table.h"
#include "client/cli/stream/stream.h"
#include "pipe.h"
#include "protocol/base/text.h"

/* What the command line says. */
struct options {
    const char *outputs[GF_PIPE_TARGETS], *format, *raw, *in_dtype, *plot;
    struct gf_batch_options batch;
    struct gf_batch_name_options names_how;
    struct gf_option rows[GF_PIPE_TARGETS + 4 + GF_BATCH_OPTIONS + GF_BATCH_NAME_OPTIONS];
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
    *row++ = (struct gf_option){"plot", '\0', "[STEP:]FILE", "draw the last histogram, or a step's, as .svg or .png",
                                &o->plot};
    gf_batch_option_rows(&o->batch, row);
    gf_batch_name_rows(&o->names_how, row + GF_BATCH_OPTIONS);
}

static void pipe_freep(struct gf_pipe **p)
{
    if (*p)
        gf_pipe_deinit(*p);
    gf_freep(p);
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

static int add_target(const struct gf_cli *cli, struct gf_pipe *p, const char *text)
{
    struct gf_pipe_target *t = &p->targets[p->n_targets++];
    *t = (struct gf_pipe_target){.step = last_data(&p->text), .result = p->n_results};
    int code = parse_place(cli, &p->text, "output", text, &t->step, &t->output, &t->path);
    return code == GF_EXIT_OK ? add_result(cli, p, t->step, t->output) : code;
}

/* The last result that is data replaces IN. Where -o names it too, that has to be IN, which gf_batch_names_check sees;
 * it comes first. */
static int add_in_place(const struct gf_cli *cli, const struct options *o, struct gf_pipe *p, const char *in)
{
    uint32_t step = last_data(&p->text), i = 0;
    if (p->text.n_steps > 0 && gf_op_is_table(p->text.steps[step].call.op))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--in-place: no step gives what could replace IN");
    while (i < p->n_targets && p->targets[i].path != o->outputs[i])
        i++;
    int code = GF_EXIT_OK;
    if (i == GF_PIPE_TARGETS)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "more than %d files; --in-place is one", GF_PIPE_TARGETS);
    if (i == p->n_targets) {
        p->targets[p->n_targets++] = (struct gf_pipe_target){.path = in, .step = step, .result = p->n_results};
        code = add_result(cli, p, step, 0);
    }
    const struct gf_pipe_target own = p->targets[i];
    p->targets[i] = p->targets[0];
    p->targets[0] = own;
    return code;
}

/* Whether a result may have the format of IN. */
static bool gives_picture(const struct gf_pipe *p, const struct gf_pipe_target *t)
{
    const struct gf_op *op = t->step < p->text.n_steps ? p->text.steps[t->step].call.op : NULL;
    return op && t->output == 0 && !gf_op_is_table(op) && !gf_op_is_list(op);
}

/* The formats of what is written, as far as they can be known without the data. */
static int check_outputs(const struct gf_cli *cli, const struct options *o, struct gf_pipe *p)
{
    struct gf_io_error err;
    for (struct gf_pipe_target *t = p->targets; t < p->targets + p->n_targets; t++) {
        enum gf_io_status r = GF_IO_OK;
        t->as_input = false;
        if (o->format)
            r = gf_image_format_from_word(o->format, &t->format, &err);
        else if (strcmp(t->path, "-") != 0 || !gives_picture(p, t))
            r = gf_image_format_from_path(t->path, &t->format, &err);
        else
            t->as_input = true;
        if (r != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        if (cli->json && strcmp(t->path, "-") == 0)
            return gf_cli_fail(cli, GF_EXIT_USAGE,
                               "--json and the result would both go to standard output; name a file");
        const struct gf_op_call *call = &p->text.steps[t->step].call;
        if (t->step < p->text.n_steps && t->output == 0 && !t->as_input) {
            int code = gf_fit_refuse(cli, call->op, &call->params, t->format, t->path);
            if (code != GF_EXIT_OK)
                return code;
        }
    }
    if (p->plot && gf_plot_can(p->plot, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
}

static int try_outputs(const struct gf_cli *cli, const struct gf_pipe *p)
{
    struct gf_io_error err;
    for (uint32_t i = 0; i < p->n_targets; i++)
        if (gf_output_try(p->targets[i].path, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    if (p->plot && gf_output_try(p->plot, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
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
    return GF_EXIT_OK;
}

/* What the command line says of IN. */
static int take_input(const struct gf_cli *cli, const struct options *o, const char *in, struct gf_pipe *p)
{
    struct gf_io_error err;
    if (o->raw && o->in_dtype)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--raw and --in-dtype: samples are bare or text, not both");
    if (cli->page && (o->raw || o->in_dtype))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--page and %s: the file has no pages", o->raw ? "--raw" : "--in-dtype");
    if (o->raw && gf_image_raw_parse(o->raw, &p->raw, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    const char *option = o->raw ? "--raw" : "--in-dtype";
    if ((o->raw || o->in_dtype) && gf_image_refuse_header(in, option, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    p->is_raw = o->raw;
    if (o->in_dtype && gf_array_dtype_parse(o->in_dtype, &p->text_dtype, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
}

/* Nothing would come of it, which may be so because the text is wrong. */
static int fail_without_results(const struct gf_cli *cli, struct gf_pipe *p)
{
    int code = add_result(cli, p, GPUFILTER_LAST_STEP, 0);
    if (code == GF_EXIT_OK)
        code = gf_pipe_read(cli, p, NULL);
    if (code != GF_EXIT_OK)
        return code;
    return gf_cli_fail(cli, GF_EXIT_USAGE, "no result is requested; name a file with -o, or add a step that reports");
}

/* The pipe of one file, with names of what is written as they stand on the command line. */
static int make_pipe(const struct gf_cli *cli, const struct options *o, const char *in, const char *text,
                     struct gf_pipe *p)
{
    int code = take_input(cli, o, in, p);
    if (code == GF_EXIT_OK)
        code = gf_pipe_text_read(cli, in, text, &p->text);
    for (size_t i = 0; i < GF_PIPE_TARGETS && o->outputs[i] && code == GF_EXIT_OK; i++)
        code = add_target(cli, p, o->outputs[i]);
    if (code == GF_EXIT_OK && o->names_how.in_place)
        code = add_in_place(cli, o, p, in);
    if (code == GF_EXIT_OK)
        code = add_taps(cli, p);
    if (code == GF_EXIT_OK && o->plot)
        code = add_plot(cli, p, o->plot);
    return code == GF_EXIT_OK && p->n_results == 0 ? fail_without_results(cli, p) : code;
}

static int run_one(const struct gf_cli *cli, struct gf_pipe *p)
{
    gf_cleanup(gf_cli_once_deinit) struct gf_cli_once once = {.cli = cli};
    const struct gf_image_memory memory = gf_cli_once_memory(&once);
    const struct gf_image_load how = {.memory = &memory, .page = cli->page_number};
    int code = try_outputs(cli, p);
    if (code == GF_EXIT_OK)
        code = gf_pipe_read(cli, p, &how);
    if (code == GF_EXIT_OK && cli->explain && !cli->json)
        gf_pipe_explain(cli, p);
    if (code == GF_EXIT_OK)
        code = gf_cli_once_connect(&once);
    if (code == GF_EXIT_OK)
        code = gf_pipe_submit(cli, p, once.client);
    if (code == GF_EXIT_OK)
        code = gf_pipe_finish(cli, p);
    gf_pipe_reset(p);
    return code;
}

/* A pipe for several files. */
struct several {
    const struct options *options;
    const char *text;
};

/* Gives a pipe that was made its next file. */
static int set_file(const struct gf_cli *cli, const struct options *o, const char *in, char *const *out,
                    struct gf_pipe *p)
{
    char **path = &p->text.files[0].path;
    free(*path);
    *path = strdup(in);
    if (!*path)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    for (uint32_t i = 0; i < p->n_targets; i++)
        p->targets[i].path = out[i];
    if (p->plot)
        p->plot = out[p->n_targets];
    return check_outputs(cli, o, p);
}

static int begin(const void *data, const struct gf_batch_file *file, void *at_hand)
{
    const struct several *s = data;
    struct gf_pipe *p = at_hand;
    int code = p->text.text ? GF_EXIT_OK : make_pipe(file->cli, s->options, file->in, s->text, p);
    if (code == GF_EXIT_OK)
        code = set_file(file->cli, s->options, file->in, file->out, p);
    if (code == GF_EXIT_OK)
        code = gf_pipe_read(file->cli, p, &file->how);
    return code == GF_EXIT_OK ? gf_pipe_submit(file->cli, p, file->client) : code;
}

static int end(const struct gf_batch_file *file, void *at_hand)
{
    return gf_pipe_finish(file->cli, at_hand);
}

static void reset(void *at_hand)
{
    gf_pipe_reset(at_hand);
}

static void deinit(void *at_hand)
{
    gf_pipe_deinit(at_hand);
}

/* The names of what is written, made of those on the command line. */
static int make_names(const struct gf_cli *cli, const struct options *o, const struct gf_operands *operands,
                      struct gf_pipe *p, struct gf_batch_names *names)
{
    char *templates[GF_BATCH_TEMPLATES] = {NULL};
    const char *also[GF_MAX_OPERANDS] = {NULL};
    struct gf_io_error err = {.status = GF_IO_OK};
    bool more = true;
    size_t n = 0;
    for (; n < p->n_targets && more; n++) {
        bool is_in = p->targets[n].path == operands->of[0];
        templates[n] = is_in ? NULL : gf_batch_template(p->targets[n].path, false);
        more = is_in || templates[n];
    }
    if (p->plot && more) {
        templates[n] = gf_batch_template(p->plot, false);
        more = templates[n++];
    }
    for (uint32_t i = 1; i < p->text.n_files; i++)
        also[i] = p->text.files[i].path;
    const struct gf_batch_wish wish = {.in = operands->of,
                                       .n = operands->n - 1,
                                       .also = also,
                                       .n_also = GF_MAX_OPERANDS,
                                       .out = (const char *const *)templates,
                                       .n_out = n,
                                       .in_place = o->names_how.in_place};
    struct gf_save_seen seen = {.path = NULL};
    if (more)
        (void)gf_batch_names_init(names, &wish, &err);
    for (size_t i = 0; i < n; i++)
        free(templates[i]);
    int code = !more                    ? gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory")
               : err.status != GF_IO_OK ? gf_cli_fail_io(cli, &err)
                                        : GF_EXIT_OK;
    if (code == GF_EXIT_OK)
        code = gf_batch_take_shard(cli, &o->batch, names);
    for (size_t i = names->wish.n; i > 0 && code == GF_EXIT_OK; i--) { /* the first is the last, and stays */
        code = set_file(cli, o, names->wish.in[i - 1], names->out + (i - 1) * n, p);
        for (uint32_t t = 0; t < p->n_targets; t++)
            gf_save_see(&seen, p->targets[t].format, p->targets[t].path);
    }
    if (code == GF_EXIT_OK)
        code = gf_save_check(cli, &seen);
    if (code == GF_EXIT_OK && gf_batch_names_check(names, o->names_how.parents, &err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &err);
    return code == GF_EXIT_OK ? gf_batch_skip_existing(cli, &o->batch, names) : code;
}

static int run_several(const struct gf_cli *cli, const struct options *o, const char *text,
                       const struct gf_batch_names *names)
{
    const struct several several = {.options = o, .text = text};
    const struct gf_batch_work work = {.data = &several,
                                       .capacity = sizeof(struct gf_pipe),
                                       .begin = begin,
                                       .end = end,
                                       .reset = reset,
                                       .deinit = deinit};
    return gf_batch_run(cli, &o->batch, names, &work);
}

/* A stream: what its pictures have in common, and what they come to. */
struct frames {
    struct several several;
    const struct gf_pipe *pipe;
    struct gf_fit fit;
    struct gf_fit_count count;
};

static int begin_frame(void *data, const struct gf_cli *cli, gpufilter_client *client, struct gf_image *picture,
                       void *at_hand)
{
    const struct frames *f = data;
    struct gf_pipe *p = at_hand;
    int code = p->text.text ? GF_EXIT_OK : make_pipe(cli, f->several.options, "-", f->several.text, p);
    if (code == GF_EXIT_OK)
        code = check_outputs(cli, f->several.options, p);
    if (code != GF_EXIT_OK)
        return code;
    p->images[0] = *picture;
    *picture = GF_IMAGE_NULL;
    code = gf_pipe_read(cli, p, NULL);
    return code == GF_EXIT_OK ? gf_pipe_submit(cli, p, client) : code;
}

static int wait_frame(const struct gf_cli *cli, void *at_hand)
{
    return gf_pipe_wait(cli, at_hand);
}

/* What a fit does is told once, of all. */
static int end_frame(void *data, const struct gf_cli *cli, void *at_hand)
{
    struct frames *f = data;
    struct gf_pipe *p = at_hand;
    struct gf_cli quiet = *cli;
    quiet.quiet = "";
    int code = gf_pipe_finish(&quiet, p);
    f->fit = p->targets[0].fit;
    gf_fit_count_add(&f->count, &p->targets[0].count);
    return code;
}

static bool moves_grey(const void *data)
{
    const struct frames *f = data;
    bool moves = f->fit.dtype;
    for (uint32_t i = 0; i < f->pipe->text.n_steps; i++)
        moves |= gf_stream_moves_grey(f->pipe->text.steps[i].call.op);
    return moves;
}

/* Whether it goes from standard input to standard output, a picture for a picture. */
static bool is_stream(const struct gf_cli *cli, const struct gf_pipe *p)
{
    bool goes = gf_stream_goes(cli) && !p->text_dtype && p->n_targets == 1 && p->n_results == 1 && !p->plot &&
                strcmp(p->targets[0].path, "-") == 0 && strcmp(p->text.files[0].path, "-") == 0 &&
                gives_picture(p, &p->targets[0]);
    for (uint32_t i = 1; i < p->text.n_files; i++)
        goes = goes && strcmp(p->text.files[i].path, "-") != 0;
    return goes;
}

static int run_stream(const struct gf_cli *cli, const struct options *o, const char *text, const struct gf_pipe *p)
{
    struct frames frames = {.several = {.options = o, .text = text}, .pipe = p};
    const struct gf_stream_work work = {.data = &frames,
                                        .capacity = sizeof(struct gf_pipe),
                                        .begin = begin_frame,
                                        .wait = wait_frame,
                                        .end = end_frame,
                                        .reset = reset,
                                        .deinit = deinit,
                                        .moves_grey = moves_grey};
    int code = gf_stream_run(cli, p->is_raw ? &p->raw : NULL, &work);
    if (frames.fit.dtype)
        gf_fit_report(cli, &frames.fit, &frames.count, "-");
    return code;
}

/* Whether the list and a file of the program would both be read from standard input. */
static int check_standard_input(const struct gf_cli *cli, const struct options *o, const struct gf_pipe_text *t)
{
    if (o->batch.files_from && strcmp(o->batch.files_from, "-") == 0)
        for (uint32_t i = 1; i < t->n_files; i++)
            if (t->files[i].path && strcmp(t->files[i].path, "-") == 0)
                return gf_cli_fail(cli, GF_EXIT_USAGE, "--files-from and @- would both read standard input");
    return GF_EXIT_OK;
}

static int run_pipe(const struct gf_cli *cli, const struct options *o, const struct gf_operands *operands)
{
    gf_cleanup(pipe_freep) struct gf_pipe *p = calloc(1, sizeof(*p));
    gf_cleanup(gf_batch_names_deinit) struct gf_batch_names names = GF_BATCH_NAMES_NULL;
    const char *text = operands->of[operands->n - 1];
    uint32_t jobs = 0;
    if (!p)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    int code = gf_batch_options_check(cli, &o->batch, &jobs);
    if (code == GF_EXIT_OK)
        code = make_pipe(cli, o, operands->of[0], text, p);
    if (code == GF_EXIT_OK)
        code = check_standard_input(cli, o, &p->text);
    if (code != GF_EXIT_OK)
        return code;
    bool several = operands->n > 2 || gf_batch_list_wanted(&o->batch) || (p->plot && gf_batch_is_template(p->plot));
    for (uint32_t i = 0; i < p->n_targets; i++)
        several |= p->targets[i].path != operands->of[0] && gf_batch_is_template(p->targets[i].path);
    code = make_names(cli, o, operands, p, &names);
    if (code != GF_EXIT_OK)
        return code;
    if (!several && is_stream(cli, p))
        return run_stream(cli, o, text, p);
    return several ? run_several(cli, o, text, &names) : run_one(cli, p);
}

int gf_pipe_channels(const struct gf_cli *cli, const char *in, const char *const *files, size_t n, const char *format)
{
    char program[GF_MAX_CHANNELS * 32] = "";
    const char *words[] = {in, program};
    char *places[GF_MAX_CHANNELS] = {NULL};
    struct options o;
    int code = GF_EXIT_OK;
    options_init(&o);
    o.format = format;
    for (size_t i = 0; i < n && code == GF_EXIT_OK; i++) {
        gf_text_append(program, sizeof(program), "%scopy src=#0 channel=%zu", i > 0 ? " | " : "", i + 1);
        if (asprintf(&places[i], "%zu:%s", i + 1, files[i]) < 0)
            code = gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
        o.outputs[i] = places[i];
    }
    if (code == GF_EXIT_OK)
        code = run_pipe(cli, &o, &(struct gf_operands){words, GF_ARRAY_LEN(words)});
    for (size_t i = 0; i < n; i++)
        free(places[i]);
    return code;
}

/* "pipe in.png blur sigma=2": what should be one word is several, of which the first names an operation and no file. */
static int check_quotes(const struct gf_cli *cli, const struct gf_operands *operands)
{
    char steps[256] = "";
    for (size_t i = 0; i + 1 < operands->n; i++) {
        if (!gf_op_by_word(operands->of[i]) || access(operands->of[i], F_OK) == 0)
            continue;
        for (size_t k = i; k < operands->n; k++)
            gf_text_append(steps, sizeof(steps), "%s%s", k > i ? " " : "", operands->of[k]);
        return gf_cli_fail(cli, GF_EXIT_USAGE, "%s is an operation, and there is no such file; quote the steps: '%s'",
                           operands->of[i], steps);
    }
    return GF_EXIT_OK;
}

/* Reads the list in the place of operands, of which the program is the only one. */
static int run_list(const struct gf_cli *cli, const struct options *o, const struct gf_operands *operands)
{
    gf_cleanup(gf_batch_list_deinit) struct gf_batch_list list = {.names = {.n = 0}};
    if (operands->n != 1)
        return operands->n == 0
                   ? gf_cli_fail(cli, GF_EXIT_USAGE, "PROGRAM is missing, e.g. 'gaussian sigma=1 | stats'; see --help")
                   : gf_cli_fail(cli, GF_EXIT_USAGE, "\"%s\": --files-from names what is read; leave this operand out",
                                 operands->of[0]);
    int code = gf_batch_list_read(cli, o->batch.files_from, &list);
    if (code != GF_EXIT_OK || list.names.n == 0)
        return code;
    list.names.of[list.names.n++] = operands->of[0];
    return run_pipe(cli, o, &list.names);
}

int gf_cmd_pipe(struct gf_cli *cli, struct gf_args *args)
{
    static const char *const names[] = {"IN", "PROGRAM"};
    gf_cleanup(gf_operands_deinit) struct gf_operands operands = {.n = 0};
    const char *files[2] = {NULL};
    struct gf_io_error err;
    struct options o;
    options_init(&o);
    const struct gf_help help = {.synopsis = "pipe [options] IN... 'STEP | STEP ...' -o OUT",
                                 .about = GF_PIPE_ABOUT,
                                 .example = GF_PIPE_EXAMPLE,
                                 .own = {o.rows, GF_ARRAY_LEN(o.rows)}};
    int code = gf_cli_parse_all(cli, args, &help.own, &operands);
    if (code != GF_EXIT_OK)
        return code;
    if (cli->help)
        return gf_cli_print_help(cli, &help);
    if (o.batch.files_from)
        return run_list(cli, &o, &operands);
    if (operands.n < 2 && gf_args_match(args, &operands, names, 2, files, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    code = check_quotes(cli, &operands);
    return code == GF_EXIT_OK ? run_pipe(cli, &o, &operands) : code;
}
