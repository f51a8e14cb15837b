/* SPDX-License-Identifier: MIT */
/*
 * Progress of a batch: a bar on standard error if that is a terminal and --quiet is not given, and the count that is
 * printed when a signal ends the command. There is at most one at a time. Used by batch.c, and by main.c for signals.
 */
#ifndef GF_CLI_PROGRESS_H
#define GF_CLI_PROGRESS_H

#include "client/cli/base/cli.h"

void gf_progress_begin(const struct gf_cli *cli, size_t n);
/* One more is done; from any thread. */
void gf_progress_count(void);
/* How many are. */
size_t gf_progress_done(void);
/* Draws the bar as it is now, and takes it away, e.g. for a line of text. By the thread that began it. */
void gf_progress_draw(void);
void gf_progress_clear(void);
/* Takes the bar away for good. */
void gf_progress_end(void);
/* Says how many were done, where a batch runs. Async-signal-safe. */
void gf_progress_abort(void);

#endif
