/* SPDX-License-Identifier: MIT */
/* References in the text of a program: "@1", "#2", "#2.edges". Used by program_text.c and by the command. */
#ifndef GF_CLIENT_TEXT_REFERENCE_H
#define GF_CLIENT_TEXT_REFERENCE_H

#include "protocol/ops/program.h"

/* Whether a value is a reference and not text of its own. */
bool gf_text_is_ref(const char *text);

/* Reads "@K", the caller's operand K of n_operands, or "#K", output 0 of step K of the steps read so far, counted from
 * 1
 * (#0: operand 0), with ".NAME" another output. BAD_REQUEST says what there is to refer to. */
enum gf_status gf_text_ref_read(const struct gf_program *p, uint32_t n_operands, const char *text, struct gf_ref *ret,
                                struct gf_error *err);

#endif
