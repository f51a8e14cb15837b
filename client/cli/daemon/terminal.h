/* SPDX-License-Identifier: MIT */
/*
 * The whole terminal for a command that redraws it: the alternate screen without a cursor, and keys as they are
 * pressed. The terminal is restored in every case: by gf_terminal_end, by a signal, or while Ctrl-Z stops the process.
 * Used by cmd_top.c; only one at a time.
 */
#ifndef GF_CLI_TERMINAL_H
#define GF_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
