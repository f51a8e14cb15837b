/* SPDX-License-Identifier: MIT */
/* What the text of a pipe says, as far as the command wants to know it; the library says what is wrong with it. */
#ifndef GF_CLI_PIPE_TEXT_H
#define GF_CLI_PIPE_TEXT_H

#include "protocol/op_table.h"

struct gf_pipe_step {
    const struct gf_op *op;
    union gf_params params; /* those that are right, the others their defaults */
};

/* The steps of the text up to the first that is not known; returns how many. */
uint32_t gf_pipe_text_read(const char *text, struct gf_pipe_step steps[GF_MAX_STEPS]);

/* The dtype that a step takes where the pipe takes `dtype`; 0 where only a run tells. */
uint32_t gf_pipe_dtype_into(const struct gf_pipe_step *steps, uint32_t step, uint32_t dtype);

#endif
