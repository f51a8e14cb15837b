/* SPDX-License-Identifier: MIT */
/*
 * The command thumbnail: resize with the defaults of pictures for the web, which thumbnail.c alone decides. Called by
 * main.c and cmd_op.c.
 */
#ifndef GF_CLI_THUMBNAIL_H
#define GF_CLI_THUMBNAIL_H

#include "client/cli/base/cli.h"
#include "op_options.h"

/* Removes the options of resize that the command decides, and sets those that are not defaults. */
void gf_thumbnail_options(struct gf_op_options *options);
/* Takes the first operand, the largest size. Reports its absence and returns an exit code. */
int gf_thumbnail_take_fit(const struct gf_cli *cli, struct gf_op_options *options, struct gf_operands *operands);
/* Prints the help of the command. Returns the exit code. */
int gf_thumbnail_help(const struct gf_cli *cli);

#endif
