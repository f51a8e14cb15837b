/* SPDX-License-Identifier: MIT */
/* Histograms as bars in a terminal. Used by the commands that run operations. */
#ifndef GF_CLI_CHART_H
#define GF_CLI_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "histogram.h"

/* Prints bars over the width of the terminal: one row per bin, or per group of bins if there are many. The bars are
 * Unicode blocks in a UTF-8 locale, otherwise ASCII. */
void gf_chart_print(FILE *out, const struct gf_histogram *h, bool colour);

#endif
