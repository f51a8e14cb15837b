/* SPDX-License-Identifier: MIT */
/* Takes one picture through a pipe, stage by stage; see pipe.h. */
#include "pipe.h"

#include <inttypes.h>
#include <string.h>

#include "adjust.h"
#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/timeline.h"
#include "client/cli/report/histogram.h"
#include "client/cli/report/table.h"
#include "client/cli/stream/stream.h"
#include "client/io/input.h"
#include "client/io/output.h"
#include "op_report.h"
#include "protocol/base/clock.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/histogram.h"
#include "shrink.h"
#include "store.h"

struct gf_pipe_operand *gf_pipe_add_data(struct gf_pipe *p, struct gf_ref *ret)
{
    if (p->program.n_operands == GF_MAX_OPERANDS)
        return NULL;
    *ret = (struct gf_ref){.index = (uint16_t)p->program.n_operands};
    return &p->operands[p->program.n_operands++];
}

enum gf_status gf_pipe_add_file(struct gf_pipe *p, const char *path, const struct gf_input_desc *input,
                                struct gf_ref *ret, struct gf_error *err)
{
    /* In a batch IN is another file each time, so only standard input is shared with IN. */
    for (uint32_t i = strcmp(path, "-") != 0; i < p->program.n_operands && !input; i++)
        if (p->operands[i].path && !p->operands[i].view.data && !p->operands[i].input &&
            strcmp(p->operands[i].path, path) == 0) {
            *ret = (struct gf_ref){.index = (uint16_t)i};
            return GF_OK;
        }
    struct gf_pipe_operand *o = gf_pipe_add_data(p, ret);
    if (!o)
        return gf_error_set(err, GF_E_BAD_REQUEST, "%s: more than %u files", path, GF_MAX_OPERANDS);
    o->input = input;
    o->path = strdup(path);
    return o->path ? GF_OK : gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
}

int gf_pipe_add_target(const struct gf_cli *cli, struct gf_pipe *p, const char *path, uint32_t step, uint32_t output)
{
    if (p->n_targets == GF_PIPE_TARGETS)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "more than %d files", GF_PIPE_TARGETS);
    p->targets[p->n_targets++] = (struct gf_pipe_target){.path = path, .step = step, .output = output};
    return GF_EXIT_OK;
}

static bool add_result(struct gf_pipe *p, uint32_t step, uint32_t output)
{
    if (p->n_results == GF_MAX_RESULTS)
        return false;
    p->outputs[p->n_results] =
        (struct gf_ref){.from = GF_FROM_STEP, .output = (uint8_t)output, .index = (uint16_t)step};
    p->results[p->n_results++] = (gpufilter_result)GPUFILTER_RESULT_INIT;
    return true;
}

uint32_t gf_pipe_tables(const struct gf_pipe *p, uint32_t step, uint32_t ret_outputs[GF_MAX_OUTPUTS])
{
    return p->is_statement && p->n_targets > 0 ? 0 : gf_op_tables(p->program.steps[step].op, ret_outputs);
}

int gf_pipe_list_results(const struct gf_cli *cli, struct gf_pipe *p)
{
    uint32_t fitting = p->program.n_steps; /* the steps of the next fit */
    bool room = true;
    p->n_results = 0;
    for (struct gf_pipe_target *t = p->targets; t < p->targets + p->n_targets && room; t++) {
        t->result = p->n_results;
        const uint32_t n = gf_fit_n_steps(&t->fit), stored = gf_fit_stored(&t->fit);
        room = n == 0 ? add_result(p, t->step, t->output) : add_result(p, fitting + stored, 0);
        room = room && (n < stored + 2 || add_result(p, fitting + stored + 1, 1));
        fitting += n;
    }
    for (uint32_t i = 0; i < p->program.n_steps; i++) {
        uint32_t tables[GF_MAX_OUTPUTS], n = gf_pipe_tables(p, i, tables);
        p->taps[i] = p->n_results;
        for (uint32_t k = 0; k < n && room; k++)
            room = add_result(p, i, tables[k]);
    }
    if (!room)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "more than %u results; write or tap fewer", GF_MAX_RESULTS);
    if (fitting > GF_MAX_STEPS)
        return gf_cli_fail(cli, GF_EXIT_USAGE,
                           "%u steps, %u of them to convert results for their files; at most %u are allowed", fitting,
                           fitting - p->program.n_steps, GF_MAX_STEPS);
    return GF_EXIT_OK;
}

bool gf_pipe_takes_stdout(const struct gf_pipe *p)
{
    for (uint32_t i = 0; i < p->n_targets; i++)
        if (p->targets[i].path && gf_output_is_stdout(p->targets[i].path))
            return true;
    return false;
}

/* The type that tells whether the first input of a step has a white: that of the file if it was read as f32. */
static uint32_t white_dtype(const struct gf_pipe *p, uint32_t step)
{
    const struct gf_ref ref = p->program.steps[step].in[0];
    const uint32_t dtype = ref.from == GF_FROM_OPERAND ? p->operands[ref.index].narrowed.dtype : 0;
    return dtype ? dtype : gf_pipe_input(p, step, 0).dtype;
}

/* Gives standard output the format of IN. */
static int take_format(const struct gf_cli *cli, struct gf_pipe *p)
{
    struct gf_save_formats seen = {.path = NULL};
    bool late = false; /* whether a format becomes known only here */
    for (struct gf_pipe_target *t = p->targets; t < p->targets + p->n_targets; t++) {
        const struct gf_step *step = &p->program.steps[t->step];
        const char *in = p->operands[0].path;
        if (t->as_input) {
            late = true;
            t->format = p->operands[0].image.format;
            if (t->as_y4m && t->format != GF_FORMAT_Y4M)
                return gf_cli_fail(cli, GF_EXIT_USAGE, "%s: is %s; --format y4m writes only y4m from standard input",
                                   gf_input_name(in), p->operands[0].image.kind ? p->operands[0].image.kind : "raw");
            if (t->format == GF_FORMAT_NONE)
                return gf_cli_fail(
                    cli, GF_EXIT_USAGE,
                    "%s: files of its format can be read but not written; name another format with --format: %s",
                    gf_input_name(in), gf_image_format_words());
            int code = gf_fit_refuse(cli, step->op, &step->params, t->format, "standard output");
            if (code != GF_EXIT_OK)
                return code;
        }
        if (t->path)
            gf_save_record(&seen, t->format, strcmp(t->path, "-") == 0 ? "standard output" : t->path);
    }
    return late ? gf_save_check(cli, &seen) : GF_EXIT_OK;
}

/* How the file of a result is stored. */
static struct gf_image_save save_of(const struct gf_cli *cli, const struct gf_pipe *p, const struct gf_pipe_target *t)
{
    struct gf_image_save save = gf_keep_save(cli, &p->operands[0].image.meta, gf_pipe_keeps(p, t));
    save.no_alpha = !gf_pipe_has_alpha(p, t);
    save.pages = t->pages;
    return save;
}

/* Checks that the file of a result can hold it, perhaps after a conversion. */
static int check_target(const struct gf_cli *cli, struct gf_pipe *p, struct gf_pipe_target *t)
{
    const struct gf_step *step = &p->program.steps[t->step];
    struct gf_view view = step->out[t->output];
    struct gf_io_error err;
    if (!t->path)
        return GF_EXIT_OK;
    const struct gf_image *in = &p->operands[0].image;
    if (in->pages > 1 && !t->pages && p->operands[0].path && strcmp(t->path, p->operands[0].path) == 0 &&
        strcmp(t->path, "-") != 0)
        return gf_cli_fail(cli, GF_EXIT_DATA,
                           "%s: has %" PRIu64 " %ss, of which --in-place would leave one; take --page all, or name "
                           "another file",
                           t->path, in->pages, in->page_word);
    if (t->output == 0)
        t->fit = gf_fit_choose(step->op, &step->params, white_dtype(p, t->step), &view, t->format);
    if (t->fit.dtype)
        view = gf_view_tight(t->fit.dtype, view.width, view.height, view.channels);
    const struct gf_image_save save = save_of(cli, p, t);
    if (gf_image_can_store(t->format, &view, &save, t->path, &err) != GF_IO_OK ||
        (t->pages && gf_image_can_hold_pages(t->format, t->pages->n, t->path, &err) != GF_IO_OK))
        return gf_cli_fail_io(cli, &err);
    int code = gf_keep_check(cli, &save, t->format, &view, t->path);
    return code == GF_EXIT_OK ? gf_stream_check(cli, &p->operands[0].image, t->format, &view) : code;
}

/* Checks the program without a daemon. */
static int check_program(const struct gf_cli *cli, struct gf_pipe *p)
{
    struct gf_program *program = &p->program;
    struct gf_error err;
    snprintf(program->device, sizeof(program->device), "auto"); /* the requested device is a property of the
                                                                 * connection */
    for (uint32_t i = 0; i < program->n_operands; i++) {
        struct gf_view view = gf_list_view(&p->operands[i].view);
        struct gf_view tight = gf_view_tight(view.dtype, view.width, view.height, view.channels);
        program->operands[i] =
            (struct gf_operand){.way = GF_WAY_INLINE, .length = gf_view_bytes(&tight), .view = tight};
    }
    program->n_results = p->n_results;
    for (uint32_t i = 0; i < p->n_results; i++)
        program->results[i] =
            (struct gf_result){.step = p->outputs[i].index, .output = p->outputs[i].output, .way = GF_WAY_INLINE};
    if (gf_program_check(program, true, &err) == GF_OK)
        return GF_EXIT_OK;
    /* An error of the program is an error of the command line. */
    return err.status == GF_E_BAD_REQUEST || err.status == GF_E_UNSUPPORTED
               ? gf_cli_fail(cli, GF_EXIT_USAGE, "%s", err.text)
               : gf_cli_fail_error(cli, &err);
}

/* Refuses to decode samples by the curve of sRGB where a file gives them another one. */
static int check_light(const struct gf_cli *cli, const struct gf_pipe *p)
{
    char colour[GF_COLOUR_TEXT], name[GF_PATH_TEXT];
    bool decodes = false;
    for (uint32_t i = 0; i < p->program.n_steps; i++) {
        const struct gf_step *step = &p->program.steps[i];
        decodes |= gf_op_decodes(step->op, &step->params) && (GF_DT(gf_pipe_input(p, i, 0).dtype) & GF_DT_ENCODED) != 0;
    }
    for (uint32_t i = 0; i < p->program.n_operands && decodes; i++) {
        const struct gf_pipe_operand *o = &p->operands[i];
        if (!gf_image_has_srgb_curve(&o->image.meta) && gf_image_colour(&o->image.meta, colour))
            return gf_cli_fail(cli, GF_EXIT_DATA,
                               "%s: light=linear decodes sRGB, but the picture has %s; %sleave light=linear out",
                               o->path ? gf_path_text(o->path, name, sizeof(name)) : "the data", colour,
                               gf_cicp_is_hdr(o->image.meta.cicp[1]) ? "" : "convert it with --srgb, or ");
    }
    return GF_EXIT_OK;
}

int gf_pipe_check(const struct gf_cli *cli, struct gf_pipe *p)
{
    for (struct gf_pipe_target *t = p->targets; t < p->targets + p->n_targets; t++)
        t->fit = (struct gf_fit){.dtype = 0};
    gf_pipe_settle_alpha(p);
    int code = gf_pipe_list_results(cli, p);
    if (code == GF_EXIT_OK)
        code = check_program(cli, p);
    if (code == GF_EXIT_OK)
        code = check_light(cli, p);
    for (uint32_t i = 0; i < p->program.n_steps && code == GF_EXIT_OK; i++)
        if (p->adjusts[i])
            code = gf_adjust_apply(cli, p->adjusts[i], p->amounts[i], white_dtype(p, i), &p->program.steps[i].params);
    if (code == GF_EXIT_OK)
        code = take_format(cli, p);
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++)
        code = check_target(cli, p, &p->targets[i]);
    if (code == GF_EXIT_OK)
        code = gf_pipe_list_results(cli, p);
    if (code == GF_EXIT_OK)
        gf_pipe_report_narrowed(cli, p, p->is_frame ? 1 : 0, p->model ? 1 : p->program.n_operands);
    return code;
}

static void make_request(const struct gf_cli *cli, struct gf_pipe *p)
{
    struct gf_pipe_request *r = &p->request;
    uint32_t n = p->program.n_steps; /* the steps that convert results follow */
    for (const struct gf_pipe_target *t = p->targets; t < p->targets + p->n_targets; t++)
        n += gf_fit_steps_init(&p->program.steps[n], &t->fit, t->step, n);
    for (uint32_t i = 0; i < p->program.n_operands; i++)
        r->operands[i] = p->operands[i].view;
    r->call = (gpufilter_call)GPUFILTER_CALL_INIT;
    r->call.flags = (cli->timeline ? GPUFILTER_CALL_TRACE : 0) | (cli->no_fuse ? GPUFILTER_CALL_UNFUSED : 0);
    r->work = (struct gf_work){.checked = p->program.steps,
                               .n_steps = n,
                               .operands = r->operands,
                               .n_operands = p->program.n_operands,
                               .results = p->results,
                               .outputs = p->outputs,
                               .n_results = p->n_results,
                               .call = &r->call};
}

int gf_pipe_submit(const struct gf_cli *cli, struct gf_pipe *p, gpufilter_client *client)
{
    gpufilter_error err;
    make_request(cli, p);
    p->submit_ns = gf_now_ns();
    if (gf_submit_work(client, &p->request.work, p->results, NULL, &p->id, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    p->client = client;
    return GF_EXIT_OK;
}

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
        return gf_cli_fail_request(cli, &answer.error, gpufilter_last_request(p->client));
    snprintf(p->request_name, sizeof(p->request_name), "%s", gpufilter_last_request(p->client));
    if (gpufilter_last_times(p->client, &p->times, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    gf_timeline_add_run(cli->timeline, p->client, p->submit_ns);
    int code = cli->verify ? gf_verify(cli, p) : GF_EXIT_OK;
    p->awaited = code == GF_EXIT_OK;
    return code;
}

enum gf_keep gf_pipe_keeps(const struct gf_pipe *p, const struct gf_pipe_target *t)
{
    enum gf_keep keep = gf_op_keeps(p->program.steps[t->step].op, t->output);
    if (p->kept > keep)
        keep = p->kept;
    for (uint32_t i = 0; i < t->step; i++) {
        const struct gf_op *op = p->program.steps[i].op;
        if (!gf_op_is_table(op) && gf_op_keeps(op, 0) > keep)
            keep = gf_op_keeps(op, 0);
    }
    return keep;
}

/* Cuts rows to their count, and warns once per step about rows that did not fit. */
static void cut_list(const struct gf_cli *cli, const struct gf_pipe *p, struct gf_pipe_target *t)
{
    const gpufilter_view *counts = &p->results[p->taps[t->step]].view;
    const struct gf_pipe_target *first = p->targets;
    while (first->step != t->step || !gf_output_is_list(p->program.steps[first->step].op, first->output))
        first++;
    if (first == t)
        gf_list_report(cli, counts, t->stored.width);
    gf_list_cut(&t->stored, counts);
}

static int write_target(const struct gf_cli *cli, struct gf_pipe *p, struct gf_pipe_target *t)
{
    struct gf_io_error err;
    char text[64], name[GF_PATH_TEXT], said[GF_IO_ERROR_TEXT];
    t->stored = p->results[t->result].view;
    if (!t->path)
        return GF_EXIT_OK;
    if (gf_output_is_list(p->program.steps[t->step].op, t->output))
        cut_list(cli, p, t);
    struct gf_view view = gf_list_view(&t->stored);
    const bool spread =
        p->operands[0].image.is_bool && t->output == 0 && gf_spread_bool(&view, t->stored.data, t->format);
    struct gf_image_save save = save_of(cli, p, t);
    uint64_t start = gf_now_ns();
    save.changed = &t->changed;
    t->changed = 0;
    if (gf_image_write(t->path, t->format, &view, t->stored.data, &save, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    gf_keep_warn(cli, &save, t->format, t->path);
    gf_pipe_lap(cli, "write", t->path, &start, &p->spent.write);
    if (!p->is_frame)
        gf_palette_report(cli, t->changed, view.width * view.height, t->path);
    if (t->fit.dtype) {
        const gpufilter_view none = {.data = NULL};
        const bool counted = gf_fit_n_steps(&t->fit) > gf_fit_stored(&t->fit) + 1;
        t->count = gf_fit_count_of(&t->stored, counted ? &p->results[t->result + 1].view : &none);
        if (!p->is_frame)
            gf_fit_report(cli, &t->fit, &t->count, t->path);
    }
    snprintf(said, sizeof(said), "%s: bool stored as 0 and 255", t->path);
    if (spread)
        gf_cli_note(cli, said);
    if (cli->verbose && !p->is_frame)
        fprintf(cli->err, GF_CLI_NAME ": %s: %s written to %s as %s, computed on %s\n", cli->command,
                gf_view_text(&view, text, sizeof(text)), gf_path_text(t->path, name, sizeof(name)),
                gf_image_format_word(t->format), p->times.device);
    return GF_EXIT_OK;
}

int gf_pipe_write(const struct gf_cli *cli, struct gf_pipe *p)
{
    struct gf_io_error err;
    int code = gf_pipe_wait(cli, p);
    for (uint32_t i = 0; i < p->n_targets && code == GF_EXIT_OK; i++)
        code = write_target(cli, p, &p->targets[i]);
    if (code == GF_EXIT_OK && p->plot) {
        struct gf_histogram histogram = gf_pipe_histogram(cli, p, p->plot_step);
        uint64_t start = gf_now_ns();
        if (gf_plot_write(p->plot, &histogram, &err) != GF_IO_OK)
            return gf_cli_fail_io(cli, &err);
        gf_pipe_lap(cli, "write", p->plot, &start, &p->spent.write);
    }
    p->spent.whole = gf_now_ns() - p->begin_ns;
    return code;
}

bool gf_pipe_says_different(const struct gf_pipe *p)
{
    uint32_t tables[GF_MAX_OUTPUTS];
    for (uint32_t i = 0; i < p->program.n_steps; i++)
        if (gf_pipe_tables(p, i, tables) > 0 &&
            gf_table_says_different(p->program.steps[i].op, &p->results[p->taps[i]]))
            return true;
    return false;
}

void gf_pipe_reset(struct gf_pipe *p)
{
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    if (p->client && !p->awaited && gpufilter_cancel(p->client, p->id, NULL) == GPUFILTER_OK)
        (void)gpufilter_wait(p->client, p->id, -1, &answer, NULL); /* until then the request uses the memory of IN */
    for (uint32_t i = 0; i < p->n_results && p->client; i++)
        gpufilter_free(p->client, gf_steal_ptr(&p->results[i].view.data));
    gf_image_deinit(&p->operands[0].image);
    p->operands[0].view = (gpufilter_view){.data = NULL};
    p->operands[0].narrowed.dtype = 0;
    if (p->is_changed)
        p->program.steps[0].params = p->asked;
    p->is_changed = false;
    p->client = NULL;
    p->awaited = false;
}

void gf_pipe_deinit(struct gf_pipe *p)
{
    gf_pipe_reset(p);
    for (uint32_t i = 0; i < (p->model ? 1 : p->program.n_operands); i++) {
        gf_image_deinit(&p->operands[i].image);
        gf_coefs_deinit(&p->operands[i].mask);
        free(p->operands[i].path);
    }
    p->program.n_operands = 0;
}

void gf_pipe_freep(struct gf_pipe **p)
{
    if (*p)
        gf_pipe_deinit(*p);
    gf_freep(p);
}

struct gf_view gf_pipe_input(const struct gf_pipe *p, uint32_t step, uint32_t input)
{
    return *gf_program_input_view(&p->program, p->program.steps[step].in[input]);
}

struct gf_histogram gf_pipe_histogram(const struct gf_cli *cli, const struct gf_pipe *p, uint32_t step)
{
    return (struct gf_histogram){.results = &p->results[p->taps[step]],
                                 .params = gf_histogram_params_get(&p->program.steps[step].params),
                                 .name = p->operands[0].path,
                                 .step = cli->op ? 0 : step + 1,
                                 .in = gf_pipe_input(p, step, 0)};
}
