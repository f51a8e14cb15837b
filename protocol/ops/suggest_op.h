/* SPDX-License-Identifier: MIT */
/* "Did you mean" for operations: among their names, and what to do where none does it. Used where text names them. */
#ifndef GF_PROTOCOL_SUGGEST_OP_H
#define GF_PROTOCOL_SUGGEST_OP_H

#include "protocol/base/suggest.h"

/* What to do where no operation is called so and none comes near, a clause for behind a semicolon; NULL where nothing
 * is known of the word. Static text. */
const char *gf_suggest_instead(const char *word);
/* A search among the operations and their other names. */
struct gf_suggest gf_suggest_op(const char *word);

#endif
