/* SPDX-License-Identifier: MIT */
/*
 * Checks the options of output formats against the formats that are written: --quality is refused if no format has a
 * quality. Used by the commands that run operations.
 */
#ifndef GF_CLI_SAVE_CHECK_H
#define GF_CLI_SAVE_CHECK_H

#include "client/cli/base/cli.h"

/* The output formats of a command line. */
struct gf_save_formats {
    bool quality, png_level; /* some format has this option */
    bool unknown;            /* a format is the input's format, which is not known yet */
    const char *path;        /* the first output file; NULL: none */
    enum gf_image_format format;
};

/* Adds an output file; NONE: its format is not known yet. */
void gf_save_record(struct gf_save_formats *seen, enum gf_image_format format, const char *path);

/* Refuses options that no format has, once all formats are known. Returns an exit code. */
int gf_save_check(const struct gf_cli *cli, const struct gf_save_formats *seen);

#endif
