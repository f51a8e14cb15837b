/* SPDX-License-Identifier: MIT */
/* What `top` shows of the daemon's figures, as lines for a screen. Used by cmd_top.c. */
#ifndef GF_CLI_TOP_SCREEN_H
#define GF_CLI_TOP_SCREEN_H

#include "metrics.h"

/* Writes at most `rows` lines of at most `columns` characters: the daemon, its devices, and its users, busiest first.
 * What does not fit is counted in the last line. Rates are from `before`, so many seconds ago; it is empty at first,
 * when there are none. `title` names the daemon. */
void gf_top_screen(FILE *out, const char *title, const struct gf_metrics_list *list,
                   const struct gf_metrics_list *before, double seconds, uint32_t rows, uint32_t columns);

#endif
