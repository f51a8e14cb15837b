/* SPDX-License-Identifier: MIT */
/*
 * The options of an operation, made from its descriptor: one per parameter, one per input that is a mask, a list or
 * optional, and those of the files. Used for parsing, for help, and by the generated pages.
 */
#ifndef GF_CLI_OP_OPTIONS_H
#define GF_CLI_OP_OPTIONS_H

#include "client/cli/batch/batch.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_table.h"

#define GF_OP_REPEATS 31 /* how often an option that may be repeated is taken */
#define GF_OP_FILE_OPTIONS (6 + GF_BATCH_OPTIONS + GF_BATCH_NAME_OPTIONS + GF_MAX_OUTPUTS) /* at most */

/* Owns the texts that the rows point to; not copied or moved after gf_op_options_init. */
struct gf_op_options {
    const char *params[GF_MAX_PARAMS]; /* as given, in the order of the descriptor */
    const char *more[GF_OP_REPEATS];   /* of a parameter whose option may be repeated, after its first value */
    const char *inputs[GF_MAX_INPUTS]; /* only for inputs that are options */
    const char *lists[GF_MAX_OUTPUTS]; /* only for outputs after the first that are no tables */
    const char *raw, *in_dtype, *format, *output, *plot;
    const char *amount; /* see adjust.h */
    const char *shrink; /* see shrink.h */
    struct gf_batch_options batch;
    struct gf_batch_name_options names_how;
    struct gf_option rows[GF_MAX_PARAMS + GF_OP_REPEATS + GF_MAX_INPUTS + GF_OP_FILE_OPTIONS]; /* inputs, parameters,
                                                                                                   files */
    size_t n;
    size_t first_param; /* rows before are inputs */
    size_t first_file;  /* rows from here on are of the files */
    char names[GF_MAX_PARAMS][40];
    char input_helps[GF_MAX_INPUTS][200];
    char values[GF_MAX_PARAMS][40];
    char helps[GF_MAX_PARAMS][200];
};

void gf_op_options_init(const struct gf_op *op, struct gf_op_options *o);

/* "IN OUT", "IN IN2 OUT", "IN [IN2] OUT" where a picture may be left out, "IN" where the result is a table, "IN [OUT]"
 * where there is a table beside it; with an array of the words. Returns how many. */
size_t gf_op_operands(const struct gf_op *op, const char *ret_names[GF_MAX_INPUTS + 1], char *text, size_t size);
/* Whether an input is given by an option of its name, or a word NAME=VALUE; the others are operands. */
bool gf_op_input_is_option(const struct gf_op *op, uint32_t input);
/* Whether the first operand is a text, which the operation is about: its first parameter. */
bool gf_op_takes_text(const struct gf_op *op);
/* The parameter of a row of the options; NULL for rows of inputs and files, and for repeated rows. */
const struct gf_param_desc *gf_op_option_param(const struct gf_op *op, const struct gf_op_options *o, size_t row);
/* Takes the text and words NAME=VALUE out of the operands, as if they were given by options; in op_words.c, as is the
 * next. Says what is wrong and returns an exit code. */
int gf_op_words_take(const struct gf_cli *cli, struct gf_op_options *o, struct gf_operands *operands);
/* Joins the values of an option that was repeated, with commas; *ret_joined gets what owns them, from malloc, or stays
 * NULL. */
int gf_op_words_join(const struct gf_cli *cli, struct gf_op_options *o, char **ret_joined);
/* Whether the operation takes one file, so that several are a batch. */
bool gf_op_takes_one(const struct gf_op *op);
/* Whether the result is a histogram: it has counts and edges. */
bool gf_op_is_histogram(const struct gf_op *op);

/* Whether a parameter is yes or no: its option takes no value. */
bool gf_op_param_is_flag(const struct gf_param_desc *param);

/* The help and the pages say these in the same words. Each fills `text` and returns it. */
/* "border-value" */
const char *gf_op_option_name(const char *param, char *text, size_t size);
/* "0..2047", "0 or more", "any finite number", or the words of an enum. */
const char *gf_op_range_text(const struct gf_param_desc *param, char *text, size_t size);
/* What a word of a parameter means there; NULL where it is none of its words. */
const char *gf_op_word_help(const struct gf_param_desc *param, const struct gf_word *word);
/* The default as it is written on a command line; "" where there is none. */
const char *gf_op_default_text(const struct gf_op *op, const struct gf_param_desc *param, char *text, size_t size);

#endif
