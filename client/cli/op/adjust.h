/* SPDX-License-Identifier: MIT */
/*
 * Commands that are an operation with parameters of their own, some of which follow from the type of the picture:
 * invert, brightness, contrast, flatten. The first three are also steps of pipes, for which
 * pipe_text.c reads the words and pipe.c sets the parameters.
 */
#ifndef GF_CLI_ADJUST_H
#define GF_CLI_ADJUST_H

#include "client/cli/base/cli.h"
#include "client/lib/text/reader.h"
#include "op_options.h"
#include "protocol/base/error.h"

/* Returns the row with this name; NULL if there is none. */
const struct gf_adjust *gf_adjust_by_name(const char *name);

/* Removes the operation's options that the command does not have, and adds the command's own options. */
void gf_adjust_options(const struct gf_adjust *adjust, struct gf_op_options *options);
/* Reads the values of the command's own options. Reports the error and returns an exit code. */
int gf_adjust_parse(const struct gf_cli *cli, const struct gf_op_options *options, union gf_params *params,
                    double *ret_amount);
/* The operation whose parameters the command sets. */
const struct gf_op *gf_adjust_op(const struct gf_adjust *adjust);
/* Takes a parameter of a step of a pipe. The command's own parameter goes to *amount, which must be NaN before; for
 * other parameters see gf_text_data.pair. */
enum gf_status gf_adjust_pair(const struct gf_adjust *adjust, const struct gf_text_value *value, const char *name,
                              double *amount, bool *ret_taken, struct gf_error *err);
/* BAD_REQUEST if the step needs an amount and has none. */
enum gf_status gf_adjust_check(const struct gf_adjust *adjust, uint32_t step, double amount, struct gf_error *err);
/* Whether the command changes the middle of the range. */
bool gf_adjust_moves_grey(const struct gf_adjust *adjust);
/* Sets the parameters for a picture of this dtype. White is the largest sample, or the white level that the file
 * declared. Reports the error and returns an exit code. */
int gf_adjust_apply(const struct gf_cli *cli, const struct gf_adjust *adjust, double amount, uint32_t dtype,
                    union gf_params *params);
/* Prints the help of cli->adjust. Returns the exit code. */
int gf_adjust_help(const struct gf_cli *cli);

#endif
