/* SPDX-License-Identifier: MIT */
/*
 * Commands that are an operation with parameters of their own, some of which follow from the type of the picture:
 * invert, brightness, contrast, flatten. The first three are steps of pipes too. adjust.c is the command; op_call.c,
 * pipe.c and pipe_text.c ask it for the parameters.
 */
#ifndef GF_CLI_ADJUST_H
#define GF_CLI_ADJUST_H

#include "client/cli/base/cli.h"
#include "client/lib/text/reader.h"
#include "op_options.h"
#include "protocol/base/error.h"

/* The row of the command's name; NULL for what is none. */
const struct gf_adjust *gf_adjust_by_name(const char *name);

/* Removes the operation's options that the command does not have, and adds the command's own. */
void gf_adjust_options(const struct gf_adjust *adjust, struct gf_op_options *options);
/* Takes the values of its own options. Says what is wrong and returns an exit code. */
int gf_adjust_parse(const struct gf_cli *cli, const struct gf_op_options *options, union gf_params *params,
                    double *ret_amount);
/* The operation that it sets parameters of. */
const struct gf_op *gf_adjust_op(const struct gf_adjust *adjust);
/* Takes a parameter of a step of a pipe: its own into *amount, which is NaN before, others as gf_text_data.pair says.
 */
enum gf_status gf_adjust_pair(const struct gf_adjust *adjust, const struct gf_text_value *value, const char *name,
                              double *amount, bool *ret_taken, struct gf_error *err);
/* BAD_REQUEST where the step needs an amount and has none. */
enum gf_status gf_adjust_check(const struct gf_adjust *adjust, uint32_t step, double amount, struct gf_error *err);
/* Whether the middle of the range becomes another value. */
bool gf_adjust_moves_grey(const struct gf_adjust *adjust);
/* Sets the parameters for a picture of this dtype. White is the largest sample, or what the file said it is. Says what
 * is wrong and returns an exit code. */
int gf_adjust_apply(const struct gf_cli *cli, const struct gf_adjust *adjust, double amount, uint32_t dtype,
                    union gf_params *params);
/* Prints the help of cli->adjust; returns the exit code. */
int gf_adjust_help(const struct gf_cli *cli);

#endif
