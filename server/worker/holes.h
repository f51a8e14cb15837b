/* SPDX-License-Identifier: MIT */
/*
 * Holes in arenas. An arena is sealed against any change of size, but its owner may punch holes into it at any moment.
 * A worker that touches a hole would allocate new pages, charged to its own control group, where they stay as long as
 * the owner keeps the file. So the kernel sends SIGBUS instead (userfaultfd), and the handler replaces the complete
 * mapping by repetitions of one small piece of memory: the job runs to its end on that, and then fails. Called by
 * mappings.c. Every function may be called from any thread.
 */
#ifndef GF_WORKER_HOLES_H
#define GF_WORKER_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#define GF_NO_WATCH UINT32_MAX
#define GF_HOLE_FILL_BYTES (UINT64_C(2) << 20) /* bytes put in place of an arena; a 256th of a larger one */

/* Makes ready; false where the kernel (before 5.11) or a filter does not allow it, or memory is short: holes are filled
 * then. Once in a process; the handler stays. */
bool gf_holes_init(void);

/* Watches a shared mapping that begins at a page. False without memory, or room in the table of watches. */
bool gf_holes_watch(void *data, uint64_t size, uint32_t *ret_watch);
/* Before it is unmapped, when nobody uses it. Takes GF_NO_WATCH. */
void gf_holes_unwatch(uint32_t watch);
/* Whether a hole was touched, so that what is mapped is not the arena any more; of GF_NO_WATCH never. */
bool gf_holes_found(uint32_t watch);

#endif
