/* SPDX-License-Identifier: MIT */
/* Draws histograms: bars in a terminal, .svg and .png files. Used by the commands that run operations. */
#ifndef GF_CLI_CHART_H
#define GF_CLI_CHART_H

#include <stdio.h>

#include "client/cli/io/io_error.h"
#include "gpufilter/client.h"

/* Bars of Unicode blocks as wide as the terminal, a row for each bin, or for several where there are many. `results`
 * are the outputs of a histogram: counts (a row per channel), samples outside, edges. */
void gf_chart_print(FILE *out, const gpufilter_result *results, bool colour);
/* Whether a histogram can be drawn into a file of this name; USAGE. */
enum gf_io_status gf_chart_can_plot(const char *path, struct gf_io_error *err);
/* Draws into a file, by its extension .svg or .png. USAGE for another. */
enum gf_io_status gf_chart_plot(const char *path, const gpufilter_result *results, struct gf_io_error *err);

#endif
