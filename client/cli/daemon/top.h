/* SPDX-License-Identifier: MIT */
/*
 * The parts of `top`: the lines of its screen (top_screen.c), and the whole terminal (terminal.c), which shows the
 * alternate screen without a cursor and reads keys as they are pressed. The terminal is restored in every case: by
 * gf_terminal_end, by a signal, or while Ctrl-Z stops the process. Used by cmd_top.c; only one at a time.
 */
#ifndef GF_CLI_TOP_H
#define GF_CLI_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics.h"

/* Writes at most `rows` lines of at most `columns` characters: the daemon, its devices, and its users, the busiest
 * first. The last line counts what does not fit. Rates compare with `before`, the figures `seconds` earlier; it is
 * empty at first, and then there are no rates. `title` names the daemon. */
void gf_top_screen(FILE *out, const char *title, const struct gf_metrics_list *list,
                   const struct gf_metrics_list *before, double seconds, uint32_t rows, uint32_t columns);

enum gf_terminal_event {
    GF_TERMINAL_TIME, /* the time is up */
    GF_TERMINAL_DRAW, /* the screen has a new size, or was restored */
    GF_TERMINAL_QUIT, /* q was pressed */
};

/* Takes over the terminal of standard output, and the keys if standard input is a terminal. From here on SIGINT,
 * SIGTERM, SIGHUP and SIGQUIT end the process with exit code 0. */
void gf_terminal_begin(void);
void gf_terminal_end(void);
/* Waits until `until_ns` of gf_now_ns, or until an earlier event. */
enum gf_terminal_event gf_terminal_wait(uint64_t until_ns);
/* Rows and columns; 24 and 80 if the terminal does not report its size. */
void gf_terminal_size(uint32_t *ret_rows, uint32_t *ret_columns);
/* Redraws the screen with as many lines as it has rows. No line may be longer than a row. false: out of memory. */
bool gf_terminal_show(const char *text);

#endif
