/* SPDX-License-Identifier: MIT */
/* Histograms as bars in a terminal. Used by the commands that run operations. */
#ifndef GF_CLI_CHART_H
#define GF_CLI_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "histogram.h"

/* Bars as wide as the terminal, a row for each bin, or for several where there are many. They are Unicode blocks where
 * the user's locale has them, else ASCII. */
void gf_chart_print(FILE *out, const struct gf_histogram *h, bool colour);

#endif
