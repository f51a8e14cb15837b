/* SPDX-License-Identifier: MIT */
/*
 * The report of a finished pipe: stage times, hashes of results, tables, one JSON object. op_report.c prints the report
 * of an operation; pipe_report.c prints the report of several steps. Sessions use parts of it.
 */
#ifndef GF_CLI_OP_REPORT_H
#define GF_CLI_OP_REPORT_H

#include "client/cli/base/json.h"
#include "pipe.h"

#define GF_HASH_TEXT 32

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

#endif
