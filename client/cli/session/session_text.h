/* SPDX-License-Identifier: MIT */
/* The text of a session: statements and their words. Used by cmd_session.c. */
#ifndef GF_CLI_SESSION_TEXT_H
#define GF_CLI_SESSION_TEXT_H

#include "protocol/base/base.h"

/* The position in a script, which is changed by reading. */
struct gf_script {
    char *at;
    unsigned line; /* the line of `at`, from 1 */
};

/* Returns the next statement, without blanks around it, and its line; NULL at the end. Statements end at the end of a
 * line or at `;` outside of quotes. A statement that begins with `#` is a comment, up to the end of the line. */
char *gf_script_next(struct gf_script *script, unsigned *ret_line);

/* Finds the next word of a statement: it ends at a blank outside of quotes; `|` is a word of its own. Returns its
 * length, 0 at the end. The statement continues at *ret_word + the length. */
size_t gf_script_word(const char *at, const char **ret_word);

#endif
