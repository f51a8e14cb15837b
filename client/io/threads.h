/* SPDX-License-Identifier: MIT */
/* Threads for the parts of a picture or the files of a batch. Used by image readers and writers and by batch.c. */
#ifndef GF_THREADS_H
#define GF_THREADS_H

#include <stddef.h>
#include <stdint.h>

/* The number of cores that this process may use. */
uint32_t gf_count_cores(void);

/* Runs `work` on `wanted` threads, this one included: 0 means one per core, `max` is the upper limit, and the system
 * may grant fewer. Returns when all have finished. */
void gf_on_threads(uint32_t wanted, size_t max, void *(*work)(void *data), void *data);

#endif
