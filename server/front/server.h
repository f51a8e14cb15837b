/* SPDX-License-Identifier: MIT */
/*
 * The daemon as a whole: its parts put together, its signals, its beginning (server_start.c) and its end (server.c).
 * Called by main.c.
 */
#ifndef GF_FRONT_SERVER_H
#define GF_FRONT_SERVER_H

#include "server/front/base/options.h"

struct gf_server;

/* Exit codes, after sysexits. */
enum gf_exit {
    GF_EXIT_OK = 0,
    GF_EXIT_NOT_WELL = 1, /* --doctor found something */
    GF_EXIT_USAGE = 64,
    GF_EXIT_UNAVAILABLE = 69, /* no device */
    GF_EXIT_OS = 71,
    GF_EXIT_BUSY = 75, /* another daemon has the socket */
    GF_EXIT_CONFIG = 78
};

/* Binds or inherits sockets and starts workers. The options and arguments stay the caller's; the options are changed
 * when the configuration is read again. On failure the error's text is for the person who started it. */
enum gf_status gf_server_new(struct gf_options *options, int argc, char *const *argv, struct gf_server **ret_server,
                             struct gf_error *err);
/* Serves until told to end, or until no device can ever serve. Returns an exit code. */
int gf_server_run(struct gf_server *server);
/* Takes NULL, returns NULL. */
struct gf_server *gf_server_free(struct gf_server *server);

#endif
