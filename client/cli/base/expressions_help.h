/* SPDX-License-Identifier: MIT */
/* The help topic "expressions". Used by help.c and page_man.c. */
#ifndef GF_CLI_EXPRESSIONS_HELP_H
#define GF_CLI_EXPRESSIONS_HELP_H

/* The expression language of docs/numerics.md, "Expressions", in lines of at most 80 columns. */
extern const char gf_expressions_help[];

#endif
