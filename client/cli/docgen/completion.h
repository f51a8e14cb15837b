/* SPDX-License-Identifier: MIT */
/*
 * Shell completions, from the tables behind --help: completion.c walks the commands, and a file per shell writes them.
 * Used by cmd_ops.c.
 */
#ifndef GF_CLI_COMPLETION_H
#define GF_CLI_COMPLETION_H

#include "client/cli/base/cli.h"

#define GF_COMPLETION_WORDS 1024 /* bytes */

/* A command as the shells see it. */
struct gf_completion {
    char names[96];           /* the other names too, separated by blanks */
    const struct gf_op *op;   /* NULL: no operation */
    struct gf_option_set own; /* options besides those of all commands */
    bool works;               /* it takes those of operations, too */
};

/* What a shell writes to standard output, in this order. */
struct gf_completion_shell {
    const char *name;
    void (*begin)(const struct gf_option_set *common, const struct gf_option_set *work);
    void (*word)(const char *name, const char *help, bool works);
    void (*command)(const struct gf_completion *c);
    void (*end)(void);
};

extern const struct gf_completion_shell gf_completion_bash, gf_completion_zsh, gf_completion_fish;

/* The words that an option takes, separated by blanks; "" where they are not told. Returns text. */
const char *gf_completion_words(const struct gf_completion *c, const struct gf_option *o,
                                char text[GF_COMPLETION_WORDS]);
/* Whether its value names a file. */
bool gf_completion_is_file(const struct gf_option *o);
/* Whether its value names a device; then the shell runs GF_COMPLETION_DEVICES, which prints those of the running
 * daemon, one in a line, and nothing where there is none. */
bool gf_completion_is_device(const struct gf_option *o);
#define GF_COMPLETION_DEVICES "gpufilter-client devices --timeout 1 --wait 0.001 2>/dev/null | sed \"1d;s/ .*//\""
/* Calls `put` for each option of a set, once for each name; `c` may be NULL. */
void gf_completion_each(const struct gf_completion *c, const struct gf_option_set *set,
                        void (*put)(const struct gf_completion *c, const struct gf_option *o));

/* Prints the completions for a shell. USAGE for one that is not known; returns the exit code. */
int gf_completion_print(const struct gf_cli *cli, const char *shell);

#endif
