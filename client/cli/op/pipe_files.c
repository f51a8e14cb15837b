/* SPDX-License-Identifier: MIT */
/* Names the files of a pipe and runs it on one file, on several, or on a stream; see pipe_files.h. */
#include "pipe_files.h"

#include <string.h>
#include <strings.h>

#include "adjust.h"
#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/report/histogram.h"
#include "client/cli/report/table.h"
#include "client/cli/stream/stream.h"
#include "client/io/output.h"
#include "pipe_pages.h"
#include "store.h"

int gf_pipe_take_input(const struct gf_cli *cli, const struct gf_pipe_files *f, struct gf_pipe *p)
{
    struct gf_io_error err;
    const char *option = f->raw ? "--raw" : "--in-dtype";
    p->is_raw = f->raw;
    if (f->in_dtype && gf_array_dtype_parse(f->in_dtype, &p->text_dtype, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (f->raw && f->in_dtype)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--raw and --in-dtype: samples are bare or text, not both");
    if (cli->all_pages && (cli->timing || cli->explain || cli->timeline))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--timing, --explain, --trace and --otlp are for one page at a time");
    if (cli->page && (f->raw || f->in_dtype))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--page and %s: the file has no pages", option);
    if (cli->bands && (f->raw || f->in_dtype))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--bands and %s: --bands applies to tiff", option);
    if (f->raw && gf_image_raw_parse(f->raw, &p->raw, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    for (size_t i = 0; (f->raw || f->in_dtype) && i < f->n; i++)
        if (gf_image_refuse_header(f->in[i], option, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
}

/* Whether a target may have the format of IN. */
static bool gives_picture(const struct gf_pipe *p, const struct gf_pipe_target *t)
{
    const struct gf_op *op = p->program.steps[t->step].op;
    return t->output == 0 && !gf_op_is_table(op) && !gf_op_is_list(op);
}

int gf_pipe_find_format(const struct gf_cli *cli, const struct gf_pipe_files *f, const struct gf_pipe *p,
                        struct gf_pipe_target *t)
{
    struct gf_io_error err;
    const struct gf_step *step = &p->program.steps[t->step];
    enum gf_io_status r = GF_IO_OK;
    t->format = GF_FORMAT_NONE;
    const bool is_named = p->operands[0].view.data != NULL; /* data of a session, which has no file format */
    t->as_y4m = f->format && strcasecmp(f->format, "y4m") == 0;
    t->as_input = (!f->format || t->as_y4m) && !is_named && gf_output_is_stdout(t->path) && gives_picture(p, t);
    if (f->format && !t->as_input)
        r = gf_image_format_from_word(f->format, &t->format, &err);
    else if (!t->as_input)
        r = gf_image_format_from_path(t->path, &t->format, &err);
    if (r != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    if (cli->json && gf_output_is_stdout(t->path))
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--json and the %s would both go to standard output; name a file",
                           f->result);
    return t->output == 0 && !t->as_input ? gf_fit_refuse(cli, step->op, &step->params, t->format, t->path)
                                          : GF_EXIT_OK;
}

/* The paths of the files to write, in order. */
static size_t paths_of(struct gf_pipe *p, const char **ret_paths[GF_BATCH_TEMPLATES])
{
    size_t n = 0;
    for (uint32_t i = 0; i < p->n_targets; i++)
        if (p->targets[i].path)
            ret_paths[n++] = &p->targets[i].path;
    if (p->plot)
        ret_paths[n++] = &p->plot;
    return n;
}

/* Gives the pipe its next file. */
static int set_file(const struct gf_cli *cli, const struct gf_pipe_files *f, const char *in, char *const *out,
                    struct gf_pipe *p)
{
    struct gf_io_error err;
    const char **paths[GF_BATCH_TEMPLATES];
    size_t n = paths_of(p, paths);
    int code = GF_EXIT_OK;
    free(p->operands[0].path);
    p->operands[0].path = strdup(in);
    if (!p->operands[0].path)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    for (size_t i = 0; i < n; i++)
        *paths[i] = out[i];
    if (p->plot && gf_plot_can(p->plot, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++)
        if (p->targets[i].path)
            code = gf_pipe_find_format(cli, f, p, &p->targets[i]);
    return code;
}

/* Makes the names of the files to write from the command line. The names borrow `also`, the remaining files to read. */
static int make_names(const struct gf_cli *cli, const struct gf_pipe_files *f, struct gf_pipe *p,
                      const char *also[GF_MAX_OPERANDS], struct gf_batch_names *names)
{
    const char **paths[GF_BATCH_TEMPLATES];
    char *templates[GF_BATCH_TEMPLATES] = {NULL};
    struct gf_io_error err = {.status = GF_IO_OK};
    bool more = true;
    size_t n = paths_of(p, paths);
    for (size_t i = 0; i < n && more; i++) {
        bool is_in = f->names_how.in_place && *paths[i] == f->in[0];
        templates[i] = is_in ? NULL : gf_batch_template(*paths[i], i == 0 && f->plain);
        more = is_in || templates[i];
    }
    for (uint32_t i = 1; i < p->program.n_operands; i++)
        also[i] = p->operands[i].path;
    const struct gf_batch_wish wish = {.in = f->in,
                                       .n = f->n,
                                       .also = also,
                                       .n_also = p->program.n_operands,
                                       .out = (const char *const *)templates,
                                       .n_out = n,
                                       .in_place = f->names_how.in_place,
                                       .pages = cli->all_pages};
    if (more)
        (void)gf_batch_names_init(names, &wish, &err);
    for (size_t i = 0; i < n; i++)
        free(templates[i]);
    names->wish.out = NULL;
    if (!more)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    return err.status == GF_IO_OK ? gf_batch_take_shard(cli, &f->batch, names) : gf_cli_fail_io(cli, &err);
}

/* Checks that every file can be written by its format and its name. */
static int check_names(const struct gf_cli *cli, const struct gf_pipe_files *f, struct gf_pipe *p,
                       struct gf_batch_names *names)
{
    struct gf_io_error err;
    struct gf_save_formats seen = {.path = NULL};
    int code = GF_EXIT_OK;
    for (size_t i = 0; i < names->wish.n && code == GF_EXIT_OK; i++) {
        code = set_file(cli, f, names->wish.in[i], names->out + i * names->wish.n_out, p);
        for (size_t t = 0; t < names->wish.n_out && code == GF_EXIT_OK && f->batch.skip_existing && cli->all_pages; t++)
            if (gf_batch_has_page(names->out[i * names->wish.n_out + t]))
                code = gf_cli_fail(cli, GF_EXIT_USAGE,
                                   "--skip-existing and " GF_BATCH_PAGE
                                   ": how many files belong to an input is known only "
                                   "when it is read");
        for (uint32_t t = 0; t < p->n_targets && code == GF_EXIT_OK; t++)
            if (p->targets[t].path)
                gf_save_record(&seen, p->targets[t].format, p->targets[t].path);
    }
    if (code == GF_EXIT_OK)
        code = gf_save_check(cli, &seen);
    if (code == GF_EXIT_OK && gf_batch_names_check(names, f->names_how.parents, &err) != GF_IO_OK)
        code = gf_cli_fail_io(cli, &err);
    return code == GF_EXIT_OK ? gf_batch_skip_existing(cli, &f->batch, names) : code;
}

/* The last stage: writes and reports the results. */
static int finish(const struct gf_cli *cli, struct gf_pipe *p, gf_pipe_report_fn *report)
{
    int code = gf_pipe_write(cli, p);
    if (code != GF_EXIT_OK)
        return code;
    report(cli, p);
    return gf_pipe_says_different(p) ? GF_EXIT_DIFFERENT : GF_EXIT_OK;
}

static int run_pages(const struct gf_cli *cli, struct gf_pipe *p, gf_pipe_report_fn *report)
{
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    int code = gf_pipe_read_others(cli, p);
    if (code == GF_EXIT_OK)
        code = gf_cli_connect(cli, &client);
    const struct gf_image_memory memory = gf_cli_memory(client);
    struct gf_image_load how = cli->load;
    how.memory = &memory;
    const struct gf_pages_work work = {.pipe = p, .client = client, .how = &how, .finish = finish, .report = report};
    if (code == GF_EXIT_OK)
        code = gf_pages_run(cli, &work);
    gf_pipe_deinit(p);
    return code;
}

static int run_one(const struct gf_cli *cli, struct gf_pipe *p, gf_pipe_report_fn *explain, gf_pipe_report_fn *report)
{
    gf_cleanup(gf_cli_once_deinit) struct gf_cli_once once = {.cli = cli};
    const struct gf_image_memory memory = gf_cli_once_memory(&once);
    struct gf_image_load how = cli->load;
    const char **paths[GF_BATCH_TEMPLATES];
    struct gf_io_error err;
    how.memory = &memory;
    for (size_t i = 0, n = paths_of(p, paths); i < n; i++)
        if (gf_output_try(*paths[i], &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
    if (cli->all_pages)
        return run_pages(cli, p, report);
    int code = gf_pipe_read(cli, p, &how);
    p->spent.decode -= once.connect_ns; /* the connection was opened during decoding */
    if (code == GF_EXIT_OK)
        code = gf_pipe_check(cli, p);
    if (code == GF_EXIT_OK && cli->explain && !cli->json)
        explain(cli, p);
    if (code == GF_EXIT_OK)
        code = gf_cli_once_connect(&once);
    p->spent.connect = once.connect_ns;
    if (code == GF_EXIT_OK)
        code = gf_pipe_submit(cli, p, once.client);
    if (code == GF_EXIT_OK)
        code = finish(cli, p, report);
    gf_pipe_deinit(p); /* while the client is open, because inputs may be in memory shared with it */
    return code;
}

/* What the files of a batch or the pictures of a stream share. */
struct several {
    const struct gf_pipe *model;
    const struct gf_pipe_files *files;
    gf_pipe_report_fn *report;
    struct gf_fit fit; /* of a stream */
    struct gf_fit_count count;
    uint64_t changed, pixels;
    struct gf_narrowed narrowed;
};

/* Copies the model into a slot that has no copy yet. */
static void copy_model(const struct several *s, struct gf_pipe *p)
{
    if (p->model)
        return;
    *p = *s->model;
    p->model = s->model;
    p->operands[0] = (struct gf_pipe_operand){.path = NULL};
}

static int begin_file(const void *data, const struct gf_batch_file *file, void *at_hand)
{
    const struct several *s = data;
    copy_model(s, at_hand);
    int code = set_file(file->cli, s->files, file->in, file->out, at_hand);
    if (file->cli->all_pages) /* at the end, one page after another */
        return code;
    if (code == GF_EXIT_OK)
        code = gf_pipe_read(file->cli, at_hand, &file->how);
    if (code == GF_EXIT_OK)
        code = gf_pipe_check(file->cli, at_hand);
    return code == GF_EXIT_OK ? gf_pipe_submit(file->cli, at_hand, file->client) : code;
}

static int end_file(const void *data, const struct gf_batch_file *file, void *at_hand)
{
    const struct several *s = data;
    const struct gf_pages_work work = {
        .pipe = at_hand, .client = file->client, .how = &file->how, .finish = finish, .report = s->report};
    return file->cli->all_pages ? gf_pages_run(file->cli, &work) : finish(file->cli, at_hand, s->report);
}

static void reset(void *at_hand)
{
    gf_pipe_reset(at_hand);
}

static void deinit(void *at_hand)
{
    gf_pipe_deinit(at_hand);
}

static int run_batch(const struct gf_cli *cli, const struct several *s, const struct gf_batch_names *names)
{
    const struct gf_batch_work work = {.data = s,
                                       .capacity = sizeof(struct gf_pipe),
                                       .begin = begin_file,
                                       .end = end_file,
                                       .reset = reset,
                                       .deinit = deinit};
    return gf_batch_run(cli, &s->files->batch, names, &work);
}

static int begin_frame(void *data, const struct gf_cli *cli, gpufilter_client *client, struct gf_image *picture,
                       void *at_hand)
{
    struct gf_pipe *p = at_hand;
    copy_model(data, p);
    if (!p->operands[0].path && !(p->operands[0].path = strdup("-")))
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    p->is_frame = true;
    p->operands[0].image = *picture;
    *picture = GF_IMAGE_NULL;
    struct gf_cli each = *cli;
    each.said = NULL; /* a flaw is that of one frame */
    int code = gf_pipe_read(&each, p, NULL);
    if (code == GF_EXIT_OK)
        code = gf_pipe_check(cli, p);
    return code == GF_EXIT_OK ? gf_pipe_submit(cli, p, client) : code;
}

static int wait_frame(const struct gf_cli *cli, void *at_hand)
{
    return gf_pipe_wait(cli, at_hand);
}

/* A fit and a conversion of the input are reported once, for all pictures. */
static int end_frame(void *data, const struct gf_cli *cli, void *at_hand)
{
    struct several *s = data;
    const struct gf_pipe *p = at_hand;
    struct gf_cli quiet = *cli;
    quiet.quiet = "";
    int code = finish(&quiet, at_hand, s->report);
    s->fit = p->targets[0].fit;
    gf_fit_count_add(&s->count, &p->targets[0].count);
    s->changed += p->targets[0].changed;
    s->pixels += p->targets[0].stored.width * p->targets[0].stored.height;
    gf_narrowed_add(&s->narrowed, &p->operands[0].narrowed);
    return code;
}

static bool moves_grey(const void *data)
{
    const struct several *s = data;
    bool moves = s->fit.dtype;
    for (uint32_t i = 0; i < s->model->program.n_steps; i++)
        moves |= s->model->adjusts[i] ? gf_adjust_moves_grey(s->model->adjusts[i])
                                      : gf_stream_moves_grey(s->model->program.steps[i].op);
    return moves;
}

/* Whether the pipe runs from standard input to standard output, with one output picture per input picture. The tables
 * of an operation are not printed, as always when its result goes to standard output. */
static bool is_stream(const struct gf_cli *cli, const struct gf_pipe *p)
{
    bool goes = gf_stream_is_possible(cli) && !p->text_dtype && p->n_targets == 1 && (cli->op || p->n_results == 1) &&
                !p->plot && p->targets[0].path && gf_output_is_stdout(p->targets[0].path) &&
                strcmp(p->operands[0].path, "-") == 0 && gives_picture(p, &p->targets[0]);
    for (uint32_t i = 1; i < p->program.n_operands; i++)
        goes = goes && !(p->operands[i].path && strcmp(p->operands[i].path, "-") == 0);
    return goes;
}

static int run_stream(const struct gf_cli *cli, struct several *s)
{
    const struct gf_stream_work work = {.data = s,
                                        .capacity = sizeof(struct gf_pipe),
                                        .begin = begin_frame,
                                        .wait = wait_frame,
                                        .end = end_frame,
                                        .reset = reset,
                                        .deinit = deinit,
                                        .moves_grey = moves_grey};
    int code = gf_stream_run(cli, s->model->is_raw ? &s->model->raw : NULL, &work);
    gf_narrow_report(cli, &s->narrowed, "-");
    gf_fit_report(cli, &s->fit, &s->count, "-");
    gf_palette_report(cli, s->changed, s->pixels, "-");
    return code;
}

int gf_pipe_run(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_pipe_files *f, gf_pipe_report_fn *explain,
                gf_pipe_report_fn *report)
{
    gf_cleanup(gf_batch_names_deinit) struct gf_batch_names names = GF_BATCH_NAMES_NULL;
    struct several s = {.model = p, .files = f, .report = report};
    const char *also[GF_MAX_OPERANDS] = {NULL};
    uint32_t jobs = 0;
    int code = gf_batch_options_check(cli, &f->batch, &jobs);
    if (code == GF_EXIT_OK)
        code = make_names(cli, f, p, also, &names);
    if (code == GF_EXIT_OK)
        code = check_names(cli, f, p, &names);
    if (code != GF_EXIT_OK)
        return code;
    bool stream = !f->several && is_stream(cli, p);
    if (!stream && !f->several)
        return run_one(cli, p, explain, report);
    code = gf_pipe_read_others(cli, p);
    if (code != GF_EXIT_OK)
        return code;
    return stream ? run_stream(cli, &s) : run_batch(cli, &s, &names);
}
