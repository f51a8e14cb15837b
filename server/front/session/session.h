/* SPDX-License-Identifier: MIT */
/*
 * One client: its frames, its resources, its pending requests. Frames come in, requests go to the dispatcher, answers
 * go out; each accepted id is answered exactly once. Made by sessions.c; lives until its connection is closed.
 */
#ifndef GF_FRONT_SESSION_H
#define GF_FRONT_SESSION_H

#include "server/front/resource/arenas.h"
#include "server/front/resource/handles.h"
#include "sessions.h"

/* What the next request has been granted so far; lasts until it becomes a task, also while a thread
 * prepares its slot. */
struct gf_reservation {
    struct gf_charge request, staging, scratch;
    struct gf_slot *slot;  /* NULL: not needed */
    struct gf_error error; /* why the slot could not be prepared */
};

/* The next request while it waits for room, so that it is decoded and its texts are parsed once. */
struct gf_waiting_run {
    struct gf_footprint footprint; /* for so many threads, in slabs or not */
    uint32_t threads;
    bool in_slabs;
    char program[]; /* as it was decoded, packed; then the characters of its texts */
};

struct gf_session {
    struct gf_connection connection;
    struct gf_sessions *all;
    struct gf_node node;
    struct gf_waiter waiter; /* waits for the room of the next request */
    struct gf_reservation reservation;
    struct gf_waiting_run *waiting; /* NULL: the next request does not wait, or there was no memory */
    struct gf_loop_queue_user *user;
    struct gf_account *account;
    struct gf_charge charge;  /* for one connection; null while the session is an onlooker (places.h) */
    struct gf_node onlooker;  /* in the list of onlookers */
    uint64_t opened_ns;       /* when an onlooker connected */
    uint64_t number;          /* of this connection since the server's start, from 1 on */
    struct gf_charge replies; /* for answers to INFO, until none is unread */
    struct gf_source source;
    struct gf_arenas arenas;
    struct gf_handles handles;
    char device[GF_MAX_DEVICE_NAME + 1]; /* device for its handles, from HELLO */
    struct gf_node tasks;                /* tasks not answered yet */
    struct gf_task *uploading;
    uint64_t drain_position; /* while draining, bytes sent before this position are still answered */
    uint32_t n_tasks;
    pid_t pid;
    bool greeted, fd_passing, ended;
    bool held; /* reading is paused, because it has as many requests as it may have */
};

/* Opens a session. On success takes the descriptor, and the reference to the user's name if the user has one. QUOTA,
 * NO_MEMORY, INTERNAL. */
enum gf_status gf_session_open(struct gf_sessions *all, int fd, const struct gf_peer *peer, struct gf_error *err);

/* Queue an answer: ERROR, or a frame without a body. */
void gf_session_send_error(struct gf_session *s, uint64_t id, const struct gf_error *error);
void gf_session_send_empty(struct gf_session *s, uint16_t kind, uint64_t id);
/* Answers a request that is not accepted by ERROR, counts it, and logs it (log-requests). `context`: of the client's
 * span; NULL: the request has none. */
void gf_session_refuse(struct gf_session *s, uint64_t id, const struct gf_trace_context *context,
                       const struct gf_error *error);
/* Ends the connection with an error for the whole of it, such as SHUTDOWN, upon which clients connect again. */
void gf_session_send_away(struct gf_session *s, const struct gf_error *error);

/* The dispatcher's done(), with the sessions as data: sends the final answer of a task unless its client has gone, and
 * frees the task, now or when the answer is written. The client's user pays for the time. */
void gf_session_answer(void *data, struct gf_task *task, const struct gf_run_reply *reply,
                       const struct gf_error *error);

/* Releases what was granted to a request that does not become a task (session_run.c). */
void gf_reservation_deinit(struct gf_reservation *reservation);
/* Sets the session frame's needs; whether it may have them now. Otherwise it has to wait. */
bool gf_session_request(struct gf_session *s, const uint64_t need[GF_N_RES]);
/* The session's frame no longer waits. */
void gf_session_resume(struct gf_session *s);
/* Whether this is root or the daemon's own user, who see all users and may send ADMIN (session_admin.c). */
bool gf_account_is_admin(const struct gf_account *account);
/* QUOTA if the user's requests are refused for a while, because some ended workers. SHUTDOWN for a client of a proxy,
 * also if no device is left: the client then connects again, and the proxy may lead it to another server. */
enum gf_status gf_session_check_service(const struct gf_session *s, struct gf_error *err);
/* Appends the users who are refused, and for how long; of the client's own user alone unless it is an administrator. */
void gf_session_tell_bans(const struct gf_session *s, char *text, size_t size);
/* Answers ADMIN. */
enum gf_status gf_session_admin(struct gf_session *s, const struct gf_frame *frame, struct gf_error *err);
/* Answers INFO (session_info.c). BUSY if it must wait until answers are read. */
enum gf_status gf_session_info(struct gf_session *s, const struct gf_frame *frame, struct gf_error *err);
/* Handles RUN (session_run.c): admits it, answers it with an error, or makes it wait. */
enum gf_frame_outcome gf_session_run(struct gf_session *s, struct gf_frame *frame, uint8_t **ret_payload);

#endif
