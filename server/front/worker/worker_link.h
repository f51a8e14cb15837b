/* SPDX-License-Identifier: MIT */
/*
 * The socket to one worker process: one frame per message, SOCK_SEQPACKET. Frames that the socket does not accept at
 * once wait in a queue. The queue stays short: while it is not empty the worker gets no tasks (gf_worker_link_full),
 * and each task is cancelled at most once, each memory and buffer released once. Made by worker.c and workers_join.c;
 * called by the files of this folder and routing.c.
 */
#ifndef GF_FRONT_WORKER_LINK_H
#define GF_FRONT_WORKER_LINK_H

#include <uv.h>

#include "protocol/wire/frame.h"

struct gf_worker_link;

struct gf_worker_link_ops {
    /* A frame has arrived; the body is valid during the call. */
    void (*message)(void *data, const struct gf_header *header, const uint8_t *body);
    /* Whether further frames are likely to be there, so that reading again at once pays; NULL: always. */
    bool (*more)(void *data);
    /* The queue is empty again; may be NULL. */
    void (*drained)(void *data);
    /* The worker closed the socket or sent a malformed frame; called once. */
    void (*lost)(void *data, const char *why);
};

/* Takes the descriptor on success; NULL without memory. */
struct gf_worker_link *gf_worker_link_new(uv_loop_t *loop, int fd, const struct gf_worker_link_ops *ops, void *data);
/* Closes the socket; no callback is called after that. Accepts NULL, returns NULL. */
struct gf_worker_link *gf_worker_link_free(struct gf_worker_link *link);

/* Changes the receiver of the callbacks. */
void gf_worker_link_redirect(struct gf_worker_link *link, const struct gf_worker_link_ops *ops, void *data);
/* Reads what the worker sent before it died. */
void gf_worker_link_drain(struct gf_worker_link *link);

/* Limit of the queue, in bytes of memory. */
#define GF_WORKER_LINK_MAX ((size_t)16 << 20)

/* Sends a frame and, if fd is not -1, a copy of a descriptor. False if the link is lost, memory is short, or the queue
 * would exceed its limit. */
bool gf_worker_link_send(struct gf_worker_link *link, const uint8_t *frame, size_t size, int fd);
/* Tells a worker why it is refused, for the journal of its own unit. */
void gf_worker_link_tell_refused(struct gf_worker_link *link, const char *why);
/* Whether the worker receives nothing more; it may still send. */
bool gf_worker_link_parted(const struct gf_worker_link *link);
/* Whether frames are queued; `drained` is called when they are sent. */
bool gf_worker_link_full(const struct gf_worker_link *link);
/* Bytes of memory of the queue. */
size_t gf_worker_link_queued(const struct gf_worker_link *link);

#endif
