/* SPDX-License-Identifier: MIT */
/* Masks: small matrices of f32, from the command line and from text files. Used by the commands that run operations. */
#ifndef GF_CLI_COEFS_H
#define GF_CLI_COEFS_H

#include "client/cli/io/io_error.h"
#include "protocol/base/view.h"

/* A mask; `data` is owned. */
struct gf_coefs {
    float *data;
    struct gf_view view;
};

/* Frees the mask and empties the struct. */
void gf_coefs_deinit(struct gf_coefs *coefs);

/* Reads rows of numbers, "1 2 1; 2 4 2". USAGE: no such; INTERNAL: out of memory. Replaces what *coefs had. */
enum gf_io_status gf_coefs_parse(const char *text, struct gf_coefs *coefs, struct gf_io_error *err);
/* The same from a file with a row per line, or "-". Errors of gf_input_read too; USAGE: not a text file. */
enum gf_io_status gf_coefs_read(const char *path, struct gf_coefs *coefs, struct gf_io_error *err);

#endif
