/* SPDX-License-Identifier: MIT */
/*
 * Shared by all sub-commands of gpufilter-client. main.c finds the sub-command and passes it the rest of the command
 * line. Each sub-command is one function, which returns the exit code.
 */
#ifndef GF_CLI_CLI_H
#define GF_CLI_CLI_H

#include "args.h"
#include "client/image/image.h"
#include "gpufilter/client.h"
#include "protocol/base/error.h"
#include "protocol/ops/op_table.h"

#define GF_CLI_NAME "gpufilter-client"

/* Lines that were printed about the pages of a file or the results of a stream; each is printed once. */
#define GF_SAID_TEXTS 32u
struct gf_said {
    const char *file; /* as in gf_cli, in place of the page or frame */
    char *texts[GF_SAID_TEXTS];
    size_t n;
};

/* For gf_cleanup. */
void gf_said_deinit(struct gf_said *said);

/* The options as they were typed: NULL if not given, "" if the option takes no value. */
#define GF_CLI_REQUEST_TEXT 112 /* room for the name of a request */

struct gf_cli {
    const char *command;               /* as the user called it, NULL until it is known */
    const struct gf_op *op;            /* NULL unless the command is an operation */
    const struct gf_command *commands; /* the commands that are not operations */
    size_t n_commands;
    const struct gf_adjust *adjust; /* for a command with its own parameters, see op/adjust.h; otherwise NULL */
    bool is_thumbnail;              /* resize with the defaults of op/thumbnail.h */
    bool works;                     /* the command runs operations: it accepts their options and may start a daemon */
    FILE *out, *err;  /* streams for everything that can also run in a batch; otherwise standard output and standard
                       * error */
    const char *file; /* the current file of several, named by errors and reports; otherwise NULL */
    /* for every command */
    const char *socket, *only_private, *no_autostart, *timeout, *wait;
    const char *json, *quiet, *verbose, *help, *version, *no_color, *untrusted;
    /* for operations */
    const char *device, *timing, *explain, *hash, *verify, *trace, *otlp, *no_fuse, *quality, *png_level, *background;
    const char *page, *bands, *max_pixels, *salvage, *srgb, *subsampling, *progressive, *compression, *keep, *strip,
        *strict;
    bool all_pages;                    /* --page all */
    struct gf_said *said;              /* lines that are not repeated; NULL: every one is printed */
    struct gf_image_load load;         /* how to read files; without memory */
    struct gf_image_save save;         /* how to store files; without metadata */
    struct gf_timeline *timeline;      /* NULL unless --trace or --otlp */
    const struct gf_help_taker *taker; /* receives the help of a command in place of standard output; otherwise NULL */
    uint32_t timeout_ms, wait_ms;      /* 0: not given */
    struct gf_option_set common, work;
};

/* A sub-command. The next argument in `args` is the one after its name. */
typedef int gf_command_fn(struct gf_cli *cli, struct gf_args *args);

struct gf_command {
    const char *name;
    const char *help; /* one line */
    gf_command_fn *run;
    bool works; /* whether it runs operations */
};

/* The rows of the options of all commands, and of the commands that run operations. */
struct gf_cli_rows {
    struct gf_option common[12], work[22];
};

/* Points the rows to the fields of cli, which must not be moved from then on. Output goes to standard output and
 * error. */
void gf_cli_init(struct gf_cli *cli, struct gf_cli_rows *ret_rows);

/* Reads the rest of the command line: the options of `own`, the common options, and any number of
 * operands. Reports the error and returns an exit code; 0 on success. */
int gf_cli_parse_all(struct gf_cli *cli, struct gf_args *args, const struct gf_option_set *own,
                     struct gf_operands *ret_operands);
/* Help of a command other than an operation. */
struct gf_help {
    const char *synopsis; /* without the program's name */
    const char *about;    /* lines of text */
    const char *example;  /* without the program's name */
    struct gf_option_set own;
};

/* The same for a command with the options of its help and the operands `names`, see gf_args_match. After --help prints
 * the help, and the command has nothing left to do. */
int gf_cli_parse(struct gf_cli *cli, struct gf_args *args, const struct gf_help *help, const char *const *names,
                 size_t n, const char **ret_operands);

/* Receives the help that a command would print. */
struct gf_help_taker {
    void (*take)(const struct gf_help_taker *taker, const struct gf_cli *cli, const struct gf_help *help);
};

/* Whether charts may be coloured: neither --no-color nor NO_COLOR is set. */
bool gf_cli_wants_colour(const struct gf_cli *cli);

/* Parses the value of an option: a number from 1 to `max`. *ret is unchanged if `text` is NULL. Reports the error and
 * returns an exit code. */
int gf_cli_number(const struct gf_cli *cli, const char *option, const char *text, uint32_t max, uint32_t *ret);

/* Prints the help to standard output. Returns the exit code. */
int gf_cli_print_help(const struct gf_cli *cli, const struct gf_help *help);

/*
 * How a command fails: one line on standard error, "gpufilter-client: blur: ...", and with --json an object on standard
 * output. Each function returns the exit code, so that `return gf_cli_fail(...)` works.
 */

/* An error found by the command itself. */
int gf_cli_fail(const struct gf_cli *cli, int code, const char *fmt, ...) gf_printf(3, 4);
/* An error of reading, writing or parsing. */
int gf_cli_fail_io(const struct gf_cli *cli, const struct gf_io_error *err);
/* An error from protocol/. */
int gf_cli_fail_error(const struct gf_cli *cli, const struct gf_error *err);
/* An error of libgpufilterimage: the exit codes of files. */
int gf_cli_fail_image(const struct gf_cli *cli, const gpufilter_error *err);
/* An error of the library or the daemon. If there is no daemon, the message says how to start one. */
int gf_cli_fail_client(const struct gf_cli *cli, const gpufilter_error *err);
/* The same for a request, which --json names: gpufilter_last_request. */
int gf_cli_fail_request(const struct gf_cli *cli, const gpufilter_error *err, const char *request);

/* Prints "gpufilter-client: blur: warning: ..." for a flaw that harms no sample, unless --quiet. NULL: no warning. */
void gf_cli_warn(const struct gf_cli *cli, const char *text);

/* Prints what was done, only under --verbose. NULL: nothing. */
void gf_cli_note(const struct gf_cli *cli, const char *text);

/* As gf_cli_warn for something of the input that is lost: under --strict an error. Returns the exit code. */
int gf_cli_lose(const struct gf_cli *cli, const char *text);

/* The help topic "expressions": the expression language of docs/numerics.md, in lines of at most 80 columns. */
extern const char gf_expressions_help[];

/* The help topic "formats", in lines of at most 105 columns. The line of a format begins with two blanks and the
 * format's word. tests/unit/image/test_image_formats.c compares the second table with the command. */
extern const char gf_formats_read[], gf_formats_reading[], gf_formats_written[];

gf_command_fn gf_cmd_op, gf_cmd_adjust, gf_cmd_split, gf_cmd_info, gf_cmd_pipe, gf_cmd_session, gf_cmd_bench,
    gf_cmd_admin, gf_cmd_ops, gf_cmd_ping, gf_cmd_devices, gf_cmd_health, gf_cmd_metrics, gf_cmd_thumbnail, gf_cmd_top;

#endif
