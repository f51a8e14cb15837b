/* SPDX-License-Identifier: MIT */
/* References in the text of a program: "@1", "#2", "#2.edges". Used by program_text.c and by the command. */
#ifndef GF_CLIENT_TEXT_REFERENCE_H
#define GF_CLIENT_TEXT_REFERENCE_H

#include "reader.h"

/* Whether a value is a reference, not text. */
bool gf_text_is_ref(const char *text);

/* Parses "@K", operand K of the caller's n_operands, or "#K", output 0 of step K of the steps so far, counted from 1
 * (#0: operand 0); ".NAME" selects another output. BAD_REQUEST begins with the column and says which
 * references are possible. */
enum gf_status gf_text_ref_read(const struct gf_text_value *value, uint32_t n_operands, struct gf_ref *ret,
                                struct gf_error *err);

#endif
