/* SPDX-License-Identifier: MIT */
/*
 * The worker processes of one device, one after another: the events of their life, and what the files of this folder do
 * for each other. The table in worker.c defines the life itself. Called by the files of this folder.
 */
#ifndef GF_FRONT_WORKER_H
#define GF_FRONT_WORKER_H

#include "workers.h"

/* Events. The code that notices one posts it; the table in worker.c decides what it means. */
enum gf_worker_event {
    GF_EVENT_START,        /* the daemon starts, or is told to look again for devices that it does without */
    GF_EVENT_AWAIT,        /* the daemon starts, and this device's worker is started elsewhere */
    GF_EVENT_TIMER,        /* the time until the next start, or for joining, is over */
    GF_EVENT_WANTED,       /* a request needs the device, which is idle */
    GF_EVENT_JOINED,       /* `hello`: a process that was started elsewhere has joined; link and process are set */
    GF_EVENT_SPAWN_FAILED, /* `text`: the process could not be started */
    GF_EVENT_HELLO,        /* `hello`: the first hello of the process */
    GF_EVENT_LAST_WORDS,   /* `text`: why the worker is about to end by itself */
    GF_EVENT_LOST,         /* the worker closed its socket, or receives nothing more */
    GF_EVENT_KILL,         /* `text`: why the worker must be killed; `blameless` */
    GF_EVENT_UNUSED,       /* the worker has been idle for idle-release */
    GF_EVENT_EXITED,       /* `code` and `text`: the process has ended */
    GF_EVENT_GIVEN_UP,     /* `code` and `text`: the process was killed but does not end */
    GF_EVENT_STOP,         /* the daemon ends */
    /* The verdict on a death; `code`, and `text`: how the worker died. Posted by the table itself, but NO_DEVICE also
     * for a worker that was started elsewhere and has not joined; `text` is then what it says. */
    GF_EVENT_NO_DEVICE, /* the worker says that the device does not exist, or that this build cannot use it */
    GF_EVENT_NOT_READY, /* the worker says that the system is not ready for the device */
    GF_EVENT_NOT_OURS,  /* the worker was started elsewhere and is restarted there */
    GF_EVENT_DISMISSED, /* the same, and it ended as it was told there */
    GF_EVENT_DIED,
    GF_EVENT_DIED_TOO_OFTEN,
    GF_WORKER_N_EVENTS
};

/* Details of an event; see the comments of the events. */
struct gf_worker_about {
    const char *text;
    int code;
    bool blameless; /* the front has failed, and the death counts against nobody */
    const struct gf_worker_hello *hello;
};

/* Handles an event; `about` may be NULL if the event has no details. False, with an error in the log, if the event
 * cannot happen in the worker's state. (worker.c) */
bool gf_worker_post(struct gf_worker *worker, enum gf_worker_event event, const struct gf_worker_about *about);
/* The state after the event; GF_WORKER_N_STATES if the event cannot happen. */
enum gf_worker_state gf_worker_next(enum gf_worker_state state, enum gf_worker_event event);
/* Posts JOINED with a link that has sent a hello and its process, if that still exists. Takes the link. */
void gf_worker_adopt(struct gf_worker *worker, struct gf_worker_link *link, pid_t pid,
                     const struct gf_worker_hello *hello);

/* Posts GIVEN_UP: the process does not end although it was killed. */
void gf_worker_give_up(struct gf_worker *worker);

/* A process that will join needs this long, if one is awaited. */
void gf_worker_await_longer(struct gf_worker *worker, uint32_t ms);

/* Handles the frames of a worker's socket, with the worker as data. (worker_frames.c) */
extern const struct gf_worker_link_ops gf_worker_frames;
/* Sends the worker a shared memory that it has not mapped yet. */
void gf_worker_map(struct gf_worker *worker, struct gf_memory *memory);
/* Makes the worker unmap a shared memory. */
void gf_worker_unmap(struct gf_worker *worker, const struct gf_memory *memory);

/* The worker's driver assembles all kernels for this device, so its start may take long. */
void gf_worker_assembles(struct gf_worker *worker, const struct gf_device_entry *device);
/* Asks the worker for a sign of life, or to run a kernel, and kills it if it does not respond. (worker_watch.c) */
void gf_worker_check(struct gf_worker *worker, uint64_t now_ns);
/* Whether the worker is READY and has tasks, and has left a question about itself or one of them unanswered for so long
 * that something must be wrong, although not yet for the worker's timeout. */
bool gf_worker_stalls(const struct gf_worker *worker, uint64_t now_ns);
/* The worker has run a kernel. */
void gf_worker_ran(struct gf_worker *worker);
/* Handles the answer to a probe or to a question about a task: the kernel ran or failed with an error, or the task
 * makes progress. gf_worker_is_probe says whether an id belongs to a probe. */
void gf_worker_probed(struct gf_worker *worker, uint64_t id, const struct gf_error *error);
bool gf_worker_is_probe(uint64_t id);
/* Whether the worker is ready and a kernel ran there recently. */
bool gf_worker_is_healthy(const struct gf_worker *worker, uint64_t now_ns);

/* Ends the process of a GPU that has been idle for long; it must be READY without tasks. (worker_idle.c) */
void gf_worker_end_idle(struct gf_worker *worker, uint64_t now_ns);

/* Asks for figures of the GPU when it is time; stores the answer; the process has ended. (worker_gpu.c) */
void gf_worker_check_gpu(struct gf_worker *worker, uint64_t now_ns);
void gf_worker_gpu_told(struct gf_worker *worker, const uint8_t *body, size_t size);
void gf_worker_forget_gpu(struct gf_worker *worker);

/* Disconnects joining processes that have not said which device they serve. (workers_join.c) */
void gf_workers_drop_joiners(struct gf_workers *workers);

#endif
