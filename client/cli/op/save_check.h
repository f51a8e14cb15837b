/* SPDX-License-Identifier: MIT */
/*
 * Options of output formats beside the formats that are written: --quality where nothing has one is refused. Used by
 * the commands that run operations.
 */
#ifndef GF_CLI_SAVE_CHECK_H
#define GF_CLI_SAVE_CHECK_H

#include "client/cli/base/cli.h"

/* What a command line writes. */
struct gf_save_seen {
    bool quality, png_level; /* some format has it */
    bool unknown;            /* a format is that of the input, which was not read yet */
    const char *path;        /* the first file; NULL: none */
    enum gf_image_format format;
};

/* Adds a file; NONE: its format is not known yet. */
void gf_save_see(struct gf_save_seen *seen, enum gf_image_format format, const char *path);

/* Refuses options that no format has, once all formats are known. An exit code. */
int gf_save_check(const struct gf_cli *cli, const struct gf_save_seen *seen);

#endif
