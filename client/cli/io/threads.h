/* SPDX-License-Identifier: MIT */
/* Threads that process parts of a picture, or files of a batch. Used by image readers and writers and by batch.c. */
#ifndef GF_CLI_THREADS_H
#define GF_CLI_THREADS_H

#include <stddef.h>
#include <stdint.h>

/* Cores that this process may use. */
uint32_t gf_count_cores(void);

/* Has `work` done by this thread and as many others as are wanted in all, 0 for one on each core, but `max` at most;
 * fewer where the system gives no more. Returns when all have. */
void gf_on_threads(uint32_t wanted, size_t max, void *(*work)(void *data), void *data);

#endif
