/* SPDX-License-Identifier: MIT */
/* "Did you mean" for operations, and advice for names that no operation has. Used where text names an operation. */
#ifndef GF_PROTOCOL_SUGGEST_OP_H
#define GF_PROTOCOL_SUGGEST_OP_H

#include "protocol/base/suggest.h"

/* Advice for a name that no operation has or resembles, a clause that follows a semicolon; NULL if nothing is known
 * about the word. Static text. */
const char *gf_suggest_instead(const char *word);
/* Begins a search among the operations and their aliases. */
struct gf_suggest gf_suggest_op(const char *word);

#endif
