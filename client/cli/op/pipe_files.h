/* SPDX-License-Identifier: MIT */
/*
 * The files of a pipe: input files, the names and formats of result files, and the run over one file, several, or a
 * stream. Used by the commands that run pipes: operations, pipe and session.
 */
#ifndef GF_CLI_OP_PIPE_FILES_H
#define GF_CLI_OP_PIPE_FILES_H

#include "client/cli/batch/batch.h"
#include "pipe.h"

/* What the command line says about files. */
struct gf_pipe_files {
    const char *const *in; /* the files IN; the pipe has the first */
    size_t n;
    const char *format; /* NULL: by the file name extensions */
    const char *raw, *in_dtype;
    struct gf_batch_options batch;
    struct gf_batch_name_options names_how;
    bool several;       /* a batch, even if of one file */
    bool plain;         /* braces in the name of the first target are literal */
    const char *result; /* "picture" or "result", for errors */
};

/* Takes --raw and --in-dtype. Reports the error and returns an exit code. */
int gf_pipe_take_input(const struct gf_cli *cli, const struct gf_pipe_files *f, struct gf_pipe *p);

/* Finds the format of an output file, as far as it is known without the data. Returns an exit code. */
int gf_pipe_find_format(const struct gf_cli *cli, const struct gf_pipe_files *f, const struct gf_pipe *p,
                        struct gf_pipe_target *t);

/* Names and checks all files, then runs the pipe on each. `explain` is called before, `report` after each. Returns the
 * exit code; DIFFERENT if a step found a difference. */
int gf_pipe_run(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_pipe_files *f, gf_pipe_report_fn *explain,
                gf_pipe_report_fn *report);

#endif
