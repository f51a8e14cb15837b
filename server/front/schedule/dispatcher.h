/* SPDX-License-Identifier: MIT */
/*
 * Passes tasks to workers and answers back. It keeps no more work in a worker than the worker can use, corrects
 * estimates by the measured times in answers, and has the only retry rule: a task whose worker died runs once more, on
 * the CPU and at first alone in its worker, so that a second death blames the right task. Queued tasks of a user whose
 * tasks ended too many workers are refused. Called by sessions; an answer goes to the session that submitted the task.
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
    /* The only and final answer of a task: either reply or error. The receiver frees the task. Offsets in the reply are
     * the worker's. An abandoned task is answered too; its session is NULL. */
    void (*done)(void *data, struct gf_task *task, const struct gf_run_reply *reply, const struct gf_error *error);
    /* A worker died, and its resident buffers are lost; called before its tasks are answered. */
    void (*died)(void *data, const struct gf_worker *worker);
    /* A worker stalls: it makes no progress with its tasks, and gets no others. */
    void (*stalled)(void *data, const struct gf_worker *worker);
    /* A device became ready or absent, stalls or goes on. */
    void (*changed)(void *data);
};

struct gf_dispatcher {
    struct gf_workers *workers;
    struct gf_metrics *metrics;   /* set by the owner after gf_dispatcher_init */
    const struct gf_users *names; /* for the log; set by the owner too, or NULL */
    struct gf_scheduler scheduler;
    const struct gf_dispatcher_ops *ops;
    void *data;
    uv_timer_t timer; /* for the next deadline of a queued task, or for a sweep that is due soon */
    uint64_t timer_ns, last_number;
    struct gf_penalties penalties;
    struct gf_awake_timer awake_timer; /* used while short tasks run */
};

/* For gf_workers_init, with the dispatcher as data. */
extern const struct gf_workers_ops gf_dispatcher_workers_ops;

void gf_dispatcher_init(struct gf_dispatcher *dispatcher, uv_loop_t *loop, struct gf_workers *workers,
                        const struct gf_dispatcher_ops *ops, void *data);
/* Closes its handle. The queue must be empty. */
void gf_dispatcher_close(struct gf_dispatcher *dispatcher);

/* The next task number, which goes into the task's frame. */
uint64_t gf_dispatcher_number(struct gf_dispatcher *dispatcher);
/* Queues a task, then starts every task that can start. */
void gf_dispatcher_submit(struct gf_dispatcher *dispatcher, struct gf_source *source, struct gf_task *task);
/* Answers CANCELLED at once if the task is queued; otherwise asks the worker to stop. */
void gf_dispatcher_cancel(struct gf_dispatcher *dispatcher, struct gf_task *task);

#endif
