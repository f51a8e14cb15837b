/* SPDX-License-Identifier: MIT */
/*
 * How a command fails: one line on standard error, "gpufilter-client: blur: ...", and under --json an object on
 * standard output. Each function that fails returns the exit code, so that `return gf_cli_fail(...)` works.
 */
#ifndef GF_CLI_FAIL_H
#define GF_CLI_FAIL_H

#include "cli.h"
#include "gpufilter/client.h"
#include "protocol/base/error.h"

/* An error that the command itself found. */
int gf_cli_fail(const struct gf_cli *cli, int code, const char *fmt, ...) gf_printf(3, 4);
/* An error of reading, writing or parsing. */
int gf_cli_fail_io(const struct gf_cli *cli, const struct gf_io_error *err);
/* An error of protocol/. */
int gf_cli_fail_error(const struct gf_cli *cli, const struct gf_error *err);
/* An error of the library or the daemon; where there is no daemon, says how to start one. */
int gf_cli_fail_client(const struct gf_cli *cli, const gpufilter_error *err);

/* One line on standard error for what is wrong and harms no sample, "gpufilter-client: blur: warning: ...", unless
 * --quiet; NULL: nothing is wrong. */
void gf_cli_warn(const struct gf_cli *cli, const char *text);

#endif
