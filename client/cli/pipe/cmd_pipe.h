/* SPDX-License-Identifier: MIT */
/*
 * Pipes: the command line, made by cmd_pipe.c and reported by pipe_report.c (page_man.c prints its help), and the text
 * of the steps, read by pipe_text.c for cmd_pipe.c and cmd_session.c.
 */
#ifndef GF_CLI_CMD_PIPE_H
#define GF_CLI_CMD_PIPE_H

#include "client/cli/batch/batch_names.h"
#include "client/cli/op/pipe.h"
#include "client/cli/op/pipe_files.h"
#include "client/cli/stream/stream.h"
#include "client/lib/text/reader.h"

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
    "Where a file cannot hold f32, f16 or u16: " GF_FIT_BITS ";\n" GF_FIT_KEPT ".\n"                                   \
    "The exit status is 1 where a step `compare` found a difference."
#define GF_PIPE_EXAMPLE                                                                                                \
    "pipe in.png 'gaussian sigma=1 | gaussian src=#0 sigma=2 | combine other=#1 mode=absdiff' -o out.png"

/* Prints the plan of every step to standard error. */
void gf_pipe_explain(const struct gf_cli *cli, const struct gf_pipe *p);
/* Prints what --json, --hash and --timing request, or the tables as text. */
void gf_pipe_report(const struct gf_cli *cli, const struct gf_pipe *p);

/* See gf_text_data. */
typedef enum gf_status gf_pipe_connect_fn(void *user, const struct gf_text_value *value, struct gf_ref *ret,
                                          struct gf_error *err);

/* Reads the steps of a pipe that has IN as its only operand. The text must outlive the pipe. Reports the error and
 * returns an exit code. */
int gf_pipe_text_read(const struct gf_cli *cli, const char *text, struct gf_pipe *p);

/* Reads the steps with a `connect` of `user` that knows the available data. The caller reports errors. */
enum gf_status gf_pipe_read_steps(struct gf_pipe *p, const char *text, gf_pipe_connect_fn *connect, void *user,
                                  bool takes_words, struct gf_error *err);
/* Connects an input of a step of `p` to a file, a mask, or the result of a step; see gf_text_data. */
enum gf_status gf_pipe_connect(struct gf_pipe *p, const struct gf_text_value *value, struct gf_ref *ret,
                               struct gf_error *err);
/* Reports an error in a text; returns an exit code. */
int gf_pipe_fail_text(const struct gf_cli *cli, const struct gf_error *err);

#endif
