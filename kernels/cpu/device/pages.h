/* SPDX-License-Identifier: MIT */
/*
 * Memory for whole pictures: resident buffers, and results of one step for the next. Large blocks come from the system
 * in huge pages, whose first use costs a fraction of the first use of small pages. Some freed blocks are kept for the
 * next request of the same size; the system may reclaim their pages when memory is short.
 */
#ifndef GF_KERNELS_CPU_PAGES_H
#define GF_KERNELS_CPU_PAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define GF_CPU_PAGES_KEPT 16u
#define GF_CPU_PAGES_MAX_BYTES ((uint64_t)64 << 20) /* total bytes of the kept blocks, at most */

struct gf_cpu_pages {
    pthread_mutex_t lock;
    uint64_t bytes; /* total bytes of the kept blocks */
    uint32_t n;
    struct gf_cpu_block {
        void *data;
        uint64_t size;
    } kept[GF_CPU_PAGES_KEPT]; /* oldest first */
};

void gf_cpu_pages_init(struct gf_cpu_pages *pages);
void gf_cpu_pages_deinit(struct gf_cpu_pages *pages);

/* Returns a block aligned for any kernel: all zero with `clear`, otherwise with whatever its last user left. NULL if
 * there is no memory, or for 0 bytes. Any thread. */
void *gf_cpu_pages_alloc(struct gf_cpu_pages *pages, uint64_t size, bool clear);
/* Frees a block; `size` must be the size it was taken with. NULL is allowed. Any thread. */
void gf_cpu_pages_free(struct gf_cpu_pages *pages, void *data, uint64_t size);

#endif
