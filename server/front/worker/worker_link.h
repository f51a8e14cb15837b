/* SPDX-License-Identifier: MIT */
/*
 * The socket to one worker process: whole frames in and out, SOCK_SEQPACKET. What the socket does not take at once
 * waits in a queue. The queue stays short: while something waits the worker is given no task (gf_worker_link_full), and
 * each task is cancelled, each memory and buffer released once. Made by worker.c and
 * workers_join.c; called by the files of this folder and routing.c.
 */
#ifndef GF_FRONT_WORKER_LINK_H
#define GF_FRONT_WORKER_LINK_H

#include <uv.h>

#include "protocol/wire/frame.h"

struct gf_worker_link;

struct gf_worker_link_ops {
    /* A frame came; the body is valid during the call. */
    void (*message)(void *data, const struct gf_header *header, const uint8_t *body);
    /* Whether more frames may have come already, so that it is worth looking at once; NULL: always. */
    bool (*more)(void *data);
    /* All that waited was sent; NULL: nobody asks. */
    void (*drained)(void *data);
    /* The worker closed the socket, or sent what is no frame; called once. */
    void (*lost)(void *data, const char *why);
};

/* Takes the descriptor on success; NULL otherwise. */
struct gf_worker_link *gf_worker_link_new(uv_loop_t *loop, int fd, const struct gf_worker_link_ops *ops, void *data);
/* Closes the socket; no callback comes any more. Takes NULL, returns NULL. */
struct gf_worker_link *gf_worker_link_free(struct gf_worker_link *link);

/* Somebody else listens from now on. */
void gf_worker_link_redirect(struct gf_worker_link *link, const struct gf_worker_link_ops *ops, void *data);
/* Takes what the worker sent before it died. */
void gf_worker_link_drain(struct gf_worker_link *link);

/* What may wait for the socket, in bytes of memory. */
#define GF_WORKER_LINK_MAX ((size_t)16 << 20)

/* Sends a frame and, where fd is not -1, a copy of a descriptor. False when the link is lost, memory is, or more would
 * wait than may. */
bool gf_worker_link_send(struct gf_worker_link *link, const uint8_t *frame, size_t size, int fd);
/* Tells a worker why it is not wanted, for the journal of its own unit. */
void gf_worker_link_tell_refused(struct gf_worker_link *link, const char *why);
/* Whether the worker receives nothing more; it may still send. */
bool gf_worker_link_parted(const struct gf_worker_link *link);
/* Whether the socket took not all it was given; `drained` is called when it has. */
bool gf_worker_link_full(const struct gf_worker_link *link);
/* Bytes of memory of what waits. */
size_t gf_worker_link_queued(const struct gf_worker_link *link);

#endif
