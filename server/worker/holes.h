/* SPDX-License-Identifier: MIT */
/*
 * Holes in arenas. An arena is sealed against any change of size, but its owner may punch holes into it at any moment.
 * A worker that touched a hole would allocate new pages, charged to its own control group for as long as the owner
 * keeps the file. The kernel therefore sends SIGBUS instead (userfaultfd), and the handler replaces the whole mapping
 * by repetitions of one small piece of memory. The job runs to its end on that memory and then fails. Called by
 * mappings.c. Every function may be called from any thread.
 */
#ifndef GF_WORKER_HOLES_H
#define GF_WORKER_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#define GF_NO_WATCH UINT32_MAX
/* Size of the piece that replaces an arena; a 256th of a larger arena. */
#define GF_HOLE_FILL_BYTES (UINT64_C(2) << 20)

/* Installs the handler, which stays; called once per process. False if the kernel (before 5.11) or a filter does not
 * allow it, or memory is short; the kernel then fills holes with new pages. */
bool gf_holes_init(void);

/* Watches a page-aligned shared mapping. False without memory or a free entry in the table of watches. */
bool gf_holes_watch(void *data, uint64_t size, uint32_t *ret_watch);
/* Called before the mapping is unmapped, when no job uses it. Accepts GF_NO_WATCH. */
void gf_holes_unwatch(uint32_t watch);
/* Whether a hole was touched, so that the mapping is no longer the arena; always false for GF_NO_WATCH. */
bool gf_holes_found(uint32_t watch);

#endif
