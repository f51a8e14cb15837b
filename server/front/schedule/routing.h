/* SPDX-License-Identifier: MIT */
/*
 * Which devices a task may use, which one it should, and why: the one where it is expected to finish first, the CPU's
 * time counting twice. Reads the state of workers and tasks, changes neither. Called by dispatcher and session_run.c.
 */
#ifndef GF_FRONT_ROUTING_H
#define GF_FRONT_ROUTING_H

#include "server/front/worker/workers.h"

/* NO_DEVICE or UNSUPPORTED where no device could run such work; else the index for task->device. */
enum gf_status gf_routing_find(const struct gf_workers *workers, const char *device, const struct gf_work *work,
                               uint32_t *ret_device, struct gf_error *err);
/* The index of the device for a connection's first resident buffer: one that is ready, a GPU before the CPU, of several
 * the one that is home to the fewest connections (`homes`, by index). NO_DEVICE. */
enum gf_status gf_routing_place(const struct gf_workers *workers, const struct gf_work *work, const uint32_t *homes,
                                uint32_t *ret_device, struct gf_error *err);
/* Whether no device is left that could run the task; why. */
bool gf_routing_is_impossible(const struct gf_workers *workers, const struct gf_task *task, struct gf_error *err);

#define GF_ONLY_SHORT 1u /* tasks that take little time */
#define GF_ONLY_LIGHT 2u /* that take little memory */
#define GF_ONLY_TRIED 4u /* that had a worker which died */

/* A walk through queued tasks in search of one for a worker. */
struct gf_search {
    const struct gf_workers *workers;
    const struct gf_worker *worker;
    uint32_t only;                     /* GF_ONLY_*, set by who walks */
    const struct gf_source *source;    /* of the last task */
    uint64_t ahead_ns[GF_MAX_DEVICES]; /* what this source has waiting for each device before the next task */
    uint32_t n_left;                   /* of its tasks, those that are still looked at */
};

struct gf_search gf_search_begin(const struct gf_workers *workers, const struct gf_worker *worker);
/* Whether the task should run on the search's worker, for gf_scheduler_next; with a device of its own it has no choice.
 * A task that waits for a busy device which will be done earlier does not. */
bool gf_search_fits(void *search, struct gf_task *task);

/* Whether the worker can use more work at all, and whether it can use this task: two long ones, one more of each user
 * who has none of these, and short ones up to a sum. */
bool gf_worker_has_slot(const struct gf_worker *worker);
bool gf_worker_has_capacity(const struct gf_worker *worker, const struct gf_task *task, uint64_t cost_ns);
/* Bytes that tasks may take in a worker beside operands and results: those that take more than a little leave some for
 * those that take little, so that these never wait for memory. */
uint64_t gf_worker_scratch_limit(const struct gf_workers *workers);
/* Whether the worker has memory for what the task takes there. */
bool gf_worker_has_memory(const struct gf_worker *worker, const struct gf_task *task);
/* Whether only the end of a long task makes room for this: then short ones delay it by nothing. */
bool gf_worker_waits_for_long(const struct gf_worker *worker, const struct gf_task *task, uint64_t cost_ns);
/* Counts as long from now on what has run so long already, whatever was expected of it: not among the two, but with its
 * user, and no longer in the sum of short ones. */
void gf_worker_age(struct gf_worker *worker, uint64_t now_ns);
/* A task that had a worker which died is tried alone for a while. When this one may join those in the worker: one such
 * when each of these has run for that long, others when each such has; 0: now. */
uint64_t gf_worker_tries_until(const struct gf_worker *worker, const struct gf_task *task, uint64_t now_ns);
/* Puts a task among those of a worker, and takes it out; its cost_ns is set. */
void gf_worker_load(struct gf_worker *worker, struct gf_task *task);
void gf_worker_unload(struct gf_worker *worker, struct gf_task *task);

/* The task is about to run on this worker: says why in task->why, and lets the others' estimates age. */
void gf_routing_decided(const struct gf_workers *workers, const struct gf_worker *worker, struct gf_task *task);

#endif
