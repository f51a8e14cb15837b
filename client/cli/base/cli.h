/* SPDX-License-Identifier: MIT */
/*
 * Shared by all sub-commands of gpufilter-client. main.c finds the sub-command and passes it the rest of the
 * command line; each sub-command is one function in a file of its own and returns the exit code.
 */
#ifndef GF_CLI_CLI_H
#define GF_CLI_CLI_H

#include "args.h"
#include "client/cli/image/image.h"
#include "protocol/ops/op_table.h"

#define GF_CLI_NAME "gpufilter-client"

/* Options as they stand on the command line: NULL when not given, "" for an option without a value. */
struct gf_cli {
    const char *command;               /* as the user called it, NULL until it is known */
    const struct gf_op *op;            /* NULL unless the command is an operation */
    const struct gf_command *commands; /* other than operations */
    size_t n_commands;
    const struct gf_adjust *adjust; /* with parameters of its own, see op/adjust.h; else NULL */
    bool works;       /* the command runs operations: it takes the options for them, and may start a daemon */
    FILE *out, *err;  /* what is printed by what a batch runs too; else standard output and standard error */
    const char *file; /* of several, the one at hand, which errors and reports name; else NULL */
    /* for every command */
    const char *socket, *only_private, *no_autostart, *timeout, *wait;
    const char *json, *quiet, *verbose, *help, *version, *no_color;
    /* for operations */
    const char *device, *timing, *explain, *hash, *verify, *trace, *no_fuse, *quality, *png_level, *background, *page;
    struct gf_image_save save;         /* how files are to be stored; without meta */
    struct gf_timeline *timeline;      /* NULL unless --trace */
    const struct gf_help_taker *taker; /* gets the help of a command instead of standard output; else NULL */
    uint32_t timeout_ms, wait_ms;      /* 0: not given */
    uint32_t page_number;              /* of files that are read, from 1; 0: not given */
    struct gf_option_set common, work;
};

/* A sub-command; `args` stands after its name. */
typedef int gf_command_fn(struct gf_cli *cli, struct gf_args *args);

struct gf_command {
    const char *name;
    const char *help; /* one line */
    gf_command_fn *run;
    bool works; /* runs operations */
};

/* Rows of the options of all commands, and of the commands that run operations. */
struct gf_cli_rows {
    struct gf_option common[11], work[11];
};

/* Points the rows to the fields of cli, which must not be moved from then on. Output goes to standard output and
 * error. */
void gf_cli_init(struct gf_cli *cli, struct gf_cli_rows *ret_rows);

/* Reads the rest of the command line: options of `own` (may be NULL) and the common ones, and the operands, whatever
 * there are. Says what is wrong and returns an exit code; 0 when all is well. */
int gf_cli_parse_all(struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own,
                     struct gf_operands *ret_operands);
/* The same for a command with `n` operands, see gf_args_match. */
int gf_cli_parse(struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own, const char *const *names,
                 size_t n, const char **ret_operands);

/* Help of a command other than an operation. */
struct gf_help {
    const char *synopsis; /* without the program's name */
    const char *about;    /* lines of text */
    const char *example;  /* without the program's name */
    struct gf_option_set own;
};

/* Who wants to know what a command would print as its help. */
struct gf_help_taker {
    void (*take)(const struct gf_help_taker *taker, const struct gf_cli *cli, const struct gf_help *help);
};

/* Whether charts may have colours: neither --no-color nor NO_COLOR. */
bool gf_cli_wants_colour(const struct gf_cli *cli);

/* An option's number from 1 to `max`; *ret stays as it is where `text` is NULL. Returns an exit code as above. */
int gf_cli_number(const struct gf_cli *cli, const char *option, const char *text, uint32_t max, uint32_t *ret);

/* Prints it to standard output; returns the exit code. */
int gf_cli_print_help(const struct gf_cli *cli, const struct gf_help *help);

gf_command_fn gf_cmd_op, gf_cmd_adjust, gf_cmd_split, gf_cmd_info, gf_cmd_pipe, gf_cmd_session, gf_cmd_bench,
    gf_cmd_ops, gf_cmd_ping, gf_cmd_devices, gf_cmd_health, gf_cmd_metrics, gf_cmd_top;

#endif
