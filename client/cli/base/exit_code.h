/* SPDX-License-Identifier: MIT */
/* Exit codes of the command, after sysexits.h; docs and man page print this table. */
#ifndef GF_CLI_EXIT_CODE_H
#define GF_CLI_EXIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    const char *word; /* status in --json for errors that are the command's own */
    const char *help;
};

/* Every exit code with its meaning, ascending. */
extern const struct gf_exit_row gf_exits[];
extern const size_t gf_n_exits;

/* Whether what failed with this code may succeed when it is run again, perhaps elsewhere. */
bool gf_exit_may_pass(int code);
/* The word of an exit code, "INTERNAL" for one that is not in the table. Static text. */
const char *gf_exit_word(int code);
/* The exit code that stands for a gf_status; SOFTWARE for numbers that are not known. */
enum gf_exit gf_exit_of_status(uint32_t status);

#endif
