/* SPDX-License-Identifier: MIT */
/* Programs as text: "gaussian sigma=2 | box size=5". Used by run.c. */
#ifndef GF_CLIENT_PROGRAM_TEXT_H
#define GF_CLIENT_PROGRAM_TEXT_H

#include "call.h"

/* Adds the steps of a text to a call that has the caller's operands, and matrices in the text as further operands.
 * BAD_REQUEST, UNKNOWN_OP, UNKNOWN_PARAM and BAD_PARAM begin with the column; BAD_REQUEST also if an operand of the
 * caller is not used. */
enum gf_status gf_call_add_text(struct gf_call *c, const char *text, struct gf_error *err);

#endif
