/* SPDX-License-Identifier: MIT */
/* Explains and reports a pipe. Called by cmd_pipe.c. */
#include <stdio.h>

#include "client/cli/op/op_report.h"
#include "client/cli/report/table.h"
#include "client/io/io_error.h"
#include "cmd_pipe.h"

void gf_pipe_explain(const struct gf_cli *cli, const struct gf_pipe *p)
{
    struct gf_plan plan;
    gf_plan_print_device(cli->device, cli->err);
    for (uint32_t i = 0; i < p->program.n_steps; i++) {
        gf_plan_step_init(&plan, p, i);
        fputc('\n', cli->err);
        gf_plan_print(&plan, cli->err);
    }
    fputc('\n', cli->err);
}

static void put_files(struct gf_json *json, const struct gf_pipe *p)
{
    char hash[GF_HASH_TEXT];
    gf_json_array(json, "inputs");
    for (uint32_t i = 0; i < p->program.n_operands; i++) {
        if (!p->operands[i].path)
            continue;
        gf_json_object(json, NULL);
        gf_report_view(json, p->operands[i].path, &p->operands[i].view);
        if (i == 0 && p->page > 0)
            gf_json_u64(json, "page", p->page);
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
    gf_json_array(json, "outputs");
    for (uint32_t i = 0; i < p->n_targets; i++) {
        const struct gf_pipe_target *t = &p->targets[i];
        if (!t->path)
            continue;
        gf_json_object(json, NULL);
        gf_json_u64(json, "step", t->step + 1);
        gf_report_view(json, t->path, &t->stored);
        if (t->fit.dtype)
            gf_json_u64(json, "saturated", t->count.saturated);
        gf_json_text(json, "hash", gf_hash_of(&t->stored, hash));
        gf_json_object_end(json);
    }
    gf_json_array_end(json);
}

static void put_taps(struct gf_json *json, const struct gf_pipe *p)
{
    gf_json_array(json, "taps");
    for (uint32_t i = 0; i < p->program.n_steps; i++) {
        const struct gf_op *op = p->program.steps[i].op;
        uint32_t tables[GF_MAX_OUTPUTS];
        if (gf_pipe_tables(p, i, tables) == 0)
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
    for (uint32_t i = 0; i < p->program.n_steps; i++) {
        gf_plan_step_init(&plan, p, i);
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
    gf_json_text(&json, "request", p->request_name);
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

/* Prints tables and hashes as text. A picture on standard output must have it to itself. */
static void print_text(const struct gf_cli *cli, const struct gf_pipe *p)
{
    char hash[GF_HASH_TEXT], step[GF_STEP_TEXT], name[GF_PATH_TEXT];
    FILE *out = gf_pipe_takes_stdout(p) ? cli->err : cli->out;
    if (cli->file && !cli->quiet && p->taps[0] < p->n_results)
        fprintf(out, "%s:\n", gf_path_text(cli->file, name, sizeof(name)));
    for (uint32_t i = 0; i < p->program.n_steps && !cli->quiet; i++) {
        const struct gf_op *op = p->program.steps[i].op;
        uint32_t tables[GF_MAX_OUTPUTS];
        if (gf_pipe_tables(p, i, tables) == 0)
            continue;
        if (!p->is_statement || p->program.n_steps > 1)
            fprintf(out, "%s\n", gf_step_text(i, op, step, sizeof(step)));
        gf_report_table(cli, out, p, i);
    }
    for (uint32_t i = 0; i < p->n_targets && cli->hash && p->targets[i].path; i++)
        fprintf(out, "%s %s\n", gf_hash_of(&p->targets[i].stored, hash),
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
        gf_plan_print_run(p, cli->err);
    if (cli->timing)
        fprintf(cli->err, "%s: kernels %.3f ms, daemon total %.3f ms%s%s\n", p->times.device,
                (double)p->times.kernel_ns / 1e6, (double)p->times.total_ns / 1e6,
                p->request_name[0] ? ", request " : "", p->request_name);
}
