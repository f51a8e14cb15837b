/* SPDX-License-Identifier: MIT */
/* Data of an operation that are no pictures: masks, small matrices of f32, and lists of numbers, from the command line
 * and from files. Used by the commands that run operations. */
#ifndef GF_CLI_OP_DATA_H
#define GF_CLI_OP_DATA_H

#include "client/cli/image/image.h"
#include "protocol/ops/op_table.h"

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

/* Reads what an option for `input` says: numbers with commas or blanks between them where the input is a list, else the
 * path of a file, `-` for standard input. A file is .npy or, for a list, numbers as text, for other data a picture.
 * Numbers as text are f64 where the input takes it, else u64 or, with a minus sign among them, i64, else the first type
 * that it takes. Errors as gf_image_decode and gf_input_read. */
enum gf_io_status gf_data_option_read(const struct gf_input_desc *input, const char *value, struct gf_image *ret_image,
                                      struct gf_io_error *err);

#endif
