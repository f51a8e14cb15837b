/* SPDX-License-Identifier: MIT */
/*
 * Options and operands of a command line, in any order. Options are tables, so that one description serves parsing,
 * help and "did you mean". Used by base/cli.c and every command.
 */
#ifndef GF_CLI_ARGS_H
#define GF_CLI_ARGS_H

#include <stdbool.h>
#include <stdio.h>

#include "client/cli/io/io_error.h"

struct gf_option {
    const char *name;  /* without the dashes */
    char letter;       /* '\0': none */
    const char *value; /* what stands for its value in help; NULL: takes none; see GF_YES_NO */
    const char *help;  /* one line */
    const char **ret;  /* gets the value as it stands on the command line, "" where it takes none; the last one wins */
};

/* As value: --NAME gives "1", --no-NAME "0", --NAME=V gives V. */
#define GF_YES_NO "[=0|1]"

/* An option that may be given several times has several rows of one name, one after another, each with a `ret`. */

struct gf_option_set {
    const struct gf_option *rows;
    size_t n;
};

#define GF_ARGS_MAX_SETS 3

/* Where a command line has been read to. The sets may be changed between two calls of gf_args_next. */
struct gf_args {
    char *const *next;       /* NULL-terminated */
    bool ended;              /* "--" was met */
    const char *const *help; /* *help is not NULL once --help was met: operands may then be missing */
    struct gf_option_set sets[GF_ARGS_MAX_SETS];
    size_t n_sets;
};

/* Stores the options that stand before the next operand, and the operand; NULL at the end of the command line. USAGE
 * for an option that is in no set, a missing value, a value where none is taken. */
enum gf_io_status gf_args_next(struct gf_args *args, const char **ret_operand, struct gf_io_error *err);

/* Operands as they stand on the command line. */
struct gf_operands {
    const char **of; /* from malloc */
    size_t n;
};

/* Reads to the end. Errors as gf_args_next; INTERNAL. */
enum gf_io_status gf_args_all(struct gf_args *args, struct gf_operands *ret_operands, struct gf_io_error *err);
/* Frees the array; usable with gf_cleanup. */
void gf_operands_deinit(struct gf_operands *operands);

/* Hands out the operands that `names` lists ("IN", "OUT"), of which the last may be left out if it is
 * in brackets ("[OUT]"), and any after --help. USAGE when there are fewer or more. */
enum gf_io_status gf_args_match(const struct gf_args *args, const struct gf_operands *operands,
                                const char *const *names, size_t n, const char **ret_operands, struct gf_io_error *err);

/* Whether an option is followed by a value, in the same word or the next. */
bool gf_option_takes_value(const struct gf_option *option);

/* Prints one line per option: "  --device NAME     where to run (auto)". */
void gf_args_print(FILE *out, const struct gf_option_set *set);

#endif
