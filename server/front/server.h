/* SPDX-License-Identifier: MIT */
/*
 * The whole daemon: its parts, its signals, its start (server_start.c) and its end (server.c). Called by main.c.
 */
#ifndef GF_FRONT_SERVER_H
#define GF_FRONT_SERVER_H

#include "server/front/base/options.h"

struct gf_server;

/* Exit codes, after sysexits. */
enum gf_exit {
    GF_EXIT_OK = 0,
    GF_EXIT_NOT_WELL = 1, /* --doctor found a problem */
    GF_EXIT_USAGE = 64,
    GF_EXIT_UNAVAILABLE = 69, /* no device */
    GF_EXIT_OS = 71,
    GF_EXIT_BUSY = 75, /* another daemon serves the socket */
    GF_EXIT_CONFIG = 78
};

/* Binds or inherits sockets and starts workers. The caller keeps the options and arguments; a reload changes the
 * options. On failure the error text is meant for the user who started the daemon. */
enum gf_status gf_server_new(struct gf_options *options, int argc, char *const *argv, struct gf_server **ret_server,
                             struct gf_error *err);
/* Serves until told to end, or until no device can ever serve. Returns an exit code. */
int gf_server_run(struct gf_server *server);
/* Accepts NULL, returns NULL. */
struct gf_server *gf_server_free(struct gf_server *server);

#endif
