/* SPDX-License-Identifier: MIT */
/*
 * Memory of whole pictures: resident buffers, and what one step leaves for the next. Large blocks come from the system
 * in huge pages, which cost a fraction of what small ones do at their first use. Some that were given back are kept for
 * the next taker of as many bytes; the system may take their pages when it is short of memory.
 */
#ifndef GF_KERNELS_CPU_PAGES_H
#define GF_KERNELS_CPU_PAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define GF_CPU_PAGES_KEPT 16u
#define GF_CPU_PAGES_MOST ((uint64_t)64 << 20) /* bytes of all kept blocks */

struct gf_cpu_pages {
    pthread_mutex_t lock;
    uint64_t bytes; /* of all kept blocks */
    uint32_t n;
    struct gf_cpu_block {
        void *data;
        uint64_t size;
    } kept[GF_CPU_PAGES_KEPT]; /* the oldest first */
};

void gf_cpu_pages_init(struct gf_cpu_pages *pages);
void gf_cpu_pages_deinit(struct gf_cpu_pages *pages);

/* A block, aligned for any kernel; all zero with `clear`, else with what the last user left. NULL: no memory, or 0
 * bytes. Any thread. */
void *gf_cpu_pages_take(struct gf_cpu_pages *pages, uint64_t size, bool clear);
/* Gives back a block of so many bytes; NULL is allowed. Any thread. */
void gf_cpu_pages_give(struct gf_cpu_pages *pages, void *data, uint64_t size);

#endif
