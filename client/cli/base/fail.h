/* SPDX-License-Identifier: MIT */
/*
 * How a command fails: one line on standard error, "gpufilter-client: blur: ...", and with --json an object on standard
 * output. Each function returns the exit code, so that `return gf_cli_fail(...)` works.
 */
#ifndef GF_CLI_FAIL_H
#define GF_CLI_FAIL_H

#include "cli.h"
#include "gpufilter/client.h"
#include "protocol/base/error.h"

/* An error found by the command itself. */
int gf_cli_fail(const struct gf_cli *cli, int code, const char *fmt, ...) gf_printf(3, 4);
/* An error of reading, writing or parsing. */
int gf_cli_fail_io(const struct gf_cli *cli, const struct gf_io_error *err);
/* An error from protocol/. */
int gf_cli_fail_error(const struct gf_cli *cli, const struct gf_error *err);
/* An error of the library or the daemon. If there is no daemon, the message says how to start one. */
int gf_cli_fail_client(const struct gf_cli *cli, const gpufilter_error *err);

/* Prints "gpufilter-client: blur: warning: ..." for a flaw that harms no sample, unless --quiet. NULL: no warning. */
void gf_cli_warn(const struct gf_cli *cli, const char *text);

#endif
