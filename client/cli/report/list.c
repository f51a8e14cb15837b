/* SPDX-License-Identifier: MIT */
/* Trims and reports results with a count. Called by the commands that run operations. */
#include "list.h"

#include <inttypes.h>
#include <stdio.h>

bool gf_op_is_list(const struct gf_op *op)
{
    return gf_output_is_list(op, 0);
}

bool gf_output_is_list(const struct gf_op *op, uint32_t output)
{
    return output < op->n_outputs && op->outputs[output].shape == GF_SHAPE_COUNTED;
}

static uint64_t count_of(const gpufilter_view *counts, uint64_t row)
{
    return *(const uint64_t *)((const char *)counts->data + row * counts->pitch);
}

void gf_list_cut(gpufilter_view *list, const gpufilter_view *counts)
{
    uint64_t longest = 0;
    for (uint64_t row = 0; row < counts->height; row++)
        longest = count_of(counts, row) > longest ? count_of(counts, row) : longest;
    if (longest < list->width)
        list->width = longest;
    if (list->width == 0 || list->height == 1)
        list->pitch = list->width * list->channels * gf_dtype_size(list->dtype);
}

void gf_list_report(const struct gf_cli *cli, const gpufilter_view *counts, uint64_t capacity)
{
    for (uint64_t row = 0; row < counts->height && !cli->quiet; row++)
        if (count_of(counts, row) > capacity)
            fprintf(cli->err,
                    GF_CLI_NAME ": %s: %" PRIu64 " in channel %" PRIu64 ", of which the first %" PRIu64
                                " are written\n",
                    cli->command, count_of(counts, row), row + 1, capacity);
}

struct gf_view gf_list_view(const gpufilter_view *v)
{
    return (struct gf_view){v->dtype, v->channels, v->width, v->height, v->pitch};
}
