/* SPDX-License-Identifier: MIT */
/*
 * The result of a histogram as numbers to draw, and its drawings: bars in a terminal (chart.c), and .svg and .png files
 * (plot.c). Used by the commands that run operations.
 */
#ifndef GF_CLI_HISTOGRAM_H
#define GF_CLI_HISTOGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "client/io/io_error.h"
#include "gpufilter/client.h"
#include "protocol/base/text.h"
#include "protocol/base/view.h"
#include "protocol/ops/params/histogram.h"

struct gf_histogram {
    const gpufilter_result *results; /* counts, with a row per channel; samples outside; edges */
    struct gf_histogram_params params;
    const char *name;  /* of the file */
    uint32_t step;     /* of a pipe, from 1; otherwise 0 */
    struct gf_view in; /* the counted input */
};

uint64_t gf_histogram_channels(const struct gf_histogram *h);
uint64_t gf_histogram_n_bins(const struct gf_histogram *h);
/* The value of a bin: a number of samples, or the share that was asked for; 0 for a share of nothing. */
double gf_histogram_value(const struct gf_histogram *h, uint64_t channel, uint64_t bin);
/* The lower edge of a bin; for bin n_bins, the upper edge of the last bin. Always finite. */
double gf_histogram_edge(const struct gf_histogram *h, uint64_t channel, uint64_t bin);
/* The value of bins from..to (to excluded) together: their sum; for cumulative counts the last; for densities the
 * mean. */
double gf_histogram_group(const struct gf_histogram *h, uint64_t channel, uint64_t from, uint64_t to);
/* Writes the edge with 12 digits; if that is long, rounded by less than a 500th of `width`. Returns text. */
const char *gf_histogram_edge_text(double edge, double width, char text[GF_NUMBER_TEXT]);
/* Samples of all channels outside the bins: [0] below, [1] above, [2] NaN. */
void gf_histogram_outside(const struct gf_histogram *h, uint64_t ret[3]);

/* Prints bars over the width of the terminal: one row per bin, or per group of bins if there are many. The bars are
 * Unicode blocks in a UTF-8 locale, otherwise ASCII. */
void gf_chart_print(FILE *out, const struct gf_histogram *h, bool colour);

/* Checks that a histogram can be drawn into a file of this name; otherwise USAGE. */
enum gf_io_status gf_plot_can(const char *path, struct gf_io_error *err);
/* Draws into a file, as its extension .svg or .png says: bins at their edges, a colour for each channel. USAGE for
 * another extension. */
enum gf_io_status gf_plot_write(const char *path, const struct gf_histogram *h, struct gf_io_error *err);

#endif
