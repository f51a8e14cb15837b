/* SPDX-License-Identifier: MIT */
/* Results whose rows are filled up to a count (GF_SHAPE_COUNTED). Used by the commands that run operations. */
#ifndef GF_CLI_LIST_H
#define GF_CLI_LIST_H

#include "client/cli/base/cli.h"
#include "gpufilter/client.h"
#include "protocol/base/view.h"

/* Whether the op's first output is such rows. */
bool gf_op_is_list(const struct gf_op *op);

/* Whether an output is; the first of the op's tables then has the counts. */
bool gf_output_is_list(const struct gf_op *op, uint32_t output);

/* Cuts rows to the length of the longest one, which may be 0. */
void gf_list_cut(gpufilter_view *list, const gpufilter_view *counts);

/* A line on stderr for each row that has more than there is room for. */
void gf_list_report(const struct gf_cli *cli, const gpufilter_view *counts, uint64_t capacity);

/* A result's view as the rest of the CLI has it. */
struct gf_view gf_list_view(const gpufilter_view *v);

#endif
