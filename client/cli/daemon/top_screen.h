/* SPDX-License-Identifier: MIT */
/* The lines of the screen of `top`. Used by cmd_top.c. */
#ifndef GF_CLI_TOP_SCREEN_H
#define GF_CLI_TOP_SCREEN_H

#include "metrics.h"

/* Writes at most `rows` lines of at most `columns` characters: the daemon, its devices, and its users, the busiest
 * first. The last line counts what does not fit. Rates compare with `before`, the figures `seconds` earlier; it is
 * empty at first, and then there are no rates. `title` names the daemon. */
void gf_top_screen(FILE *out, const char *title, const struct gf_metrics_list *list,
                   const struct gf_metrics_list *before, double seconds, uint32_t rows, uint32_t columns);

#endif
