/* SPDX-License-Identifier: MIT */
/*
 * The whole terminal for a command that redraws it: another screen without a cursor, keys as they are pressed. It is as
 * before at the end, however that comes: by gf_terminal_end, a signal, or a stop by Ctrl-Z. Used by cmd_top.c; one at a
 * time.
 */
#ifndef GF_CLI_TERMINAL_H
#define GF_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gf_terminal_event {
    GF_TERMINAL_TIME, /* the time is over */
    GF_TERMINAL_DRAW, /* the screen has another size, or was away */
    GF_TERMINAL_QUIT, /* q */
};

/* Takes the terminal of standard output, and keys from standard input where that is one. From here on SIGINT, SIGTERM,
 * SIGHUP and SIGQUIT end the process with 0. */
void gf_terminal_begin(void);
void gf_terminal_end(void);
/* Waits until `until_ns` of gf_now_ns, or for something before. */
enum gf_terminal_event gf_terminal_wait(uint64_t until_ns);
/* Rows and columns; 24 and 80 where the terminal does not say. */
void gf_terminal_size(uint32_t *ret_rows, uint32_t *ret_columns);
/* Replaces what the screen shows by as many of the lines as it has; they are no longer than its rows. false without
 * memory. */
bool gf_terminal_show(const char *text);

#endif
