/* SPDX-License-Identifier: MIT */
/* Connects a command to a daemon by the options that all commands share. */
#ifndef GF_CLI_CONNECT_H
#define GF_CLI_CONNECT_H

#include "cli.h"
#include "gpufilter/client.h"

/* Operations start a daemon where none is found, other commands never do. Says what is wrong and returns an exit code;
 * on 0 the caller closes the client. */
int gf_cli_connect(const struct gf_cli *cli, gpufilter_client **ret_client);

/* For gf_cleanup. */
void gf_cli_disconnectp(gpufilter_client **client);

#endif
