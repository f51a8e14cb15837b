/* SPDX-License-Identifier: MIT */
/*
 * The daemon's side of `metrics-listen`. A process without rights, gpufilterd-metrics, accepts on the listening socket
 * and speaks HTTP; the front binds the socket, starts the process, replaces it when it dies, and answers what it asks:
 * INFO for metrics or health, one frame per message. It sees the metrics of all users, has no other request, and counts
 * in no limit, so that a scrape is never refused; its questions have the turns on the loop thread that accepting has.
 * Called by server_start.c and server.c.
 */
#ifndef GF_FRONT_METRICS_LISTENER_H
#define GF_FRONT_METRICS_LISTENER_H

#include "listener.h"
#include "server/front/base/endpoint.h"
#include "server/front/worker/worker_link.h"
#include "server/front/worker/worker_process.h"
#include "sessions.h"

struct gf_metrics_listener {
    /* Set by the owner before gf_metrics_listener_start. */
    struct gf_sessions *sessions;
    struct gf_spawner *spawner;
    uv_loop_t *loop;

    const char *address; /* the option, the owner's; empty: none */
    struct gf_endpoint endpoint;
    struct gf_listener socket; /* nothing is accepted here; fd -1: there is no listener */
    struct gf_worker_process *process;
    struct gf_worker_link *link;
    struct gf_loop_queue_entry entry; /* ready if a question waits for its answer */
    uv_timer_t timer;                 /* until the next start of the process */
    uint64_t started_ns;              /* when the process was started */
    uint64_t id;                      /* of the question */
    uint32_t topic, next;             /* of the question */
    uint32_t backoff;
    bool started;
};

#define GF_METRICS_LISTENER_NULL ((struct gf_metrics_listener){.address = "", .socket = {.fd = -1, .lock = -1}})

/* Reads the option and makes a socket for TCP, before the front is in a sandbox. BAD_PARAM, START_FAILED. */
enum gf_status gf_metrics_listener_prepare(struct gf_metrics_listener *listener, const char *address,
                                           struct gf_error *err);
/* Binds the option's address, if there is one. BUSY, BAD_ARGUMENT: see gf_listener_bind. START_FAILED. */
enum gf_status gf_metrics_listener_bind(struct gf_metrics_listener *listener, struct gf_error *err);
/* Takes over an inherited listening socket, of TCP or Unix. BAD_ARGUMENT if it is none, or
 * beside an address. */
enum gf_status gf_metrics_listener_adopt(struct gf_metrics_listener *listener, int fd, struct gf_error *err);
/* Starts the process; a failure is logged, and the start is tried again. NO_MEMORY. */
enum gf_status gf_metrics_listener_start(struct gf_metrics_listener *listener, struct gf_error *err);
/* Ends the process, closes the socket and the handles. May be called twice. */
void gf_metrics_listener_stop(struct gf_metrics_listener *listener);

#endif
