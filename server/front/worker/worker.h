/* SPDX-License-Identifier: MIT */
/*
 * One device's worker processes, one after the other: what can happen to them, and what the files of this folder do for
 * each other. The life itself is the table in worker.c. Called by the files of this folder.
 */
#ifndef GF_FRONT_WORKER_H
#define GF_FRONT_WORKER_H

#include "workers.h"

/* Whoever notices one of these posts it; the table in worker.c decides what it means. */
enum gf_worker_event {
    GF_EVENT_START,        /* the daemon begins */
    GF_EVENT_TIMER,        /* the time to the next start is over */
    GF_EVENT_WANTED,       /* a request needs the device, which is idle */
    GF_EVENT_JOINED,       /* `hello`: a process that something else started; link and process are set */
    GF_EVENT_SPAWN_FAILED, /* `text`: no process could be started */
    GF_EVENT_HELLO,        /* `hello`: its first */
    GF_EVENT_LAST_WORDS,   /* `text`: why it is about to end, of itself */
    GF_EVENT_LOST,         /* its socket has ended, or it receives nothing more */
    GF_EVENT_KILL,         /* `text`: it misbehaves */
    GF_EVENT_UNUSED,       /* it has had nothing to do for long */
    GF_EVENT_EXITED,       /* `code` and `text`: its process has ended */
    GF_EVENT_GIVEN_UP,     /* `code` and `text`: killed, and still there */
    GF_EVENT_STOP,         /* the daemon ends */
    /* What a death comes to; `text`: how it died. Posted by the table itself. */
    GF_EVENT_NO_DEVICE, /* it says that there is none */
    GF_EVENT_NOT_OURS,  /* who started it starts it again */
    GF_EVENT_DIED,
    GF_EVENT_DIED_TOO_OFTEN,
    GF_WORKER_N_EVENTS
};

/* What is to be known of an event; see there. */
struct gf_worker_about {
    const char *text;
    int code;
    const struct gf_worker_hello *hello;
};

/* Something has happened; `about` may be NULL where the event has nothing. False, with an error in the log, when it
 * cannot happen in the worker's state. (worker.c) */
bool gf_worker_post(struct gf_worker *worker, enum gf_worker_event event, const struct gf_worker_about *about);
/* The state after the event; GF_WORKER_N_STATES where it cannot happen. */
enum gf_worker_state gf_worker_next(enum gf_worker_state state, enum gf_worker_event event);
/* Posts JOINED with a link that said hello and the process behind it, if that is still there. Takes the link. */
void gf_worker_adopt(struct gf_worker *worker, struct gf_worker_link *link, pid_t pid,
                     const struct gf_worker_hello *hello);

/* Posts GIVEN_UP: its process does not end though it was killed. */
void gf_worker_give_up(struct gf_worker *worker);

/* What a worker's socket brings; data is the worker. (worker_frames.c) */
extern const struct gf_worker_link_ops gf_worker_frames;
/* Makes a memory known to the process; mapped already is fine. */
void gf_worker_map(struct gf_worker *worker, struct gf_memory *memory);
/* The memory goes away. */
void gf_worker_unmap(struct gf_worker *worker, const struct gf_memory *memory);

/* Asks it for a sign of life, or to run a kernel, and kills it when there is none. (worker_watch.c) */
void gf_worker_check(struct gf_worker *worker, uint64_t now_ns);
/* It has run a kernel. */
void gf_worker_ran(struct gf_worker *worker);
/* A kernel that it was asked to run did, or failed with an error, or a task goes on; whether an id is that of such a
 * question. */
void gf_worker_probed(struct gf_worker *worker, uint64_t id, const struct gf_error *error);
bool gf_worker_is_probe(uint64_t id);
/* Ready, and a kernel ran there not long ago. */
bool gf_worker_is_well(const struct gf_worker *worker, uint64_t now_ns);

/* Lets the process of a GPU end that has had nothing to do for long; it is READY, without tasks. (worker_idle.c) */
void gf_worker_rest(struct gf_worker *worker, uint64_t now_ns);

/* Lets go of processes that have not said which device they are. (workers_join.c) */
void gf_workers_drop_joiners(struct gf_workers *workers);

#endif
