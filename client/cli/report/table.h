/* SPDX-License-Identifier: MIT */
/*
 * Results other than pictures: tables of numbers, as text and as JSON, and lists, whose rows are filled up to a count
 * (GF_SHAPE_COUNTED). Used by the commands that run operations, and by help.
 */
#ifndef GF_CLI_TABLE_H
#define GF_CLI_TABLE_H

#include "client/cli/base/cli.h"
#include "client/lib/text/json.h"
#include "gpufilter/client.h"
#include "protocol/base/view.h"
#include "protocol/ops/op_table.h"

/* Whether the op yields numbers about its input rather than data for further steps. */
bool gf_op_is_table(const struct gf_op *op);
/* Lists the outputs of an op that are tables, and returns how many there are. */
uint32_t gf_op_tables(const struct gf_op *op, uint32_t ret_outputs[GF_MAX_OUTPUTS]);

/* The remark in the help of an op besides its parameters; NULL for most ops. */
const char *gf_table_note(const struct gf_op *op);

/* Whether these are results of compare that report a difference. */
bool gf_table_says_different(const struct gf_op *op, const gpufilter_result *results);

/* Writes all tables of an op as keys of the open JSON object. Outputs with one row per channel go into "channels", one
 * object per channel. Any other output is a list under its name, or "values" if it is the only output. A comparison
 * also has "psnr", and "all" is one object for all channels. `in` is input 0; stats writes "argmin_xy" and "argmax_xy",
 * column and row in it. */
void gf_table_json(struct gf_json *json, const struct gf_op *op, const gpufilter_result *results,
                   const struct gf_view *in);
/* Prints the same for people: named numbers with a column for each channel, counted from 1, and lists. A place is x,y
 * if `in` has several rows, otherwise an index. */
void gf_table_print(FILE *out, const struct gf_op *op, const gpufilter_result *results, const struct gf_view *in);

/* Whether the first output of the op has such rows. */
bool gf_op_is_list(const struct gf_op *op);

/* Whether an output has such rows. The first table of the op then holds the counts. */
bool gf_output_is_list(const struct gf_op *op, uint32_t output);

/* Trims the rows to the longest one, which may be empty. */
void gf_list_cut(gpufilter_view *list, const gpufilter_view *counts);

/* Reports on standard error each row that has more entries than there was room for. */
void gf_list_report(const struct gf_cli *cli, const gpufilter_view *counts, uint64_t capacity);

/* Converts the view of a result to the type that the rest of the command uses. */
struct gf_view gf_list_view(const gpufilter_view *v);

#endif
