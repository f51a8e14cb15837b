/* SPDX-License-Identifier: MIT */
/*
 * One client: its frames, its resources, its pending requests. Frames in, requests to the dispatcher, answers out; each
 * accepted id is answered exactly once. Made by sessions.c; lives until its connection is closed.
 */
#ifndef GF_FRONT_SESSION_H
#define GF_FRONT_SESSION_H

#include "server/front/resource/arenas.h"
#include "server/front/resource/handles.h"
#include "sessions.h"

/* What the next request has got of what it needs, until it is a task: in the end, or while a thread prepares it. */
struct gf_reservation {
    struct gf_charge request, staging, scratch;
    struct gf_slot *slot;  /* NULL: it needs none */
    struct gf_error error; /* it could not be prepared */
};

struct gf_session {
    struct gf_connection connection;
    struct gf_sessions *all;
    struct gf_node node;
    struct gf_waiter waiter; /* for the room of the next request */
    struct gf_reservation reservation;
    struct gf_loop_queue_user *user;
    struct gf_account *account;
    struct gf_charge charge;  /* of one connection; null while it looks on (places.h) */
    struct gf_node onlooker;  /* among those */
    uint64_t opened_ns;       /* of an onlooker */
    struct gf_charge replies; /* of answers to INFO, until nothing is unread */
    struct gf_source source;
    struct gf_arenas arenas;
    struct gf_handles handles;
    char device[GF_MAX_DEVICE_NAME + 1]; /* where its handles shall live, from HELLO */
    struct gf_node tasks;                /* not yet answered */
    struct gf_task *uploading;
    uint64_t drain_position; /* what the client sent before this is answered while draining */
    uint32_t n_tasks;
    pid_t pid;
    bool greeted, fd_passing, ended;
    bool held; /* not read from, since it has all requests it may */
};

/* A client. Takes the descriptor on success, and the reference to the name of a user who has one. QUOTA, NO_MEMORY,
 * INTERNAL. */
enum gf_status gf_session_open(struct gf_sessions *all, int fd, const struct gf_peer *peer, struct gf_error *err);

/* Answers, all queued in the connection: ERROR, and frames without a body. */
void gf_session_send_error(struct gf_session *s, uint64_t id, const struct gf_error *error);
void gf_session_send_empty(struct gf_session *s, uint16_t kind, uint64_t id);

/* The final answer of a task; the task is freed now or when the answer is written. */
void gf_session_answer(struct gf_session *s, struct gf_task *task, const struct gf_run_reply *reply,
                       const struct gf_error *error);

/* Gives back what a request has that does not become a task (session_run.c). */
void gf_reservation_deinit(struct gf_reservation *reservation);
/* What the session's frame needs of a resource, and whether it may have that now: else it has to wait. */
bool gf_session_needs(struct gf_session *s, const uint64_t need[GF_N_RES]);
/* Its frame does not wait any more. */
void gf_session_go_on(struct gf_session *s);
/* INFO (session_info.c): answers it. BUSY when it has to wait until answers are read. */
enum gf_status gf_session_info(struct gf_session *s, const struct gf_frame *frame, struct gf_error *err);
/* RUN (session_run.c): admits it, or answers it with an error, or lets it wait. */
enum gf_taken gf_session_run(struct gf_session *s, struct gf_frame *frame, uint8_t **ret_payload);

#endif
