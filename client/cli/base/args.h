/* SPDX-License-Identifier: MIT */
/*
 * Options and operands of a command line, in any order. One table of options serves parsing, help and "did you mean".
 * Used by base/cli.c and every command.
 */
#ifndef GF_CLI_ARGS_H
#define GF_CLI_ARGS_H

#include <stdbool.h>
#include <stdio.h>

#include "client/io/io_error.h"

struct gf_option {
    const char *name;  /* without the dashes */
    char letter;       /* '\0': none */
    const char *value; /* placeholder of the value in the help; NULL: takes no value; see GF_YES_NO */
    const char *help;  /* one line */
    const char **ret;  /* receives the value as it was typed, "" for an option without a value; the last one wins */
};

/* As `value`: --NAME stores "1", --no-NAME stores "0", --NAME=V stores V. */
#define GF_YES_NO "[=0|1]"

/* An option that may be given several times has several adjacent rows of the same name, each with its own `ret`. */

struct gf_option_set {
    const struct gf_option *rows;
    size_t n;
};

#define GF_ARGS_MAX_SETS 3

/* The position in a command line. The sets may be changed between two calls of gf_args_next. */
struct gf_args {
    char *const *next;       /* NULL-terminated */
    bool ended;              /* "--" was read: only operands follow */
    const char *const *help; /* *help is not NULL after --help: operands may then be missing */
    struct gf_option_set sets[GF_ARGS_MAX_SETS];
    size_t n_sets;
};

/* Stores the options before the next operand, and the operand; NULL at the end of the command line. USAGE: an option
 * that is in no set, a missing value, or a value for an option that takes none. */
enum gf_io_status gf_args_next(struct gf_args *args, const char **ret_operand, struct gf_io_error *err);

/* Operands in the order of the command line. */
struct gf_operands {
    const char **of; /* from malloc */
    size_t n;
};

/* Reads the rest of the command line. Errors as gf_args_next; INTERNAL: out of memory. */
enum gf_io_status gf_args_all(struct gf_args *args, struct gf_operands *ret_operands, struct gf_io_error *err);
/* Frees the array; usable with gf_cleanup. */
void gf_operands_deinit(struct gf_operands *operands);

/* Hands out the operands that `names` lists ("IN", "OUT"). An operand in brackets ("[OUT]") is optional; after --help
 * every operand is optional. USAGE: an operand is missing, or there is one too many. */
enum gf_io_status gf_args_match(const struct gf_args *args, const struct gf_operands *operands,
                                const char *const *names, size_t n, const char **ret_operands, struct gf_io_error *err);

/* Whether the option takes a value, in the same word or the next. */
bool gf_option_takes_value(const struct gf_option *option);

/* Prints one line per option: "  --device NAME     where to run (auto)". */
void gf_args_print(FILE *out, const struct gf_option_set *set);

#endif
