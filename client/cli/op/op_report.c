/* SPDX-License-Identifier: MIT */
/* Reports and verifies a run; see op_report.h. */
#include "op_report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/base/timeline.h"
#include "client/cli/report/histogram.h"
#include "client/cli/report/table.h"
#include "client/io/io_error.h"
#include "op_options.h"
#include "protocol/base/clock.h"
#include "protocol/base/dtype.h"
#include "protocol/base/limits.h"

/* Stages in the order in which they happen; `key` is the JSON key. */
struct stage {
    const char *key;
    const char *label;
    uint64_t ns;
};

const char *gf_hash_of(const gpufilter_view *view, char text[GF_HASH_TEXT])
{
    const struct gf_view v = gf_list_view(view);
    uint64_t hash = 0xcbf29ce484222325u;
    uint64_t row = gf_view_row_bytes(&v);
    for (uint64_t y = 0; y < v.height; y++) {
        const uint8_t *p = (const uint8_t *)view->data + y * v.pitch;
        for (uint64_t i = 0; i < row; i++)
            hash = (hash ^ p[i]) * 0x100000001b3u;
    }
    snprintf(text, GF_HASH_TEXT, "fnv1a64:%016" PRIx64, hash);
    return text;
}

#define N_STAGES 10

static void stages_of(const struct gf_pipe *p, struct stage *ret_stages)
{
    const struct stage stages[N_STAGES] = {
        {"read", "read the input", p->spent.read},
        {"decode", "decode it", p->spent.decode},
        {"connect", "connect", p->spent.connect},
        {"queue", "queue", p->times.queue_ns},
        {"copy_in", "copy in", p->times.copy_in_ns},
        {"kernel", "kernel", p->times.kernel_ns},
        {"copy_out", "copy out", p->times.copy_out_ns},
        {"total", "daemon total", p->times.total_ns},
        {"round_trip", "round trip total", p->times.round_trip_ns},
        {"write", "encode and write", p->spent.write},
    };
    memcpy(ret_stages, stages, sizeof(stages));
}

static void print_timing(const struct gf_cli *cli, const struct gf_pipe *p)
{
    struct stage stages[N_STAGES];
    stages_of(p, stages);
    fprintf(cli->err, "%-20s %10s\n", p->times.device, "ms");
    for (size_t i = 0; i < N_STAGES; i++)
        fprintf(cli->err, "%-20s %10.3f\n", stages[i].label, (double)stages[i].ns / 1e6);
    fprintf(cli->err, "%-20s %10.3f\n", "everything", (double)p->spent.whole / 1e6);
    if (p->request_name[0])
        fprintf(cli->err, "%-20s %s\n", "request", p->request_name);
}

void gf_report_view(struct gf_json *json, const char *path, const gpufilter_view *view)
{
    gf_json_text(json, "path", path);
    gf_json_u64(json, "width", view->width);
    gf_json_u64(json, "height", view->height);
    gf_json_u64(json, "channels", view->channels);
    gf_json_text(json, "dtype", gf_dtype_word(view->dtype));
}

static void put_targets(struct gf_json *json, const struct gf_pipe *p)
{
    const struct gf_op *op = p->program.steps[0].op;
    for (const struct gf_pipe_target *t = p->targets; t < p->targets + p->n_targets; t++) {
        if (!t->path)
            continue;
        gf_json_object(json, t->output > 0 ? op->outputs[t->output].name : "output");
        gf_report_view(json, t->path, &t->stored);
        if (t->output == 0)
            gf_json_text(json, "format", gf_image_format_word(t->format));
        if (t->fit.dtype)
            gf_json_u64(json, "saturated", t->count.saturated);
        gf_json_object_end(json);
    }
}

/* The result that --hash covers: data if there are any. */
static const gpufilter_view *first_result(const struct gf_pipe *p)
{
    return p->n_targets > 0 ? &p->targets[0].stored : &p->results[0].view;
}

static void print_json(const struct gf_cli *cli, const struct gf_pipe *p)
{
    const struct gf_op *op = p->program.steps[0].op;
    const struct gf_view in = gf_pipe_input(p, 0, 0);
    struct gf_json json = {.out = cli->out};
    struct stage stages[N_STAGES];
    struct gf_plan plan;
    char hash[GF_HASH_TEXT];
    uint32_t tables[GF_MAX_OUTPUTS];
    gf_json_object(&json, NULL);
    gf_json_text(&json, "op", op->name);
    gf_json_text(&json, "device", p->times.device);
    gf_json_text(&json, "request", p->request_name);
    if (gf_op_tables(op, tables) > 0)
        gf_table_json(&json, op, &p->results[p->taps[0]], &in);
    gf_json_object(&json, "input");
    gf_report_view(&json, p->operands[0].path, &p->operands[0].view);
    if (p->page > 0)
        gf_json_u64(&json, "page", p->page);
    gf_json_object_end(&json);
    put_targets(&json, p);
    gf_json_text(&json, "hash", gf_hash_of(first_result(p), hash));
    if (cli->verify)
        gf_json_text(&json, "verified", GF_VERIFY_DEVICE);
    stages_of(p, stages);
    gf_json_object(&json, "timing_ns");
    for (size_t i = 0; i < N_STAGES; i++)
        gf_json_u64(&json, stages[i].key, stages[i].ns);
    gf_json_u64(&json, "everything", p->spent.whole);
    gf_json_object_end(&json);
    if (cli->explain) {
        gf_plan_init(&plan, p, cli->device);
        gf_plan_json(&plan, "plan", &json);
        gf_json_text(&json, "why", p->times.why);
    }
    gf_json_object_end(&json);
    fputc('\n', cli->out);
}

void gf_report_table(const struct gf_cli *cli, FILE *out, const struct gf_pipe *p, uint32_t step)
{
    const struct gf_op *op = p->program.steps[step].op;
    struct gf_histogram histogram = gf_pipe_histogram(cli, p, step);
    if (gf_op_is_histogram(op) && isatty(fileno(out)))
        gf_chart_print(out, &histogram, gf_cli_wants_colour(cli));
    else
        gf_table_print(out, op, histogram.results, &histogram.in);
}

/* Prints the tables of an operation. A picture on standard output must have it to itself. */
static void print_tables(const struct gf_cli *cli, const struct gf_pipe *p)
{
    char name[GF_PATH_TEXT];
    uint32_t tables[GF_MAX_OUTPUTS];
    if (gf_op_tables(p->program.steps[0].op, tables) == 0 || cli->quiet)
        return;
    if (cli->file)
        fprintf(cli->out, "%s:\n", gf_path_text(cli->file, name, sizeof(name)));
    gf_report_table(cli, cli->out, p, 0);
}

void gf_op_explain(const struct gf_cli *cli, const struct gf_pipe *p)
{
    struct gf_plan plan;
    gf_plan_init(&plan, p, cli->device);
    gf_plan_print(&plan, cli->err);
}

void gf_op_report(const struct gf_cli *cli, const struct gf_pipe *p)
{
    char hash[GF_HASH_TEXT], name[GF_PATH_TEXT];
    const bool taken = gf_pipe_takes_stdout(p);
    if (cli->json) {
        print_json(cli, p);
        return;
    }
    if (!taken)
        print_tables(cli, p);
    if (cli->explain)
        gf_plan_print_run(p, cli->err);
    gf_verify_report(cli);
    if (cli->hash)
        fprintf(taken ? cli->err : cli->out, "%s%s%s\n", gf_hash_of(first_result(p), hash), cli->file ? "  " : "",
                gf_path_text(cli->file ? cli->file : "", name, sizeof(name)));
    if (cli->timing)
        print_timing(cli, p);
}

static int compare_hashes(const struct gf_cli *cli, const struct gf_pipe *p, uint32_t i, const gpufilter_view *again)
{
    char first[GF_HASH_TEXT], second[GF_HASH_TEXT];
    if (strcmp(gf_hash_of(&p->results[i].view, first), gf_hash_of(again, second)) == 0)
        return GF_EXIT_OK;
    return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s and " GF_VERIFY_DEVICE " differ in output %u of step %u: %s and %s",
                       p->times.device, p->outputs[i].output, p->outputs[i].index + 1u, first, second);
}

int gf_verify(const struct gf_cli *cli, const struct gf_pipe *p)
{
    gf_cleanup(gf_cli_disconnectp) gpufilter_client *client = NULL;
    gpufilter_result again[GF_MAX_RESULTS];
    gpufilter_error err;
    struct gf_cli other = *cli;
    other.device = GF_VERIFY_DEVICE;
    other.timeline = NULL;
    uint64_t begin = gf_now_ns();
    int code = gf_cli_connect(&other, &client);
    if (code != GF_EXIT_OK)
        return code;
    for (uint32_t i = 0; i < p->n_results; i++)
        again[i] = (gpufilter_result)GPUFILTER_RESULT_INIT;
    struct gf_work work = p->request.work;
    work.results = again;
    if (gf_run_work(client, &work, again, &err) != GPUFILTER_OK)
        return gf_cli_fail_client(cli, &err);
    for (uint32_t i = 0; i < p->n_results && code == GF_EXIT_OK; i++)
        code = compare_hashes(cli, p, i, &again[i].view);
    gf_timeline_add(cli->timeline, "verify", NULL, begin);
    return code;
}

void gf_verify_report(const struct gf_cli *cli)
{
    if (cli->verify && !cli->json && !cli->quiet)
        fputs("verified: " GF_VERIFY_DEVICE " gives the same\n", cli->err);
}
