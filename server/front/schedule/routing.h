/* SPDX-License-Identifier: MIT */
/*
 * Which devices a task may use, which one it should use, and why: the device where the task is expected to finish
 * first, with the CPU's time counted twice. Reads the state of workers and tasks. Called by the dispatcher and
 * session_run.c.
 */
#ifndef GF_FRONT_ROUTING_H
#define GF_FRONT_ROUTING_H

#include "server/front/worker/workers.h"

/* The status for work whose device is known here, but takes no requests: NO_DEVICE, or SHUTDOWN for a client of a
 * proxy. Such a client connects again, and the proxy may lead it to a server that has the device. */
enum gf_status gf_routing_absence(const struct gf_work *work);
/* NO_DEVICE if the device is not known here, gf_routing_absence() or UNSUPPORTED if no device could run such work;
 * otherwise sets the index for task->device. */
enum gf_status gf_routing_find(const struct gf_workers *workers, const char *device, const struct gf_work *work,
                               uint32_t *ret_device, struct gf_error *err);
/* The index of the device for a connection's first resident buffer: a ready device before others, a GPU before the CPU,
 * then the device that is home to the fewest connections (`homes`, by index). gf_routing_absence(). */
enum gf_status gf_routing_place(const struct gf_workers *workers, const struct gf_work *work, const uint32_t *homes,
                                uint32_t *ret_device, struct gf_error *err);
/* Whether no device is left that could run the task; err says why: gf_routing_absence(), or DEVICE_LOST if its worker
 * died. */
bool gf_routing_is_impossible(const struct gf_workers *workers, const struct gf_task *task, struct gf_error *err);

/* SHUTDOWN if a client of a proxy would wait for a device that makes no progress: another server may have it, too. */
enum gf_status gf_routing_check_progress(const struct gf_workers *workers, const struct gf_task *task,
                                         struct gf_error *err);

#define GF_ONLY_SHORT 1u /* only tasks that take little time */
#define GF_ONLY_LIGHT 2u /* only tasks that need little memory */
#define GF_ONLY_TRIED 4u /* only tasks whose worker died */

/* The state of a walk through the queued tasks that looks for one for a worker. */
struct gf_search {
    const struct gf_workers *workers;
    const struct gf_worker *worker;
    uint32_t only;                     /* GF_ONLY_*, set by the caller of the walk */
    const struct gf_source *source;    /* of the last task */
    uint64_t ahead_ns[GF_MAX_DEVICES]; /* work of this source that waits for each device ahead of the next task */
    uint32_t n_left;                   /* tasks of the source that may still be compared */
};

struct gf_search gf_search_begin(const struct gf_workers *workers, const struct gf_worker *worker);
/* Whether the task should run on the search's worker; the filter for gf_scheduler_next. A task that names its device
 * has no choice. A task that would finish earlier on a busy device waits for that device. */
bool gf_search_fits(void *search, struct gf_task *task);

/* Whether the worker can use more work at all, and whether it can use this task. A worker takes two long tasks, one
 * more for each user without a long task there, and short tasks up to a total. */
bool gf_worker_has_slot(const struct gf_worker *worker);
bool gf_worker_has_capacity(const struct gf_worker *worker, const struct gf_task *task, uint64_t cost_ns);
/* Bytes that tasks may need in a worker besides operands and results. Some memory is reserved for light tasks, so that
 * they never wait for memory. */
uint64_t gf_worker_scratch_limit(const struct gf_workers *workers);
/* Whether the worker has the memory that the task needs there. */
bool gf_worker_has_memory(const struct gf_worker *worker, const struct gf_task *task);
/* Whether only the end of a long task makes room for this one; then short tasks do not delay it. */
bool gf_worker_waits_for_long(const struct gf_worker *worker, const struct gf_task *task, uint64_t cost_ns);
/* Reclassifies tasks that have run for long as long, whatever was estimated. Such a task counts as a long task of its
 * user and no longer in the total of short ones, but not among the worker's two long tasks. */
void gf_worker_age(struct gf_worker *worker, uint64_t now_ns);
/* When this task may join the tasks of the worker; 0: now. A task whose worker died is tried alone for a while: it
 * joins when every running task has run for that long, and other tasks join when every such task has
 * run for that long. */
uint64_t gf_worker_tries_until(const struct gf_worker *worker, const struct gf_task *task, uint64_t now_ns);
/* Add a task to a worker and remove it. The task's cost_ns must be set. */
void gf_worker_load(struct gf_worker *worker, struct gf_task *task);
void gf_worker_unload(struct gf_worker *worker, struct gf_task *task);

/* The task is about to run on this worker: writes the reason into task->why and lets the estimates of the other devices
 * age. */
void gf_routing_decided(const struct gf_workers *workers, const struct gf_worker *worker, struct gf_task *task);

#endif
