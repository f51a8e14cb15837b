/* SPDX-License-Identifier: MIT */
/* Tables of numbers as text and as JSON. Used by the commands that run operations, and by help. */
#ifndef GF_CLI_TABLE_H
#define GF_CLI_TABLE_H

#include "client/cli/base/json.h"
#include "gpufilter/client.h"
#include "protocol/base/view.h"
#include "protocol/ops/op_table.h"

/* Whether the op gives numbers about its input and not data that goes on. */
bool gf_op_is_table(const struct gf_op *op);
/* Its outputs that are tables, all or those beside data that goes on; returns how many. */
uint32_t gf_op_tables(const struct gf_op *op, uint32_t ret_outputs[GF_MAX_OUTPUTS]);

/* What help says of an op besides its parameters; NULL for most. */
const char *gf_table_note(const struct gf_op *op);

/* Whether these are results of compare that tell of a difference. */
bool gf_table_says_different(const struct gf_op *op, const gpufilter_result *results);

/* The tables of an op, all of them in its order, as keys of the object that is open: "channels" with one object per
 * channel where the outputs have a row for each, else one list per output under its name, "values" for the only one.
 * Those of compare have a "psnr", and "all" is one object for all channels. `in` is input 0: of stats, "argmin_xy" and
 * "argmax_xy" are column and row in it. */
void gf_table_json(struct gf_json *json, const struct gf_op *op, const gpufilter_result *results,
                   const struct gf_view *in);
/* The same for people: named numbers with a column for each channel, counted from 1, and lists. The place of a sample
 * is x,y where `in` has several rows, else its index. */
void gf_table_print(FILE *out, const struct gf_op *op, const gpufilter_result *results, const struct gf_view *in);

#endif
