/* SPDX-License-Identifier: MIT */
/*
 * Which device a task may run on, which it should, and why: the one where it is expected to be done first, the CPU's
 * time counting twice. Looks at workers and tasks, changes neither's state. Called by dispatcher and session_run.c.
 */
#ifndef GF_FRONT_ROUTING_H
#define GF_FRONT_ROUTING_H

#include "workers.h"

/* NO_DEVICE or UNSUPPORTED where no device could run such work; else the index for task->device. */
enum gf_status gf_routing_find(const struct gf_workers *workers, const char *device, const struct gf_work *work,
                               uint32_t *ret_device, struct gf_error *err);
/* The index of the device for a connection's first resident buffer: one that is ready, a GPU before the CPU, of several
 * the one that is home to the fewest connections (`homes`, by index). NO_DEVICE. */
enum gf_status gf_routing_place(const struct gf_workers *workers, const struct gf_work *work, const uint32_t *homes,
                                uint32_t *ret_device, struct gf_error *err);
/* Whether no device is left that could run the task; why. */
bool gf_routing_is_hopeless(const struct gf_workers *workers, const struct gf_task *task, struct gf_error *err);

/* A walk through queued tasks in search of one for a worker. */
struct gf_search {
    const struct gf_workers *workers;
    const struct gf_worker *worker;
    bool short_only;                   /* set by who walks */
    const struct gf_source *source;    /* of the last task */
    uint64_t ahead_ns[GF_MAX_DEVICES]; /* what this source has waiting for each device before the next task */
    uint32_t n_left;                   /* of its tasks, those that are still looked at */
};

struct gf_search gf_search_begin(const struct gf_workers *workers, const struct gf_worker *worker);
/* Whether the task should run on the search's worker, for gf_scheduler_next; with a device of its own it has no choice.
 * A task that waits for a busy device which will be done earlier does not. */
bool gf_search_fits(void *search, struct gf_task *task);

/* Whether the worker can use more work at all, and whether it can use this. */
bool gf_worker_has_slot(const struct gf_worker *worker);
bool gf_worker_has_room(const struct gf_worker *worker, uint64_t cost_ns);
/* Whether only the end of a long task makes room for this: then short ones delay it by nothing. */
bool gf_worker_waits_for_long(const struct gf_worker *worker, uint64_t cost_ns);
/* Puts a task among those of a worker, and takes it out; its cost_ns is set. */
void gf_worker_load(struct gf_worker *worker, struct gf_task *task);
void gf_worker_unload(struct gf_worker *worker, struct gf_task *task);

/* The task is about to run on this worker: says why in task->why, and lets the others' estimates age. */
void gf_routing_decided(const struct gf_workers *workers, const struct gf_worker *worker, struct gf_task *task);

#endif
