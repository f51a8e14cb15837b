/* SPDX-License-Identifier: MIT */
/* Connects a command to a daemon by the options that all commands share. */
#ifndef GF_CLI_CONNECT_H
#define GF_CLI_CONNECT_H

#include "cli.h"
#include "gpufilter/client.h"

/* Operations start a daemon where none is found, other commands never do. Says what is wrong and returns an exit code;
 * on 0 the caller closes the client. */
int gf_cli_connect(const struct gf_cli *cli, gpufilter_client **ret_client);

/* Memory that the client shares with the daemon, for pictures that are read. To get it takes longer than to send a
 * picture through the socket, so it is for what comes after the first picture of a connection. */
struct gf_image_memory gf_cli_memory(gpufilter_client *client);

/* For gf_cleanup. */
void gf_cli_disconnectp(gpufilter_client **client);

#endif
