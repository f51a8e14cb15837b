/* SPDX-License-Identifier: MIT */
/*
 * Progress of a batch: a bar on standard error if that is a terminal and --quiet is not given, and the count that is
 * printed when a signal ends the command. At most one batch runs at a time. Used by batch.c, and by main.c for signals.
 */
#ifndef GF_CLI_PROGRESS_H
#define GF_CLI_PROGRESS_H

#include "client/cli/base/cli.h"

void gf_progress_begin(const struct gf_cli *cli, size_t n);
/* Counts a finished file. May be called from any thread. */
void gf_progress_count(void);
/* The number of finished files. */
size_t gf_progress_done(void);
/* Draw the bar, and erase it, e.g. before a line of text. Only for the thread that called gf_progress_begin. */
void gf_progress_draw(void);
void gf_progress_clear(void);
/* Erases the bar for good. */
void gf_progress_end(void);
/* Prints how many files were done, if a batch runs. Async-signal-safe. */
void gf_progress_abort(void);

#endif
