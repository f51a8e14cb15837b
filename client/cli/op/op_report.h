/* SPDX-License-Identifier: MIT */
/*
 * The report of a pipe that is done: stage times, hashes of results, tables, one JSON object. An operation has a form
 * of its own, which op_report.c prints; pipe_report.c prints that of several steps, and some of it here for sessions.
 */
#ifndef GF_CLI_OP_REPORT_H
#define GF_CLI_OP_REPORT_H

#include "client/cli/base/json.h"
#include "pipe.h"

#define GF_HASH_TEXT 32

/* FNV-1a, 64 bits, over the samples without the bytes between rows. */
uint64_t gf_hash_samples(const struct gf_view *view, const void *data);
/* "fnv1a64:" and 16 digits; returns text. */
const char *gf_hash_text(uint64_t hash, char text[GF_HASH_TEXT]);
/* The same of what a view of the library has. */
const char *gf_hash_of(const gpufilter_view *view, char text[GF_HASH_TEXT]);

/* Puts path, shape and type into the open object. */
void gf_report_view(struct gf_json *json, const char *path, const gpufilter_view *view);
/* Prints the tables of a step; on a terminal a histogram is a chart. */
void gf_report_table(const struct gf_cli *cli, FILE *out, const struct gf_pipe *p, uint32_t step);

/* Prints the plan of an operation to standard error. */
void gf_op_explain(const struct gf_cli *cli, const struct gf_pipe *p);
/* Prints what --json, --hash, --timing and --verbose ask for of an operation. */
void gf_op_report(const struct gf_cli *cli, const struct gf_pipe *p);

#endif
