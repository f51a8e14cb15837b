/* SPDX-License-Identifier: MIT */
/* The threads of the CPU backend, shared by all exec contexts of a device. */
#ifndef GF_KERNELS_CPU_POOL_H
#define GF_KERNELS_CPU_POOL_H

#include <stdint.h>

#include "protocol/base/error.h"

struct gf_cpu_pool;

/* Runs one task. `slot` is below the pool's thread count and belongs to one thread until the whole work is done. */
typedef void gf_cpu_task_fn(void *context, uint32_t task, uint32_t slot);

/* Starts threads - 1 threads; the caller of gf_cpu_pool_run() is the remaining one. NO_MEMORY also if a thread cannot
 * start. */
enum gf_status gf_cpu_pool_new(uint32_t threads, struct gf_cpu_pool **ret_pool, struct gf_error *err);
/* Ends the threads. No work may be running. NULL is allowed; returns NULL. */
struct gf_cpu_pool *gf_cpu_pool_free(struct gf_cpu_pool *pool);
uint32_t gf_cpu_pool_threads(const struct gf_cpu_pool *pool);

/* Runs tasks 0..n_tasks-1 and returns when all are done. Any thread; concurrent callers share the pool's threads. */
void gf_cpu_pool_run(struct gf_cpu_pool *pool, gf_cpu_task_fn *fn, void *context, uint32_t n_tasks);

#endif
