/* SPDX-License-Identifier: MIT */
/* The result of a histogram as numbers to be drawn. Filled by the commands that run operations; used by chart.c and
 * plot.c. */
#ifndef GF_CLI_HISTOGRAM_H
#define GF_CLI_HISTOGRAM_H

#include "gpufilter/client.h"
#include "protocol/base/text.h"
#include "protocol/base/view.h"
#include "protocol/ops/op_params.h"

struct gf_histogram {
    const gpufilter_result *results; /* counts, with a row per channel; samples outside; edges */
    const struct gf_histogram_params *params;
    const char *name;  /* of the file */
    uint32_t step;     /* of a pipe, from 1; else 0 */
    struct gf_view in; /* what was counted */
};

uint64_t gf_histogram_channels(const struct gf_histogram *h);
uint64_t gf_histogram_n_bins(const struct gf_histogram *h);
/* What a bin has: samples, or what was asked for; 0 where that is a share of nothing. */
double gf_histogram_value(const struct gf_histogram *h, uint64_t channel, uint64_t bin);
/* The lower edge of a bin, or for the number of bins the upper one of the last; finite. */
double gf_histogram_edge(const struct gf_histogram *h, uint64_t channel, uint64_t bin);
/* What bins from..to (without it) have together: their sum; of cumulative ones the last; of densities the mean. */
double gf_histogram_group(const struct gf_histogram *h, uint64_t channel, uint64_t from, uint64_t to);
/* The edge as text of 12 digits; where that is long, rounded by less than a 500th of `width`. Returns text. */
const char *gf_histogram_edge_text(double edge, double width, char text[GF_NUMBER_TEXT]);
/* Samples of all channels that are in no bin: [0] below, [1] above, [2] NaN. */
void gf_histogram_outside(const struct gf_histogram *h, uint64_t ret[3]);

#endif
