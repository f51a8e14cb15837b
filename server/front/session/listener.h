/* SPDX-License-Identifier: MIT */
/*
 * Listening sockets: inherited from systemd, or bound here under a lock, so that no daemon takes another one's socket.
 * Passes on each accepted descriptor with the credentials of its peer. Called by server_start.c and server.c.
 */
#ifndef GF_FRONT_LISTENER_H
#define GF_FRONT_LISTENER_H

#include <sys/socket.h>
#include <sys/types.h>
#include <uv.h>

#include "protocol/base/error.h"
#include "server/front/resource/fd_closer.h"
#include "server/front/schedule/loop_queue.h"

/* The callee takes the descriptor. */
typedef void gf_listener_accepted(void *data, int fd, const struct ucred *peer);

struct gf_listener {
    uv_poll_t poll;
    struct gf_fd_closer *closer;      /* set by the owner; may be NULL */
    struct gf_loop_queue_entry entry; /* accepting has one user's share of the loop, whichever users connect */
    uv_timer_t timer;                 /* until the next attempt after this process ran out of descriptors */
    gf_listener_accepted *accepted;
    void *data;
    char path[108];
    dev_t dev;
    ino_t ino;
    int fd, lock;
    bool started, paused;
};

#define GF_LISTENER_NULL ((struct gf_listener){.fd = -1, .lock = -1})

/* Binds `path` with access `mode`; `type` is SOCK_STREAM or SOCK_SEQPACKET. BUSY if another daemon serves the path,
 * BAD_ARGUMENT if the path is too long, START_FAILED for any other reason. */
enum gf_status gf_listener_bind(struct gf_listener *listener, const char *path, int type, mode_t mode,
                                struct gf_error *err);
/* Takes over an inherited listening Unix socket on success; *ret_type says whether it is for clients (SOCK_STREAM) or
 * workers (SOCK_SEQPACKET). BAD_ARGUMENT if it is neither. */
enum gf_status gf_listener_adopt(struct gf_listener *listener, int fd, int *ret_type, struct gf_error *err);

/* Begins to accept. NO_MEMORY, START_FAILED. */
enum gf_status gf_listener_start(struct gf_listener *listener, uv_loop_t *loop, struct gf_loop_queue *queue,
                                 gf_listener_accepted *accepted, void *data, struct gf_error *err);
/* Stop accepting, so that clients wait in the backlog, and start again. */
void gf_listener_pause(struct gf_listener *listener);
void gf_listener_resume(struct gf_listener *listener);

/* Removes the socket's name if this daemon bound it, accepts the clients in its backlog, closes the socket and the
 * handles, and releases the lock for the next daemon. */
void gf_listener_stop(struct gf_listener *listener);

#endif
