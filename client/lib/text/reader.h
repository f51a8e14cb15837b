/* SPDX-License-Identifier: MIT */
/*
 * The one reader of programs as text: "gaussian sigma=2 | box size=5". It knows the grammar, which is at
 * gpufilter_run_text; the caller knows the data: operands of a call, files, or names of a session. Used by
 * program.c and by the command.
 */
#ifndef GF_CLIENT_TEXT_READER_H
#define GF_CLIENT_TEXT_READER_H

#include "protocol/ops/program.h"

/* The value of an input, or of a parameter. */
struct gf_text_value {
    const struct gf_program *program; /* the steps before; the input is one of steps[n_steps] */
    uint32_t input;
    const char *text; /* without quotes; NULL: the text gives none */
    size_t column;    /* where the value begins, or without one the step */
};

/* The operation of the step that a value belongs to. */
static inline const struct gf_op *gf_text_op(const struct gf_text_value *value)
{
    return value->program->steps[value->program->n_steps].op;
}

/* What the caller knows of data. */
struct gf_text_data {
    void *user;
    /* Connects an input to what its value names: an operand, a step. */
    enum gf_status (*connect)(void *user, const struct gf_text_value *value, struct gf_ref *ret, struct gf_error *err);
    /* Finds the operation of the next step for a word that names none; NULL: the word is wrong. `pair` then gets each
     * parameter of that step first: it takes the parameter, leaves it to the operation, or refuses it. Both NULL: there
     * are no such words. */
    const struct gf_op *(*word)(void *user, const struct gf_program *program, const char *word);
    enum gf_status (*pair)(void *user, const struct gf_text_value *value, const char *name, bool *ret_taken,
                           struct gf_error *err);
    bool takes_words;         /* a word without a name in the first step is the value of its next input */
    uint64_t *ret_open_alpha; /* receives the steps, a bit each, that have a parameter `alpha` and do not say it; NULL:
                               * the caller does not ask */
};

/* Adds the steps of a text to a program that has none. Texts of parameters refer to `text`. BAD_REQUEST, UNKNOWN_OP,
 * UNKNOWN_PARAM, BAD_PARAM begin with the column; NO_MEMORY; errors of the functions above as they are. */
enum gf_status gf_text_read(const char *text, const struct gf_text_data *data, struct gf_program *program,
                            struct gf_error *err);

/* Reads the inputs of the next step of a program, whose operation and parameters are set: "src=#1 mask=@2", "" for
 * none. The inputs that are not named are connected as those of a step of a text are. `flow` is what the step takes
 * where it does not say, and then what the step behind it takes; ignored for the first step. Errors as above. */
enum gf_status gf_text_read_inputs(const char *text, const struct gf_text_data *data, struct gf_ref *flow,
                                   struct gf_program *program, struct gf_error *err);

/* Sets an error that begins with the column of the value. */
gf_printf(4, 5) enum gf_status
    gf_text_fail(const struct gf_text_value *value, enum gf_status status, struct gf_error *err, const char *fmt, ...);

/* Whether a value is a reference, not text. */
bool gf_text_is_ref(const char *text);

/* Parses a reference: "@K", operand K of the caller's n_operands, or "#K", output 0 of step K of the steps so far,
 * counted from 1
 * (#0: operand 0); ".NAME" selects another output. BAD_REQUEST begins with the column and says which references are
 * possible. */
enum gf_status gf_text_ref_read(const struct gf_text_value *value, uint32_t n_operands, struct gf_ref *ret,
                                struct gf_error *err);
/* Parses the name of an output of a program: "#2.edges", "#2", "edges" of the last step, or NULL for its first.
 * BAD_REQUEST. */
enum gf_status gf_text_output_read(const struct gf_program *p, const char *text, struct gf_ref *ret,
                                   struct gf_error *err);

#endif
