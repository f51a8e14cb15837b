/* SPDX-License-Identifier: MIT */
/*
 * The report of a finished pipe: stage times, hashes of results, tables, one JSON object; --verify, which compares
 * hashes before results are written; and --explain, the plan of an operation with every default resolved (plan.c).
 * op_report.c prints the report of an operation; pipe_report.c prints the report of several steps. Sessions use parts
 * of it.
 */
#ifndef GF_CLI_OP_REPORT_H
#define GF_CLI_OP_REPORT_H

#include "client/lib/text/json.h"
#include "pipe.h"

#define GF_HASH_TEXT 32
#define GF_VERIFY_DEVICE "cpu"

/* Writes "fnv1a64:" and 16 digits: FNV-1a, 64 bits, over the samples, without the padding of rows. Returns text. */
const char *gf_hash_of(const gpufilter_view *view, char text[GF_HASH_TEXT]);

/* Adds path, shape and type to the open object. */
void gf_report_view(struct gf_json *json, const char *path, const gpufilter_view *view);
/* Prints the tables of a step; on a terminal a histogram is drawn as a chart. */
void gf_report_table(const struct gf_cli *cli, FILE *out, const struct gf_pipe *p, uint32_t step);

/* Prints the plan of an operation to standard error. */
void gf_op_explain(const struct gf_cli *cli, const struct gf_pipe *p);
/* Prints what --json, --hash, --timing and --explain request for an operation, and its tables. */
void gf_op_report(const struct gf_cli *cli, const struct gf_pipe *p);

/* Runs the request of a finished pipe again on the CPU, over a connection of its own, and compares the results. Reports
 * the error, with both hashes if they differ; returns an exit code. */
int gf_verify(const struct gf_cli *cli, const struct gf_pipe *p);
/* Prints that the results were the same, unless --json or --quiet. */
void gf_verify_report(const struct gf_cli *cli);

#define GF_PLAN_ROWS (GF_MAX_PARAMS + GF_MAX_INPUTS + GF_MAX_OUTPUTS + 8)

struct gf_plan {
    struct {
        char key[40];
        char text[160];
        const char *note; /* " (default)", or "" */
    } rows[GF_PLAN_ROWS];
    size_t n;
};

/* Fills in the plan of a pipe of one step, which must have been checked. */
void gf_plan_init(struct gf_plan *plan, const struct gf_pipe *p, const char *device);
/* Fills in the plan of step `step`, from 0, of a pipe, which must have been checked. */
void gf_plan_step_init(struct gf_plan *plan, const struct gf_pipe *p, uint32_t step);
/* Prints the plan as aligned lines. */
void gf_plan_print(const struct gf_plan *plan, FILE *out);
/* Prints on which device the request will run; `device` is NULL if none was requested. */
void gf_plan_print_device(const char *device, FILE *out);
/* Prints, after the run, on which device it ran and why, as which request, and how long each stage took. */
void gf_plan_print_run(const struct gf_pipe *p, FILE *out);
/* Prints the plan as a value of an open JSON object. `key` must be NULL in an array. */
void gf_plan_json(const struct gf_plan *plan, const char *key, struct gf_json *json);

#endif
