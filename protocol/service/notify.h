/* SPDX-License-Identifier: MIT */
/*
 * The protocol between systemd and its services: inherited listening sockets, the notification socket, the watchdog
 * interval, and the names of instances. A few lines replace libsystemd. Called by server_start.c and server.c, and by
 * the worker's main.c.
 */
#ifndef GF_NOTIFY_H
#define GF_NOTIFY_H

#include <stdint.h>

#include "protocol/base/base.h"

#define GF_LISTEN_FDS_START 3

/* The number of descriptors passed to this process, which start at GF_LISTEN_FDS_START. They become close-on-exec and
 * the variables leave the environment, so that workers do not take them for their own. *ret_metrics is the first one
 * whose name (FileDescriptorName=) is "metrics"; -1: there is none. */
uint32_t gf_listen_fds(int *ret_metrics);

struct gf_notify {
    char address[108];    /* $NOTIFY_SOCKET; empty if it is not set */
    uint64_t watchdog_ns; /* time within which systemd expects WATCHDOG=1; 0: no watchdog */
    int fd;               /* of gf_notify_connect; -1: each state has a socket of its own */
};

/* Reads the variables and removes them from the environment. */
void gf_notify_init(struct gf_notify *notify);
/* Keeps a connection to the socket, for a process that may open none later. */
void gf_notify_connect(struct gf_notify *notify);
/* Sends a state such as "READY=1\nSTATUS=...". Does nothing without a socket and ignores failure. */
void gf_notify_send(const struct gf_notify *notify, const char *fmt, ...) gf_printf(2, 3);

/* The device of an instance of gpufilterd-worker@.service, whose name has no colon: "cuda:0" of "cuda0". Any other name
 * is returned as it is. */
const char *gf_instance_device(const char *instance, char *buffer, size_t size);

#endif
