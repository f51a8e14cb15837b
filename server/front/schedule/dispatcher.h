/* SPDX-License-Identifier: MIT */
/*
 * Tasks to workers and answers back: keeps no more work in a worker than it can use, corrects estimates by the times in
 * answers, and has the only rule of retry: a task whose worker died runs once more, on the CPU, at first with nothing
 * else in its worker, so that a second death convicts the right one. Called by sessions; its answers go to the session
 * that submitted the task.
 */
#ifndef GF_FRONT_DISPATCHER_H
#define GF_FRONT_DISPATCHER_H

#include "penalties.h"
#include "protocol/wire/response.h"
#include "scheduler.h"
#include "server/front/base/awake_timer.h"
#include "server/front/metrics/metrics.h"
#include "server/front/worker/workers.h"

struct gf_dispatcher_ops {
    /* The one final answer of a task, exactly one of reply and error; the receiver frees the task. Offsets in the reply
     * are the worker's. Tasks that were abandoned are answered too: their session is NULL. */
    void (*done)(void *data, struct gf_task *task, const struct gf_run_reply *reply, const struct gf_error *error);
    /* A worker is gone, and its resident buffers with it; comes before the answers of its tasks. */
    void (*died)(void *data, const struct gf_worker *worker);
    /* A device became ready, or went. */
    void (*changed)(void *data);
};

struct gf_dispatcher {
    struct gf_workers *workers;
    struct gf_metrics *metrics;   /* set by the owner after gf_dispatcher_init */
    const struct gf_users *names; /* likewise, for the log; or NULL */
    struct gf_scheduler scheduler;
    const struct gf_dispatcher_ops *ops;
    void *data;
    uv_timer_t timer; /* to the next deadline of a queued task, or to what has to be looked at soon */
    uint64_t timer_ns, last_number;
    struct gf_penalties penalties;
    struct gf_awake_timer awake_timer; /* while tasks run that are soon done */
};

/* For gf_workers_init, with the dispatcher as data. */
extern const struct gf_workers_ops gf_dispatcher_workers_ops;

void gf_dispatcher_init(struct gf_dispatcher *dispatcher, uv_loop_t *loop, struct gf_workers *workers,
                        const struct gf_dispatcher_ops *ops, void *data);
/* Closes its handle; the queue is empty. */
void gf_dispatcher_close(struct gf_dispatcher *dispatcher);

/* Gives the task a number, to be written into its frame. */
uint64_t gf_dispatcher_number(struct gf_dispatcher *dispatcher);
/* Queues a task and starts what can be started. */
void gf_dispatcher_submit(struct gf_dispatcher *dispatcher, struct gf_source *source, struct gf_task *task);
/* Answers CANCELLED at once when it is queued; else asks the worker. */
void gf_dispatcher_cancel(struct gf_dispatcher *dispatcher, struct gf_task *task);

#endif
