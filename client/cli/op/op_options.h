/* SPDX-License-Identifier: MIT */
/*
 * The options of an operation, made from its descriptor: one per parameter, one per input that is a mask, a list or
 * optional, and the options for files. Used for parsing, for help, and by the generated pages.
 */
#ifndef GF_CLI_OP_OPTIONS_H
#define GF_CLI_OP_OPTIONS_H

#include "client/cli/batch/batch.h"
#include "client/lib/text/op_text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_table.h"

#define GF_OP_REPEATS 31 /* how often a repeatable option may be given */
#define GF_OP_FILE_OPTIONS (6 + GF_BATCH_OPTIONS + GF_BATCH_NAME_OPTIONS + GF_MAX_OUTPUTS) /* at most */

/* Owns the texts to which the rows point; it must not be copied or moved after gf_op_options_init. */
struct gf_op_options {
    const char *params[GF_MAX_PARAMS]; /* as given, in the order of the descriptor */
    const char *more[GF_OP_REPEATS];   /* further values of the parameter with a repeatable option */
    const char *inputs[GF_MAX_INPUTS]; /* only for inputs that are options */
    const char *lists[GF_MAX_OUTPUTS]; /* only for outputs after the first that are not tables */
    const char *raw, *in_dtype, *format, *output, *plot;
    const char *amount;               /* see adjust.h */
    const char *shrink, *only_shrink; /* see shrink.h */
    struct gf_batch_options batch;
    struct gf_batch_name_options names_how;
    struct gf_option
        rows[GF_MAX_PARAMS + GF_OP_REPEATS + GF_MAX_INPUTS + GF_OP_FILE_OPTIONS]; /* inputs, parameters, files */
    size_t n;
    size_t first_param; /* the rows before are inputs */
    size_t first_file;  /* the rows from here on are for files */
    char names[GF_MAX_PARAMS][40];
    char input_helps[GF_MAX_INPUTS][200];
    char values[GF_MAX_PARAMS][40];
    char helps[GF_MAX_PARAMS][200];
};

void gf_op_options_init(const struct gf_op *op, struct gf_op_options *o);

/* Writes the operands to `text` and to an array of words, and returns their number: "IN OUT"; "IN IN2 OUT"; "IN [IN2]
 * OUT" if a picture is optional; "IN" if the result is a table; "IN [OUT]" if it also gives a table. */
size_t gf_op_operands(const struct gf_op *op, const char *ret_names[GF_MAX_INPUTS + 1], char *text, size_t size);
/* Whether an input is given by an option of its name or by a word NAME=VALUE. Other inputs are operands. */
bool gf_op_input_is_option(const struct gf_op *op, uint32_t input);
/* Whether the first operand is a text, the first parameter. */
bool gf_op_takes_text(const struct gf_op *op);
/* The parameter of a row of the options; NULL for inputs, files and repeated rows. */
const struct gf_param_desc *gf_op_option_param(const struct gf_op *op, const struct gf_op_options *o, size_t row);
/* Whether the operation takes one file, so that several files are a batch. */
bool gf_op_is_batch(const struct gf_op *op);
/* Whether the result is a histogram, with counts and edges. */
bool gf_op_is_histogram(const struct gf_op *op);

/* Whether a parameter is yes or no, so that its option takes no value. */
bool gf_op_param_is_flag(const struct gf_param_desc *param);

/* Writes "border-value"; returns text. The other texts that the help and the generated pages share are in op_text.h. */
const char *gf_op_option_name(const char *param, char *text, size_t size);

/* Prints the help of cli->op to standard output. Returns the exit code. Defined in op_help.c. */
int gf_op_help(const struct gf_cli *cli);

#endif
