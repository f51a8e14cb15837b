/* SPDX-License-Identifier: MIT */
/* Follows alpha through a program. Used by the client library and the command. */
#ifndef GF_PROTOCOL_ALPHA_H
#define GF_PROTOCOL_ALPHA_H

#include "program.h"

/* Sets the parameter alpha of the steps of `open`, a bit each, which leave it to their data: auto if a picture or array
 * that the step takes has alpha, otherwise straight. `operands` has a bit for each operand with alpha; an operand of 1
 * or 3 channels has none. Returns the steps whose first output has alpha, if it has 2 or 4 channels, a bit each. Reads
 * operations, inputs and parameters alone. */
uint64_t gf_program_settle_alpha(struct gf_program *p, uint64_t operands, uint64_t open);

#endif
