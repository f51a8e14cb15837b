/* SPDX-License-Identifier: MIT */
/*
 * The fair queue: users take turns, and within a user the user's connections; within a connection the order is that of
 * submission, except that a task whose device has no room lets others pass. Holds tasks and decides nothing else.
 * Called by dispatcher and session.
 */
#ifndef GF_FRONT_SCHEDULER_H
#define GF_FRONT_SCHEDULER_H

#include "task.h"

struct gf_scheduler {
    struct gf_node users; /* whose turn it is comes first */
    uint32_t n_queued;
};

/* A connection, as one that queues tasks. */
struct gf_source {
    struct gf_node node; /* in its user's list, whose turn it is first */
    struct gf_node tasks;
    struct gf_scheduler *scheduler;
    struct gf_turn *turn; /* of its user */
};

void gf_scheduler_init(struct gf_scheduler *scheduler);

enum gf_status gf_source_init(struct gf_source *source, struct gf_scheduler *scheduler, uid_t uid,
                              struct gf_error *err);
/* Its queue is empty. Takes a null source. */
void gf_source_deinit(struct gf_source *source);

/* Queues a task of this source; `again`: before all others. */
void gf_scheduler_push(struct gf_source *source, struct gf_task *task, bool again);
/* Takes a task out of the queue. */
void gf_scheduler_remove(struct gf_task *task);
/* The next task that `fits`, taken out of the queue; NULL when none does. */
struct gf_task *gf_scheduler_next(struct gf_scheduler *scheduler, bool (*fits)(void *data, struct gf_task *task),
                                  void *data);
/* Visits all queued tasks; the visited one may be taken out. */
void gf_scheduler_each(struct gf_scheduler *scheduler, void (*visit)(void *data, struct gf_task *task), void *data);

#endif
