/* SPDX-License-Identifier: MIT */
/* Reports a run; called by cmd_op.c at its end. */
#include "op_report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/base/json.h"
#include "client/cli/io/io_error.h"
#include "client/cli/report/chart.h"
#include "client/cli/report/list.h"
#include "client/cli/report/table.h"
#include "op_options.h"
#include "protocol/base/dtype.h"
#include "verify.h"

/* Stages in the order in which they happen; `key` is the JSON key. */
struct stage {
    const char *key;
    const char *label;
    uint64_t ns;
};

uint64_t gf_hash_samples(const struct gf_view *view, const void *data)
{
    uint64_t hash = 0xcbf29ce484222325u;
    uint64_t row = gf_view_row_bytes(view);
    for (uint64_t y = 0; y < view->height; y++) {
        const uint8_t *p = (const uint8_t *)data + y * view->pitch;
        for (uint64_t i = 0; i < row; i++)
            hash = (hash ^ p[i]) * 0x100000001b3u;
    }
    return hash;
}

const char *gf_hash_text(uint64_t hash, char text[GF_HASH_TEXT])
{
    snprintf(text, GF_HASH_TEXT, "fnv1a64:%016" PRIx64, hash);
    return text;
}

#define N_STAGES 10

static void stages_of(const struct gf_op_run *run, struct stage *ret_stages)
{
    const struct stage stages[N_STAGES] = {
        {"read", "read the input", run->read_ns},
        {"decode", "decode it", run->decode_ns},
        {"connect", "connect", run->connect_ns},
        {"queue", "queue", run->times.queue_ns},
        {"copy_in", "copy in", run->times.copy_in_ns},
        {"kernel", "kernel", run->times.kernel_ns},
        {"copy_out", "copy out", run->times.copy_out_ns},
        {"total", "daemon in all", run->times.total_ns},
        {"round_trip", "round trip in all", run->times.round_trip_ns},
        {"write", "encode and write", run->write_ns},
    };
    memcpy(ret_stages, stages, sizeof(stages));
}

static void print_timing(const struct gf_cli *cli, const struct gf_op_run *run)
{
    struct stage stages[N_STAGES];
    stages_of(run, stages);
    fprintf(cli->err, "%-20s %10s\n", run->times.device, "ms");
    for (size_t i = 0; i < N_STAGES; i++)
        fprintf(cli->err, "%-20s %10.3f\n", stages[i].label, (double)stages[i].ns / 1e6);
    fprintf(cli->err, "%-20s %10.3f\n", "everything", (double)run->whole_ns / 1e6);
}

static void put_picture(struct gf_json *json, const char *key, const char *path, const struct gf_view *view)
{
    gf_json_object(json, key);
    gf_json_text(json, "path", path);
    gf_json_u64(json, "width", view->width);
    gf_json_u64(json, "height", view->height);
    gf_json_u64(json, "channels", view->channels);
    gf_json_text(json, "dtype", gf_dtype_word(view->dtype));
}

static void print_json(const struct gf_cli *cli, const struct gf_op_run *run)
{
    struct gf_json json = {.out = cli->out};
    struct stage stages[N_STAGES];
    char hash[GF_HASH_TEXT];
    uint32_t tables[GF_MAX_OUTPUTS];
    gf_json_object(&json, NULL);
    gf_json_text(&json, "op", run->call->op->name);
    gf_json_text(&json, "device", run->times.device);
    if (gf_op_tables(run->call->op, tables) > 0)
        gf_table_json(&json, run->call->op, run->tables, &run->input);
    put_picture(&json, "input", run->call->in[0], &run->input);
    gf_json_object_end(&json);
    if (run->call->out) {
        put_picture(&json, "output", run->call->out, &run->output);
        gf_json_text(&json, "format", gf_image_format_word(run->call->format));
        if (run->fit.dtype)
            gf_json_u64(&json, "saturated", run->count.saturated);
        gf_json_object_end(&json);
    }
    for (const gpufilter_result *r = run->results; r < run->tables; r++)
        if (r->output > 0 && (!run->fit.dtype || !gf_output_is_list(run->call->op, r->output))) {
            struct gf_view view = gf_list_view(&r->view);
            put_picture(&json, run->call->op->outputs[r->output].name, run->call->lists[r->output].path, &view);
            gf_json_object_end(&json);
        }
    gf_json_text(&json, "hash", gf_hash_text(run->hash, hash));
    if (cli->verify)
        gf_json_text(&json, "verified", GF_VERIFY_DEVICE);
    stages_of(run, stages);
    gf_json_object(&json, "timing_ns");
    for (size_t i = 0; i < N_STAGES; i++)
        gf_json_u64(&json, stages[i].key, stages[i].ns);
    gf_json_u64(&json, "everything", run->whole_ns);
    gf_json_object_end(&json);
    if (run->plan) {
        gf_plan_json(run->plan, "plan", &json);
        gf_json_text(&json, "why", run->times.why);
    }
    gf_json_object_end(&json);
    fputc('\n', cli->out);
}

struct gf_histogram gf_op_run_histogram(const struct gf_op_run *run)
{
    return (struct gf_histogram){run->results, &run->call->params.histogram, run->call->in[0], 0, run->input};
}

/* A histogram for people is a chart. */
static void print_table(const struct gf_cli *cli, const struct gf_op_run *run)
{
    if (cli->quiet)
        return;
    char name[GF_PATH_TEXT];
    struct gf_histogram histogram = gf_op_run_histogram(run);
    if (cli->file)
        fprintf(cli->out, "%s:\n", gf_path_text(cli->file, name, sizeof(name)));
    if (gf_op_is_histogram(run->call->op) && isatty(fileno(cli->out)))
        gf_chart_print(cli->out, &histogram, gf_cli_wants_colour(cli));
    else
        gf_table_print(cli->out, run->call->op, run->tables, &run->input);
}

/* Whether rows with a count go to a file. */
static bool writes_list(const struct gf_op_run *run)
{
    bool found = false;
    for (const gpufilter_result *r = run->results; r < run->tables && !run->fit.dtype; r++)
        found = found || gf_output_is_list(run->call->op, r->output);
    return found;
}

void gf_op_report(const struct gf_cli *cli, const struct gf_op_run *run)
{
    char text[64], hash[GF_HASH_TEXT], name[GF_PATH_TEXT];
    uint32_t tables[GF_MAX_OUTPUTS];
    /* The picture has standard output to itself. */
    bool taken = run->call->out && strcmp(run->call->out, "-") == 0;
    for (uint32_t i = 1; i < run->call->op->n_outputs; i++)
        taken = taken || (run->call->lists[i].path && strcmp(run->call->lists[i].path, "-") == 0);
    FILE *out = taken ? cli->err : cli->out;
    if (gf_op_tables(run->call->op, tables) > 0 && !cli->json && !taken)
        print_table(cli, run);
    if (writes_list(run))
        gf_list_report(cli, &run->tables[0].view, run->capacity);
    if (run->fit.dtype)
        gf_fit_report(cli, &run->fit, &run->count, run->call->out);
    if (cli->verbose && run->call->out)
        fprintf(cli->err, GF_CLI_NAME ": %s: %s written to %s as %s, computed on %s\n", cli->command,
                gf_view_text(&run->output, text, sizeof(text)), gf_path_text(run->call->out, name, sizeof(name)),
                gf_image_format_word(run->call->format), run->times.device);
    if (cli->explain && !cli->json)
        gf_plan_print_run(&run->times, cli->err);
    if (cli->json)
        print_json(cli, run);
    gf_verify_report(cli);
    if (cli->hash && !cli->json)
        fprintf(out, "%s%s%s\n", gf_hash_text(run->hash, hash), cli->file ? "  " : "",
                gf_path_text(cli->file ? cli->file : "", name, sizeof(name)));
    if (cli->timing && !cli->json)
        print_timing(cli, run);
}
