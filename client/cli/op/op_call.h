/* SPDX-License-Identifier: MIT */
/* An operation as given on the command line, as a pipe of one step. Used by cmd_op.c. */
#ifndef GF_CLI_OP_CALL_H
#define GF_CLI_OP_CALL_H

#include "pipe_files.h"

struct gf_op_call {
    struct gf_pipe *pipe; /* owned */
    struct gf_pipe_files files;
    struct gf_operands operands;   /* that are no words; of a batch the files */
    struct gf_batch_list list;     /* that the operands were read from */
    char *joined;                  /* what parameters that are texts may refer to */
    const char *in[GF_MAX_INPUTS]; /* by input: a file, or what its option says; NULL for what is left out */
    const char *out;               /* NULL: the first output is written to no file */
};

/* Frees all that it holds; usable with gf_cleanup. */
void gf_op_call_deinit(struct gf_op_call *call);

/* Reads the rest of the command line of cli->op. Says what is wrong and returns an exit code: parameters out of range,
 * too few files. On 0 without cli->help the pipe is complete. In any case the caller calls gf_op_call_deinit, on a call
 * that began as zeros. */
int gf_op_call_parse(struct gf_cli *cli, struct gf_args *args, struct gf_op_call *call);

/* Prints the help of cli->op to standard output; in op_help.c. Returns the exit code. */
int gf_op_help(const struct gf_cli *cli);

#endif
