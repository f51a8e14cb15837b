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
    "brightness amount=N and contrast amount=N are steps too. A step\n"                                                \
    "that gives a table (a histogram, a reduction) is reported, and the next one takes what it took.\n"                \
    "Every input of a step may be named: other=@FILE is a file, other=#1 is what step 1 gives, #0 is IN,\n"            \
    "#1.edges its output of that name; src=#0 begins anew from IN. Masks may be files too, mask=@FILE.\n"              \
    "Up to 8 files: -o OUT for the last result that is no table, -o 2:EDGES for the result of step 2,\n"               \
    "-o 2.edges:FILE for its output of that name.\n"                                                                   \
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
