/* SPDX-License-Identifier: MIT */
/*
 * The protocol between systemd and the daemon: inherited listening sockets, the notification socket, the watchdog's
 * period. A few lines of our own instead of libsystemd. Called by server_start.c and server.c.
 */
#ifndef GF_FRONT_NOTIFY_H
#define GF_FRONT_NOTIFY_H

#include <stdint.h>

#include "protocol/base/base.h"

#define GF_LISTEN_FDS_START 3

/* How many descriptors from GF_LISTEN_FDS_START on were passed to this process; 0 when none. They are made
 * close-on-exec, and the environment no longer tells of them, so that workers do not take them for their own. */
uint32_t gf_listen_fds(void);

struct gf_notify {
    char address[108];    /* of $NOTIFY_SOCKET; empty where there is none */
    uint64_t watchdog_ns; /* time within which WATCHDOG=1 is expected; 0: never */
};

/* Reads the environment and takes the variables out of it. */
void gf_notify_init(struct gf_notify *notify);
/* Sends "READY=1\nSTATUS=..." and the like; without a socket it does nothing, and failure is of no consequence. */
void gf_notify_send(const struct gf_notify *notify, const char *fmt, ...) gf_printf(2, 3);

#endif
