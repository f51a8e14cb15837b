/* SPDX-License-Identifier: MIT */
/* Histograms as .svg and .png files. Used by the commands that run operations. */
#ifndef GF_CLI_PLOT_H
#define GF_CLI_PLOT_H

#include "client/cli/io/io_error.h"
#include "histogram.h"

/* Checks that a histogram can be drawn into a file of this name; otherwise USAGE. */
enum gf_io_status gf_plot_can(const char *path, struct gf_io_error *err);
/* Draws into a file, as its extension .svg or .png says: bins at their edges, a colour for each channel. USAGE for
 * another extension. */
enum gf_io_status gf_plot_write(const char *path, const struct gf_histogram *h, struct gf_io_error *err);

#endif
