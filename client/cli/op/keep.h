/* SPDX-License-Identifier: MIT */
/*
 * Which metadata of the first input a result keeps: a blurred picture is shown like its input, a histogram is not. Used
 * by the commands that write results.
 */
#ifndef GF_CLI_KEEP_H
#define GF_CLI_KEEP_H

#include "client/cli/base/cli.h"

/* In ascending order: for several consecutive operations the greatest applies. */
enum gf_keep {
    GF_KEEP_ALL = 0,   /* a picture, with each sample at the place of the input's sample */
    GF_KEEP_UNROTATED, /* an array that uses rows and columns as stored: it is never turned automatically */
    GF_KEEP_NOTHING,   /* a table or a list */
};

/* Whether an operation depends on left, right, top and bottom as viewers show them. Pictures are turned as EXIF says
 * before such an operation, and its results are stored upright. */
bool gf_op_needs_upright(const struct gf_op *op);

enum gf_keep gf_op_keeps(const struct gf_op *op, uint32_t output);

/* How to store a result made from a picture or array with this metadata. */
struct gf_image_save gf_keep_save(const struct gf_cli *cli, const struct gf_image_meta *meta, enum gf_keep keep);

/* Warns on standard error if viewers will show the file in another orientation than its input. */
void gf_keep_warn(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                  const char *path);

#endif
