/* SPDX-License-Identifier: MIT */
/*
 * Listening sockets: inherited from systemd, or bound here under a lock so that no daemon ever takes another's socket.
 * Hands out accepted descriptors with the identity of their peer. Called by
 * server_start.c and server.c.
 */
#ifndef GF_FRONT_LISTENER_H
#define GF_FRONT_LISTENER_H

#include <sys/socket.h>
#include <sys/types.h>
#include <uv.h>

#include "protocol/base/error.h"
#include "server/front/resource/fd_closer.h"
#include "server/front/schedule/loop_queue.h"

/* Takes the descriptor. */
typedef void gf_listener_accepted(void *data, int fd, const struct ucred *peer);

struct gf_listener {
    uv_poll_t poll;
    struct gf_fd_closer *closer;      /* set by the owner, or NULL */
    struct gf_loop_queue_entry entry; /* accepting has a user's share of the loop, whoever they are who connect */
    uv_timer_t timer;                 /* to the next try after this process ran out of descriptors */
    gf_listener_accepted *accepted;
    void *data;
    char path[108];
    dev_t dev;
    ino_t ino;
    int fd, lock;
    bool started, paused;
};

#define GF_LISTENER_NULL ((struct gf_listener){.fd = -1, .lock = -1})

/* Binds `path` with access `mode`; type is SOCK_STREAM or SOCK_SEQPACKET. BUSY when another daemon has it,
 * BAD_ARGUMENT for a path that is too long, START_FAILED for all else. */
enum gf_status gf_listener_bind(struct gf_listener *listener, const char *path, int type, mode_t mode,
                                struct gf_error *err);
/* A listening Unix socket that was inherited, for clients (SOCK_STREAM) or workers (SOCK_SEQPACKET), which *ret_type
 * tells; taken on success. BAD_ARGUMENT when it is none. */
enum gf_status gf_listener_adopt(struct gf_listener *listener, int fd, int *ret_type, struct gf_error *err);

/* NO_MEMORY, START_FAILED. */
enum gf_status gf_listener_start(struct gf_listener *listener, uv_loop_t *loop, struct gf_loop_queue *queue,
                                 gf_listener_accepted *accepted, void *data, struct gf_error *err);
/* Leaves clients waiting in the socket's queue; goes on. */
void gf_listener_pause(struct gf_listener *listener);
void gf_listener_resume(struct gf_listener *listener);

/* Removes the socket's name if it is still ours, accepts who is in the queue of a socket bound here, closes, and lets
 * go of the lock, so that the next daemon can come. Handles are closed too. */
void gf_listener_stop(struct gf_listener *listener);

#endif
