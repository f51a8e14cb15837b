/* SPDX-License-Identifier: MIT */
/* Exit codes of the command, after sysexits.h. The docs and the man page print this table. */
#ifndef GF_CLI_EXIT_CODE_H
#define GF_CLI_EXIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/io/io_error.h"

enum gf_exit {
    GF_EXIT_OK = 0,
    GF_EXIT_DIFFERENT = 1,
    GF_EXIT_SOME_FAILED = 2,
    GF_EXIT_USAGE = 64,
    GF_EXIT_DATA = 65,
    GF_EXIT_NO_INPUT = 66,
    GF_EXIT_UNAVAILABLE = 69,
    GF_EXIT_SOFTWARE = 70,
    GF_EXIT_CANT_CREATE = 73,
    GF_EXIT_IO = 74,
    GF_EXIT_TRY_AGAIN = 75,
    GF_EXIT_PROTOCOL = 76,
    GF_EXIT_NO_PERMISSION = 77
};

struct gf_exit_row {
    enum gf_exit code;
    const char *word; /* the "status" of --json for errors of the command itself */
    const char *help;
};

/* Every exit code with its meaning, in ascending order. */
extern const struct gf_exit_row gf_exits[];
extern const size_t gf_n_exits;

/* Whether a retry may succeed after this exit code, perhaps on another machine. */
bool gf_exit_may_pass(int code);
/* The word of an exit code; "INTERNAL" if the code is not in the table. Static text. */
const char *gf_exit_word(int code);
/* The exit code of an error of a file. */
enum gf_exit gf_exit_of_io(enum gf_io_status status);
/* The exit code of a gf_status; SOFTWARE for an unknown status. */
enum gf_exit gf_exit_of_status(uint32_t status);

#endif
