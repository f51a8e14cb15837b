/* SPDX-License-Identifier: MIT */
/* The text of a pipe whose inputs are files and results of steps. Used by cmd_pipe.c, and by cmd_session.c for
 * files. */
#ifndef GF_CLI_PIPE_TEXT_H
#define GF_CLI_PIPE_TEXT_H

#include "client/cli/op/pipe.h"
#include "client/lib/text/reader.h"

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
