/* SPDX-License-Identifier: MIT */
/*
 * Names of the files that are written for each file that is read, be it one or several. No file is written twice, and
 * no input is overwritten unless --in-place asks for it. Used by the commands that write results, before any work.
 */
#ifndef GF_CLI_BATCH_NAMES_H
#define GF_CLI_BATCH_NAMES_H

#include "client/cli/base/args.h"

#define GF_BATCH_TEMPLATES 12 /* most files that are written for each file that is read */

/* For help and errors. */
#define GF_BATCH_PLACES "{dir}, {stem}, {ext} and {n}"
#define GF_BATCH_PAGE "{page}"
#define GF_BATCH_ABOUT                                                                                                 \
    "In the names of files that are written, " GF_BATCH_PLACES " stand for the directory of IN, its name\n"            \
    "without extension, its extension with the dot, and its number, from 1; {{ and }} are braces. In\n"                \
    "OUT/{dir}, {dir} may not lead out of OUT by \"..\". A directory, or a name that ends in /, stands for\n"          \
    "DIR/{stem}{ext}; --parents makes missing directories. --in-place replaces each IN by its result. Two\n"           \
    "results of the same name are refused before any work, and so is a result that would overwrite another\n"          \
    "IN, or its own IN without --in-place. Under --page all, {page} stands for the number of the page.\n"              \
    "--files-from reads the names of IN from a file, or from standard input (-): one per line, without\n"              \
    "quotes, or separated by NUL bytes if the list has any (find -print0). Empty lines are skipped. OUT\n"             \
    "may then be the only operand. --shard K/N takes files K, K+N, K+2N, ... of all; {n} still counts all.\n"          \
    "--skip-existing skips a file if all its results exist and are not empty, however old they are. A\n"               \
    "result gets its name only when it is complete, so a command that was stopped can be run again."

#define GF_BATCH_NAME_OPTIONS 2

/* The options as they were typed. */
struct gf_batch_name_options {
    const char *parents, *in_place;
};

/* Makes the option rows. The last row is only for commands that can replace IN. */
void gf_batch_name_rows(struct gf_batch_name_options *options, struct gf_option rows[GF_BATCH_NAME_OPTIONS]);

/* The files of a command line. */
struct gf_batch_wish {
    const char *const *in; /* the inputs that have results */
    size_t n;
    const char *const *also; /* further inputs, read for each of them; NULL entries are skipped */
    size_t n_also;
    const char *const *out; /* templates; NULL: the name of IN itself */
    size_t n_out;
    bool in_place; /* --in-place: a result may overwrite its own IN */
    bool pages;    /* --page all: {page} stays in the names, see gf_batch_page_name */
};

struct gf_batch_names {
    struct gf_batch_wish wish; /* borrowed, except the array `in` */
    const char **in;           /* owned */
    char **out;                /* owned; result t of file i is out[i * wish.n_out + t] */
};

#define GF_BATCH_NAMES_NULL ((struct gf_batch_names){.out = NULL})

/* Whether a name contains a brace, and so is a template. */
bool gf_batch_is_template(const char *name);

/* Whether a name means "into this directory": it ends in '/', or a directory has this name. */
bool gf_batch_is_directory(const char *name);

/* Turns a name on the command line into a template, from malloc. A directory becomes a template that keeps the names.
 * If `plain`, braces belong to the name. NULL: out of memory. */
char *gf_batch_template(const char *name, bool plain);

/* Makes all names. USAGE: an unknown placeholder, a {dir} that leads out of the directory before it, an unpaired brace,
 * standard input where a name is needed, or standard output for several results. INTERNAL: out of memory. */
enum gf_io_status gf_batch_names_init(struct gf_batch_names *names, const struct gf_batch_wish *wish,
                                      struct gf_io_error *err);
/* Checks the names against the files that exist now; with `parents` makes the missing directories. USAGE: two files
 * have the same name, or an input would be overwritten. NO_INPUT: a file to be replaced is missing. CANT_CREATE: no
 * such directory. INTERNAL: out of memory. */
enum gf_io_status gf_batch_names_check(const struct gf_batch_names *names, bool parents, struct gf_io_error *err);
/* Whether a name has a place for the number of a page. */
bool gf_batch_has_page(const char *name);
/* The name with the number of a page, from 1, as long as the last one; from malloc. NULL: out of memory. */
char *gf_batch_page_name(const char *name, uint64_t page, uint64_t last);
/* The part of gf_batch_names_check that needs no look at the files, for all files of a batch that several processes
 * share. Errors as above, except CANT_CREATE. */
enum gf_io_status gf_batch_names_check_texts(const struct gf_batch_names *names, struct gf_io_error *err);

/* Whether to keep file i. */
typedef bool gf_batch_keep_fn(const struct gf_batch_names *names, size_t i, const void *data);
/* Removes files. The names of the remaining files do not change, numbers included. */
void gf_batch_names_keep(struct gf_batch_names *names, gf_batch_keep_fn *keep, const void *data);
/* Usable with gf_cleanup. */
void gf_batch_names_deinit(struct gf_batch_names *names);

#endif
