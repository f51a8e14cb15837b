/* SPDX-License-Identifier: MIT */
/*
 * What is printed from the tables of operations and options: docs/operations.md, the man page, and shell completions,
 * for which completion.c walks the commands and one file per shell writes them. Used by cmd_ops.c.
 */
#ifndef GF_CLI_DOCGEN_H
#define GF_CLI_DOCGEN_H

#include "client/cli/base/cli.h"

/* docs/operations.md; in page_markdown.c. */
void gf_page_markdown(void);
/* gpufilter-client.1; in page_man.c. */
void gf_page_man(const struct gf_cli *cli);

#define GF_COMPLETION_WORDS 1024 /* bytes */

/* A command as a shell sees it. */
struct gf_completion {
    char names[96];           /* the command and its aliases, separated by blanks */
    const struct gf_op *op;   /* NULL: not an operation */
    struct gf_option_set own; /* its options besides the common ones */
    bool works;               /* it also takes the options of operations */
};

/* Writes the completions of one shell to standard output; the functions are called in this order. */
struct gf_completion_shell {
    const char *name;
    void (*begin)(const struct gf_option_set *common, const struct gf_option_set *work);
    void (*word)(const char *name, const char *help, bool works);
    void (*command)(const struct gf_completion *c);
    void (*end)(void);
};

extern const struct gf_completion_shell gf_completion_bash, gf_completion_zsh, gf_completion_fish;

/* The words that an option takes, separated by blanks; "" if it does not take words. Returns text. */
const char *gf_completion_words(const struct gf_completion *c, const struct gf_option *o,
                                char text[GF_COMPLETION_WORDS]);
/* Whether the value of an option names a file. */
bool gf_completion_is_file(const struct gf_option *o);
/* Whether the value of an option names a device. The shell then runs GF_COMPLETION_DEVICES, which prints the devices of
 * the running daemon, one per line, or nothing without a daemon. */
bool gf_completion_is_device(const struct gf_option *o);
#define GF_COMPLETION_DEVICES "gpufilter-client devices --timeout 1 --wait 0.001 2>/dev/null | sed \"1d;s/ .*//\""
/* Calls `put` once for each name of the options in a set. `c` may be NULL. */
void gf_completion_each(const struct gf_completion *c, const struct gf_option_set *set,
                        void (*put)(const struct gf_completion *c, const struct gf_option *o));

/* Prints the completions for a shell. USAGE for an unknown shell. Returns the exit code. */
int gf_completion_print(const struct gf_cli *cli, const char *shell);

#endif
