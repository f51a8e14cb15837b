/* SPDX-License-Identifier: MIT */
/*
 * The fair queue: start-time fair queueing by cost on two levels, users and within a user the user's connections, for
 * each device on its own. The flow that got least of a device is next on it. Its service is first an estimate, which
 * the measured cost replaces when known. An idle flow earns no credit; on return its virtual time becomes the current
 * one. Within a connection the order is that of submission, except that a task that cannot run is overtaken. Holds and
 * orders tasks, nothing else; has no clock. Called by dispatcher and session.
 */
#ifndef GF_FRONT_SCHEDULER_H
#define GF_FRONT_SCHEDULER_H

#include "server/front/resource/task.h"

/* Nanoseconds of cost that one got of each device; moved up to the present where it was away. */
struct gf_service {
    uint64_t ns[GF_MAX_DEVICES];
};

struct gf_scheduler {
    struct gf_node users;           /* with queued tasks */
    struct gf_node idle_flows;      /* without */
    struct gf_service virtual_time; /* what the user had that was served last */
    uint32_t n_queued;
    uint32_t n_suspects; /* of these, tasks that had a worker which died */
};

/* A connection, as one that queues tasks. */
struct gf_source {
    struct gf_node node; /* in its user's list while it has queued tasks */
    struct gf_node tasks;
    struct gf_scheduler *scheduler;
    struct gf_flow *flow; /* of its user */
    struct gf_service served;
};

void gf_scheduler_init(struct gf_scheduler *scheduler);
/* Nothing is queued or running, and all sources are gone. */
void gf_scheduler_deinit(struct gf_scheduler *scheduler);

enum gf_status gf_source_init(struct gf_source *source, struct gf_scheduler *scheduler, gf_user_id user,
                              struct gf_error *err);
/* Its queue is empty; what runs for it must not name it any more. Takes a null source. */
void gf_source_deinit(struct gf_source *source);

/* Whether other users are connected, or have tasks that run. */
bool gf_source_has_others(const struct gf_source *source);

/* Queues a task of this source; `again`: before all others. */
void gf_scheduler_push(struct gf_source *source, struct gf_task *task, bool again);
/* Takes a task out of the queue. */
void gf_scheduler_remove(struct gf_task *task);
/* The task that comes next on a device, of those that `fits`; it stays in the queue. NULL when none does. */
struct gf_task *gf_scheduler_next(const struct gf_scheduler *scheduler, uint32_t device,
                                  bool (*fits)(void *data, struct gf_task *task), void *data);
/* Whether the owner of a task has had hardly more of the device than that of the one that comes next, so that letting
 * it pass does no wrong that matters. */
bool gf_scheduler_may_pass(const struct gf_task *task, const struct gf_task *next, uint32_t device);
/* Takes a task out of the queue, and counts so much of the device as given to its source. */
void gf_scheduler_start(struct gf_task *task, uint32_t device, uint64_t ns);
/* What the task that was started cost in truth. */
void gf_scheduler_finish(struct gf_task *task, uint32_t device, uint64_t ns);
/* Visits all queued tasks; the visited one may be taken out. */
void gf_scheduler_each(struct gf_scheduler *scheduler, void (*visit)(void *data, struct gf_task *task), void *data);

#endif
