/* SPDX-License-Identifier: MIT */
/* Inputs of an operation other than pictures, from the command line and from files: masks, small f32 matrices, lists of
 * numbers, and arrays of a type that the operation does not take. Used by the commands that run operations. */
#ifndef GF_CLI_OP_DATA_H
#define GF_CLI_OP_DATA_H

#include "client/cli/base/cli.h"
#include "client/image/image.h"
#include "protocol/ops/program.h"

/* An array of a type that the operation does not take, read as f32. */
struct gf_narrowed {
    uint32_t dtype;         /* of the file; 0: read as it is */
    const struct gf_op *op; /* the first that takes f32 in its place */
    struct gf_number_loss loss;
};

/* A mask; `data` is owned. */
struct gf_coefs {
    float *data;
    struct gf_view view;
};

/* Frees the mask and zeroes the struct. */
void gf_coefs_deinit(struct gf_coefs *coefs);

/* Parses rows of numbers, "1 2 1; 2 4 2", and replaces *coefs. USAGE: not such a text; INTERNAL: out of memory. */
enum gf_io_status gf_coefs_parse(const char *text, struct gf_coefs *coefs, struct gf_io_error *err);
/* The same from a file with a row per line, or from "-". Also errors of gf_input_read; USAGE: not a text file. */
enum gf_io_status gf_coefs_read(const char *path, struct gf_coefs *coefs, struct gf_io_error *err);

/* Reads the value of the option for `input`: for a list, numbers separated by commas or blanks; otherwise the path of a
 * file, or `-` for standard input. A file is .npy or, for a list, numbers as text; for other inputs it is a picture.
 * Numbers as text become f64 if the input takes it; otherwise u64, or i64 if one has a minus sign; otherwise the first
 * type that the input takes. Errors as for gf_image_decode and gf_input_read. */
enum gf_io_status gf_data_option_read(const struct gf_input_desc *input, const char *value, struct gf_image *ret_image,
                                      struct gf_io_error *err);

/* Converts an array of f64, or of integers that no picture has, to f32 if every step that reads operand `operand` takes
 * f32 and neither its type nor f64. *ret is unchanged if nothing is converted. INTERNAL: out of memory. */
enum gf_io_status gf_narrow(const struct gf_program *program, uint32_t operand, const char *path,
                            struct gf_image *image, struct gf_narrowed *ret, struct gf_io_error *err);
/* Adds the loss of another array of the same kind. */
void gf_narrowed_add(struct gf_narrowed *sum, const struct gf_narrowed *more);
/* Prints one line on standard error if the array was converted, unless --quiet. */
void gf_narrow_report(const struct gf_cli *cli, const struct gf_narrowed *narrowed, const char *path);

#endif
