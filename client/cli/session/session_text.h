/* SPDX-License-Identifier: MIT */
/* The text of a session: statements and their words. Used by cmd_session.c. */
#ifndef GF_CLI_SESSION_TEXT_H
#define GF_CLI_SESSION_TEXT_H

#include "protocol/base/base.h"

/* Where the reading of a script stands; it is changed while it is read. */
struct gf_script {
    char *at;
    unsigned line; /* of `at`, from 1 */
};

/* The next statement without blanks around it, and its line; NULL at the end. Statements end at a line's end or at `;`
 * outside of quotes; a statement that begins with `#` is a comment, to the end of the line. */
char *gf_script_next(struct gf_script *script, unsigned *ret_line);

/* Cuts the next word off a statement: up to a blank outside of quotes; `|` is a word of its own. Its length, 0 at the
 * end; the statement goes on at *ret_word + the length. */
size_t gf_script_word(const char *at, const char **ret_word);

#endif
