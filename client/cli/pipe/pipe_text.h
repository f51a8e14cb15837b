/* SPDX-License-Identifier: MIT */
/*
 * The parts of a pipe's text that the command needs: its steps, the origin of their inputs, and the files named as
 * `other=@FILE`, which the library gets as operands. The library reports errors in the text, except those that only the
 * command can find. Used by cmd_pipe.c through pipe.h.
 */
#ifndef GF_CLI_PIPE_TEXT_H
#define GF_CLI_PIPE_TEXT_H

#include "client/cli/op/op_call.h"
#include "protocol/ops/program.h"

struct gf_pipe_step {
    struct gf_op_call call;          /* the operation; parameters that are right, the others their defaults; masks */
    struct gf_ref in[GF_MAX_INPUTS]; /* as gpufilter_run_text understands them; not of masks in the text */
};

/* Data that the text names, operand 1 and on. */
struct gf_pipe_file {
    char *path;                       /* owned */
    struct gf_coefs *mask;            /* where to read it as a mask; NULL: no mask */
    const struct gf_input_desc *list; /* what it is a list for, path being a file or the numbers; NULL: no list */
};

struct gf_pipe_text {
    char *text; /* owned: names operands where the user's text names files */
    struct gf_pipe_step steps[GF_MAX_STEPS];
    uint32_t n_steps;                           /* up to the first that cannot be understood */
    struct gf_pipe_file files[GF_MAX_OPERANDS]; /* by operand; 0 is what the pipe takes and has no mask */
    uint32_t n_files;
};

/* Reads the text of a pipe that takes `in`, into memory of zeros. Says what is wrong and returns an exit code: a file
 * that has no name, data where a file or a reference should stand, an input that is missing. In any case the caller
 * calls gf_pipe_text_deinit. */
int gf_pipe_text_read(const struct gf_cli *cli, const char *in, const char *text, struct gf_pipe_text *p);
void gf_pipe_text_deinit(struct gf_pipe_text *p);

/* The output of an op of that name, n_outputs where it has none. */
uint32_t gf_pipe_output(const struct gf_op *op, const char *name, size_t length);

#endif
