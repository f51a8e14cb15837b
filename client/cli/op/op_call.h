/* SPDX-License-Identifier: MIT */
/* The command line of an operation, as a pipe of one step. Used by cmd_op.c. */
#ifndef GF_CLI_OP_CALL_H
#define GF_CLI_OP_CALL_H

#include "pipe_files.h"

struct gf_op_call {
    struct gf_pipe *pipe; /* owned */
    struct gf_pipe_files files;
    struct gf_operands operands;   /* the operands without the words; for a batch, its files */
    struct gf_batch_list list;     /* the list from which the operands were read */
    char *joined;                  /* owns the joined text to which text parameters may refer */
    const char *in[GF_MAX_INPUTS]; /* by input: a file, or the value of its option; NULL: left out */
    const char *out;               /* NULL: the first output goes to no file */
};

/* Frees everything in the call; usable with gf_cleanup. */
void gf_op_call_deinit(struct gf_op_call *call);

/* Reads the rest of the command line of cli->op. Reports the error, such as a parameter out of range or too few files,
 * and returns an exit code. On 0 without cli->help the pipe is complete. `call` must be zero before, and the caller
 * must call gf_op_call_deinit in any case. */
int gf_op_call_parse(struct gf_cli *cli, struct gf_args *args, struct gf_op_call *call);

/* Prints the help of cli->op to standard output. Returns the exit code. Defined in op_help.c. */
int gf_op_help(const struct gf_cli *cli);

#endif
