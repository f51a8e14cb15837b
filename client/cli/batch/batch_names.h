/* SPDX-License-Identifier: MIT */
/*
 * Output names of a batch, each derived from the name of an input. No file is written twice, and no input is
 * overwritten by the result of another. Used by the commands that take several files, before any work.
 */
#ifndef GF_CLI_BATCH_NAMES_H
#define GF_CLI_BATCH_NAMES_H

#include "client/cli/io/io_error.h"

#define GF_BATCH_TEMPLATES 12 /* at most: files that are written for each one that is read */

/* For help and errors. */
#define GF_BATCH_PLACES "{dir}, {stem}, {ext} and {n}"
#define GF_BATCH_ABOUT                                                                                                 \
    "In the names of files that are written, " GF_BATCH_PLACES " stand for the directory of IN, its name\n"            \
    "without extension, its extension with the dot, and its number, from 1; {{ and }} are braces. Two files\n"         \
    "of one name are refused before any work, and so is a name that is that of another IN, or of its own\n"            \
    "IN unless it is '{dir}/{stem}{ext}', which asks for that."

struct gf_batch_names {
    const char *const *in; /* borrowed */
    size_t n;
    size_t n_templates;
    char **out; /* owned; of file i and template t at i * n_templates + t */
};

#define GF_BATCH_NAMES_NULL ((struct gf_batch_names){.out = NULL})

/* Whether a name has a brace, and so is meant for a batch. */
bool gf_batch_is_template(const char *name);

/* Makes all names and looks at what they name now. USAGE: a placeholder that is none, a brace without its like, two
 * files of one name, a file that is read, standard input or output. CANT_CREATE: no such directory. INTERNAL. */
enum gf_io_status gf_batch_names_init(struct gf_batch_names *names, const char *const *in, size_t n,
                                      const char *const *templates, size_t n_templates, struct gf_io_error *err);
/* Usable with gf_cleanup. */
void gf_batch_names_deinit(struct gf_batch_names *names);

#endif
