/* SPDX-License-Identifier: MIT */
/*
 * The fair queue: start-time fair queueing by cost, per device, on two levels: users, and within a user the user's
 * connections. The flow with the least service on a device is next there. Its service is first an estimate, which the
 * measured cost replaces when it is known, also of a task that was cancelled or failed. An idle flow earns no credit;
 * on return its virtual time becomes the current one. Within a connection the order is that of submission, except that
 * a task that cannot run is overtaken. It only holds and orders tasks and has no clock. Called by the dispatcher and by
 * sessions.
 */
#ifndef GF_FRONT_SCHEDULER_H
#define GF_FRONT_SCHEDULER_H

#include "server/front/resource/task.h"

/* Nanoseconds of service on each device; raised to the virtual time on return from idleness. */
struct gf_service {
    uint64_t ns[GF_MAX_DEVICES];
};

struct gf_scheduler {
    struct gf_node users;           /* flows with queued tasks */
    struct gf_node idle_flows;      /* flows without queued tasks */
    struct gf_service virtual_time; /* service of the user who was served last */
    uint32_t n_queued;
    uint32_t n_suspects; /* queued tasks whose worker died */
};

/* A connection as a source of tasks. */
struct gf_source {
    struct gf_node node; /* in its user's list while it has queued tasks */
    struct gf_node tasks;
    struct gf_scheduler *scheduler;
    struct gf_flow *flow; /* of its user */
    struct gf_service served;
};

void gf_scheduler_init(struct gf_scheduler *scheduler);
/* Nothing may be queued or running, and all sources must be gone. */
void gf_scheduler_deinit(struct gf_scheduler *scheduler);

enum gf_status gf_source_init(struct gf_source *source, struct gf_scheduler *scheduler, gf_user_id user,
                              struct gf_error *err);
/* The queue must be empty, and no running task may refer to the source. Accepts a null source. */
void gf_source_deinit(struct gf_source *source);

/* Whether other users are connected or have running tasks. */
bool gf_source_has_others(const struct gf_source *source);

/* Queues a task of this source; with `again`, ahead of the source's other tasks. */
void gf_scheduler_push(struct gf_source *source, struct gf_task *task, bool again);
/* Takes a task out of the queue. */
void gf_scheduler_remove(struct gf_task *task);
/* The next task on a device among the tasks that pass `fits`; it stays in the queue. NULL if there is none. */
struct gf_task *gf_scheduler_next(const struct gf_scheduler *scheduler, uint32_t device,
                                  bool (*fits)(void *data, struct gf_task *task), void *data);
/* Whether `task` may pass `next`: its user or connection has had hardly more service on the device, so that passing is
 * not unfair. */
bool gf_scheduler_may_pass(const struct gf_task *task, const struct gf_task *next, uint32_t device);
/* Takes a task out of the queue and charges its source `ns` of the device. */
void gf_scheduler_start(struct gf_task *task, uint32_t device, uint64_t ns);
/* Replaces the estimate by the measured cost of a finished task. */
void gf_scheduler_finish(struct gf_task *task, uint32_t device, uint64_t ns);
/* Charges a user `ns` of a device for work that is no task. */
void gf_scheduler_charge(struct gf_scheduler *scheduler, gf_user_id user, uint32_t device, uint64_t ns);
/* Visits all queued tasks; the callback may take out the visited one. */
void gf_scheduler_each(struct gf_scheduler *scheduler, void (*visit)(void *data, struct gf_task *task), void *data);

#endif
