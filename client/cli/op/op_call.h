/* SPDX-License-Identifier: MIT */
/*
 * An operation as given on the command line: parameters, masks and files, all checked before any work. Used by cmd_op.c
 * and the files that run, explain and report the operation.
 */
#ifndef GF_CLI_OP_CALL_H
#define GF_CLI_OP_CALL_H

#include "client/cli/batch/batch_list.h"
#include "client/cli/image/image.h"
#include "coefs.h"
#include "protocol/base/view.h"
#include "protocol/ops/op_params.h"

/* Where a counted output after the first goes; `path` is NULL where it is not wanted. */
struct gf_op_list {
    const char *path;
    enum gf_image_format format;
};

struct gf_op_call {
    const struct gf_op *op;
    union gf_params params;
    const struct gf_adjust *adjust; /* sets parameters once the type of IN is known; NULL: none does */
    double amount;                  /* for it */
    bool flattens;                  /* likewise: with this red, green and blue behind */
    uint8_t background[3];
    char *joined;                         /* what parameters that are texts may refer to */
    struct gf_coefs coefs[GF_MAX_INPUTS]; /* by input; empty for pictures */
    const char *in[GF_MAX_INPUTS];        /* by input: a file, or what its option says; NULL for masks and what is left
                                             out */
    const char *out;                      /* NULL: the result is written to no file */
    const char *plot;                     /* NULL: no drawing */
    struct gf_op_list lists[GF_MAX_OUTPUTS];
    bool keeps_samples; /* a JPEG is read in full, whatever becomes of it; see shrink.h */
    bool is_raw;        /* IN holds samples of the shape `raw` */
    struct gf_view raw;
    uint32_t text_dtype;         /* of IN that is text; 0: what the file says */
    enum gf_image_format format; /* of OUT; NONE: that of IN, for standard output */
    const char *format_word;     /* that was asked for; NULL: by the extensions */
    struct gf_batch_names names; /* of what is written */
    /* Several files: what this operation does with each. */
    bool is_batch;
    struct gf_operands files;
    struct gf_batch_list list; /* that `files` was read from */
    struct gf_batch_options batch;
};

#define GF_OP_CALL_NULL ((struct gf_op_call){.op = NULL})

/* Frees masks, texts, names and lists; usable with gf_cleanup. */
void gf_op_call_deinit(struct gf_op_call *call);

/* Reads the rest of the command line of cli->op. Says what is wrong and returns an exit code: parameters out of range,
 * masks that cannot be read, an output that cannot be written. On 0 without cli->help, *call is complete, but for the
 * files of a batch, which gf_op_call_file fills in. In any case the caller calls gf_op_call_deinit, on a call that
 * began as GF_OP_CALL_NULL. */
int gf_op_call_parse(struct gf_cli *cli, struct gf_args *args, struct gf_op_call *call);

/* Makes the call of one file of a batch, which borrows from `batch`; `out` are its names of what is written. */
int gf_op_call_file(const struct gf_cli *cli, const struct gf_op_call *batch, const char *in, char *const *out,
                    struct gf_op_call *ret_call);

/* What can be said of the format of OUT once it is known; an exit code. */
int gf_op_call_check_format(const struct gf_cli *cli, const struct gf_op_call *call);

/* Prints the help of cli->op to standard output; in op_help.c. Returns the exit code. */
int gf_op_help(const struct gf_cli *cli);

#endif
