/* SPDX-License-Identifier: MIT */
/* The command line of a pipe. Made by cmd_pipe.c, reported by pipe_report.c; page_man.c prints its help. */
#ifndef GF_CLI_CMD_PIPE_H
#define GF_CLI_CMD_PIPE_H

#include "client/cli/batch/batch_names.h"
#include "client/cli/op/pipe_files.h"
#include "client/cli/stream/stream.h"

/* For help and the man page. */
#define GF_PIPE_ABOUT                                                                                                  \
    "Runs several operations in one request. A step is an operation's name and name=value pairs; invert,\n"            \
    "brightness amount=N and contrast amount=N are steps too. The table of a step (a histogram, a\n"                   \
    "reduction) is printed, and the next step takes the same input as that step.\n"                                    \
    "Every input of a step may be named: other=@FILE is a file, other=#1 is the result of step 1, #1.edges\n"          \
    "its output `edges`, #0 is IN; src=#0 starts again from IN. A mask may be a file too: mask=@FILE.\n"               \
    "Up to 8 files are written: -o OUT for the last result that is not a table, -o 2:EDGES for the result\n"           \
    "of step 2, -o 2.edges:FILE for its output `edges`.\n"                                                             \
    "Several IN run on all cores, a few at a time (--jobs).\n" GF_BATCH_ABOUT "\n" GF_STREAM_ABOUT "\n"                \
    "Where a file cannot hold an f32 result: " GF_FIT_BITS ";\n" GF_FIT_KEPT ".\n"                                     \
    "The exit status is 1 where a step `compare` found a difference."
#define GF_PIPE_EXAMPLE                                                                                                \
    "pipe in.png 'gaussian sigma=1 | gaussian src=#0 sigma=2 | combine other=#1 mode=absdiff' -o out.png"

/* Runs the pipe that writes the first channel of `in` to the first file, the second channel to the second, and so on.
 * `format` may be NULL. Returns the exit code. Defined in cmd_pipe.c. */
int gf_pipe_channels(const struct gf_cli *cli, const char *in, const char *const *files, size_t n, const char *format);

/* Prints the plan of every step to standard error. */
void gf_pipe_explain(const struct gf_cli *cli, const struct gf_pipe *p);
/* Prints what --json, --hash and --timing request, or the tables as text. */
void gf_pipe_report(const struct gf_cli *cli, const struct gf_pipe *p);

#endif
