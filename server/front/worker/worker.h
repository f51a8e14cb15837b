/* SPDX-License-Identifier: MIT */
/* The life of one device's worker processes, one after the other; called by workers.c and workers_join.c. */
#ifndef GF_FRONT_WORKER_H
#define GF_FRONT_WORKER_H

#include "workers.h"

/* NULL without memory. */
struct gf_worker *gf_worker_new(struct gf_workers *all, uint32_t index, const char *name);
/* Its process and its handles are gone. Takes NULL. */
void gf_worker_free(struct gf_worker *worker);
/* Starts a process. */
void gf_worker_start(struct gf_worker *worker);
/* Takes over a link that said hello and the process behind it. */
void gf_worker_adopt(struct gf_worker *worker, struct gf_worker_link *link, pid_t pid,
                     const struct gf_worker_hello *hello);
/* Closes the link, so that the process ends; no start follows. */
void gf_worker_stop(struct gf_worker *worker);
/* Behaves as if its process had ended. */
void gf_worker_give_up(struct gf_worker *worker);
/* Asks it for a sign of life, or to run a kernel, and kills it when there is none (worker_watch.c). */
void gf_worker_check(struct gf_worker *worker, uint64_t now_ns);
/* Lets the process of a GPU end that has had nothing to do for long (worker_idle.c). */
void gf_worker_rest(struct gf_worker *worker, uint64_t now_ns);
/* Its process has ended as it was told; it starts again where it is wanted. */
void gf_worker_rested(struct gf_worker *worker);
/* It has run a kernel. */
void gf_worker_ran(struct gf_worker *worker);
/* A kernel that it was asked to run did, or failed with an error, or a task goes on; whether an id is that of such a
 * question. */
void gf_worker_probed(struct gf_worker *worker, uint64_t id, const struct gf_error *error);
bool gf_worker_is_probe(uint64_t id);
/* Ready, and a kernel ran there not long ago. */
bool gf_worker_is_well(const struct gf_worker *worker, uint64_t now_ns);
/* Lets go of processes that have not said which device they are (workers_join.c). */
void gf_workers_drop_joiners(struct gf_workers *workers);
/* The memory goes away. */
void gf_worker_unmap(struct gf_worker *worker, const struct gf_memory *memory);

#endif
