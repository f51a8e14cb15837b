/* SPDX-License-Identifier: MIT */
/*
 * The descriptor for a caller's own event loop: one for the life of the client, readable when gpufilter_poll has work
 * to do. It is an epoll instance over the current connection and a timer for deadlines, made when the caller first asks
 * for it. Used by client.c and run.c.
 */
#ifndef GF_CLIENT_WATCH_H
#define GF_CLIENT_WATCH_H

#include <stdint.h>

#include "protocol/base/error.h"

struct gpufilter_client;

struct gf_watch {
    int epoll, timer; /* -1: not made */
    int64_t armed;    /* when the timer fires or fired, of gf_now(); INT64_MAX: never */
};

#define GF_WATCH_NULL ((struct gf_watch){.epoll = -1, .timer = -1, .armed = INT64_MAX})

/* Makes the descriptors. RESOURCE_FDS. */
enum gf_status gf_watch_open(struct gf_watch *w, struct gf_error *err);
void gf_watch_close(struct gf_watch *w);
/* Follows the client's current connection and deadline. Called at the end of every public call. */
void gf_watch_update(struct gpufilter_client *client);

#endif
