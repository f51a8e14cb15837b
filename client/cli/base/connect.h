/* SPDX-License-Identifier: MIT */
/* Connects a command to a daemon according to the common options. */
#ifndef GF_CLI_CONNECT_H
#define GF_CLI_CONNECT_H

#include "cli.h"
#include "gpufilter/client.h"

/* Opens a client. Only operations start a daemon if none is found. Reports the error and returns an exit code; on 0 the
 * caller closes the client. */
int gf_cli_connect(const struct gf_cli *cli, gpufilter_client **ret_client);

/* Memory for pictures that the client shares with the daemon. Obtaining it may take longer than sending one picture
 * through the socket, so use it from the second picture of a connection on. */
struct gf_image_memory gf_cli_memory(gpufilter_client *client);

/* A connection for a single picture. The allocator connects when a large picture needs memory and shared memory comes
 * in huge pages, which beats the socket. Otherwise gf_cli_once_connect connects. */
struct gf_cli_once {
    const struct gf_cli *cli;
    gpufilter_client *client; /* NULL: not connected */
    bool tried;               /* a connection was tried; if it failed, err says why */
    gpufilter_error err;
    uint64_t connect_ns; /* duration of the connection attempt */
};

struct gf_image_memory gf_cli_once_memory(struct gf_cli_once *once);
/* Connects unless already connected; if the connection failed before, reports that error. Otherwise as
 * gf_cli_connect. */
int gf_cli_once_connect(struct gf_cli_once *once);
/* Closes the connection. All memory must have been given back. For gf_cleanup. */
void gf_cli_once_deinit(struct gf_cli_once *once);

/* For gf_cleanup. */
void gf_cli_disconnectp(gpufilter_client **client);

#endif
