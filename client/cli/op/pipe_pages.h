/* SPDX-License-Identifier: MIT */
/*
 * --page all: a pipe on every page of IN, two pages at a time. The results of a target become the pages of one file, or
 * files of their own if its name has {page}. Called by pipe_files.c.
 */
#ifndef GF_CLI_OP_PIPE_PAGES_H
#define GF_CLI_OP_PIPE_PAGES_H

#include "pipe.h"

struct gf_pages_work {
    const struct gf_pipe *pipe; /* with the paths of one file, and all inputs but IN read */
    gpufilter_client *client;
    const struct gf_image_load *how;
    int (*finish)(const struct gf_cli *cli, struct gf_pipe *p, gf_pipe_report_fn *report);
    gf_pipe_report_fn *report;
};

/* Returns the exit code; DIFFERENT if a step found a difference on a page. A file of several pages appears complete or
 * not at all. */
int gf_pages_run(const struct gf_cli *cli, const struct gf_pages_work *work);

#endif
