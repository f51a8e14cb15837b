/* SPDX-License-Identifier: MIT */
/* Connects a command to a daemon by the options that all commands share. */
#ifndef GF_CLI_CONNECT_H
#define GF_CLI_CONNECT_H

#include "cli.h"
#include "gpufilter/client.h"

/* Operations start a daemon where none is found, other commands never do. Says what is wrong and returns an exit code;
 * on 0 the caller closes the client. */
int gf_cli_connect(const struct gf_cli *cli, gpufilter_client **ret_client);

/* Memory that the client shares with the daemon, for pictures that are read. To get it may take longer than to send a
 * picture through the socket, so it is for what comes after the first picture of a connection. */
struct gf_image_memory gf_cli_memory(gpufilter_client *client);

/* A connection for one picture. It is made when memory for a large one is asked for, where that can be shared memory of
 * huge pages, which takes less time than the socket does; else by gf_cli_once_connect. */
struct gf_cli_once {
    const struct gf_cli *cli;
    gpufilter_client *client; /* NULL: not connected */
    bool tried;               /* to connect; where that failed, err has why */
    gpufilter_error err;
    uint64_t connect_ns; /* what connecting took */
};

struct gf_image_memory gf_cli_once_memory(struct gf_cli_once *once);
/* Connects, or says why that failed already. As gf_cli_connect. */
int gf_cli_once_connect(struct gf_cli_once *once);
/* Closes the connection, after all memory was given back. For gf_cleanup. */
void gf_cli_once_deinit(struct gf_cli_once *once);

/* For gf_cleanup. */
void gf_cli_disconnectp(gpufilter_client **client);

#endif
