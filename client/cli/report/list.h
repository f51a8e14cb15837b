/* SPDX-License-Identifier: MIT */
/* Results whose rows are filled up to a count (GF_SHAPE_COUNTED). Used by the commands that run operations. */
#ifndef GF_CLI_LIST_H
#define GF_CLI_LIST_H

#include "client/cli/base/cli.h"
#include "gpufilter/client.h"
#include "protocol/base/view.h"

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
