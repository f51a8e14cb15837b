/* SPDX-License-Identifier: MIT */
/*
 * Names of the files that are written for each one that is read, be it one or several. No file is written twice, and
 * no input is overwritten, unless that was asked for. Used by the commands that write results, before any work.
 */
#ifndef GF_CLI_BATCH_NAMES_H
#define GF_CLI_BATCH_NAMES_H

#include "client/cli/base/args.h"

#define GF_BATCH_TEMPLATES 12 /* at most: files that are written for each one that is read */

/* For help and errors. */
#define GF_BATCH_PLACES "{dir}, {stem}, {ext} and {n}"
#define GF_BATCH_ABOUT                                                                                                 \
    "In the names of files that are written, " GF_BATCH_PLACES " stand for the directory of IN, its name\n"            \
    "without extension, its extension with the dot, and its number, from 1; {{ and }} are braces. A\n"                 \
    "directory, or a name that ends in /, stands for DIR/{stem}{ext}; --parents makes directories that are\n"          \
    "missing. --in-place replaces each IN by its result. Two files of one name are refused before any\n"               \
    "work, and so is a name that is that of another IN, or of its own IN without --in-place.\n"                        \
    "--files-from reads the names of IN from a file, or from standard input (-): one a line, as they are,\n"           \
    "empty lines left out; or, where the list has a NUL, separated by NULs (find -print0). OUT may then be\n"          \
    "the one operand. --shard K/N takes files K, K+N, K+2N, ... of all; {n} still counts all. With\n"                  \
    "--skip-existing a file is left alone if all its results are there and not empty, however old they\n"              \
    "are; results come into their places complete, so that a command that was stopped can be run again."

#define GF_BATCH_NAME_OPTIONS 2

/* As they stand on the command line. */
struct gf_batch_name_options {
    const char *parents, *in_place;
};

/* Makes the rows of the options; the last is for commands that can replace IN. */
void gf_batch_name_rows(struct gf_batch_name_options *options, struct gf_option rows[GF_BATCH_NAME_OPTIONS]);

/* What the command line says of files. */
struct gf_batch_wish {
    const char *const *in; /* of which each has results */
    size_t n;
    const char *const *also; /* read too, for each of them; NULL ones are skipped */
    size_t n_also;
    const char *const *out; /* templates; NULL: IN itself */
    size_t n_out;
    bool in_place; /* asked for: a result may be written over its own IN */
};

struct gf_batch_names {
    struct gf_batch_wish wish; /* borrowed, but for the array `in` */
    const char **in;           /* owned */
    char **out;                /* owned; of file i and template t at i * wish.n_out + t */
};

#define GF_BATCH_NAMES_NULL ((struct gf_batch_names){.out = NULL})

/* Whether a name has a brace, and so is meant for a batch. */
bool gf_batch_is_template(const char *name);

/* Whether a name means "into this directory": it ends in '/', or is that of a directory. */
bool gf_batch_is_directory(const char *name);

/* The template that a name on the command line stands for, from malloc: into a directory the names are kept. Braces of
 * a name that is `plain` are part of it. NULL: out of memory. */
char *gf_batch_template(const char *name, bool plain);

/* Makes all names. USAGE: a placeholder that is none, a brace without its like, standard input that has no name, or
 * standard output for several. INTERNAL. */
enum gf_io_status gf_batch_names_init(struct gf_batch_names *names, const struct gf_batch_wish *wish,
                                      struct gf_io_error *err);
/* Looks at what the names name now; with `parents` makes the directories that are missing. USAGE: two files of one
 * name, a file that is read too. NO_INPUT: one to be replaced is missing. CANT_CREATE: no such directory. INTERNAL. */
enum gf_io_status gf_batch_names_check(const struct gf_batch_names *names, bool parents, struct gf_io_error *err);
/* The part of that which names tell without a look at the files: for all files of a batch of which several processes
 * take a part each. Errors as above, but for CANT_CREATE. */
enum gf_io_status gf_batch_names_check_texts(const struct gf_batch_names *names, struct gf_io_error *err);

/* Whether file i stays. */
typedef bool gf_batch_keep_fn(const struct gf_batch_names *names, size_t i, const void *data);
/* Leaves files out; the names of the others stay as they are, numbers too. */
void gf_batch_names_keep(struct gf_batch_names *names, gf_batch_keep_fn *keep, const void *data);
/* Usable with gf_cleanup. */
void gf_batch_names_deinit(struct gf_batch_names *names);

#endif
