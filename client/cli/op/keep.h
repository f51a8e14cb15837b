/* SPDX-License-Identifier: MIT */
/*
 * Which metadata of the first input a result keeps: a blurred picture is shown like its input, a histogram is not. Used
 * by the commands that write results.
 */
#ifndef GF_CLI_KEEP_H
#define GF_CLI_KEEP_H

#include "client/cli/base/cli.h"

/* In order: of several operations one after the other the greatest holds. */
enum gf_keep {
    GF_KEEP_ALL = 0,  /* a picture, of which each sample belongs where that of the input is */
    GF_KEEP_UNTURNED, /* an array that uses rows and columns as stored: it is not turned on its own */
    GF_KEEP_NOTHING,  /* a table or a list */
};

/* Whether an operation goes by left and right, top and bottom as they are seen: pictures are turned as EXIF says before
 * it, and results lie as they are. */
bool gf_op_sees_upright(const struct gf_op *op);

enum gf_keep gf_op_keeps(const struct gf_op *op, uint32_t output);

/* How to store a result of a picture or array with this meta. */
struct gf_image_save gf_keep_save(const struct gf_cli *cli, const struct gf_image_meta *meta, enum gf_keep keep);

/* Says on standard error that a file shows a result otherwise than viewers show its input, where that is so. */
void gf_keep_warn(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                  const char *path);

#endif
