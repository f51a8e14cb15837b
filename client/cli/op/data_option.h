/* SPDX-License-Identifier: MIT */
/*
 * Data given by an option of an operation: a file, or for lists the numbers themselves. Called by op_work.c and
 * pipe_work.c.
 */
#ifndef GF_CLI_DATA_OPTION_H
#define GF_CLI_DATA_OPTION_H

#include "client/cli/image/image.h"
#include "protocol/ops/op_table.h"

/* Reads what an option for `input` says: numbers with commas or blanks between them where the input is a list, else the
 * path of a file, `-` for standard input. A file is .npy or, for a list, numbers as text, for other data a picture.
 * Numbers as text are f64 where the input takes it, else u64 or, with a minus sign among them, i64, else the first type
 * that it takes. Errors as gf_image_decode and gf_input_read. */
enum gf_io_status gf_data_option_read(const struct gf_input_desc *input, const char *value, struct gf_image *ret_image,
                                      struct gf_io_error *err);

#endif
