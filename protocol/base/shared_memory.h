/* SPDX-License-Identifier: MIT */
/*
 * Shared memory: makes memfds that may become arenas (docs/protocol.md, section 8) and maps them, both with huge pages
 * where the kernel has them. A huge page is cleared, mapped and released at a fraction of the cost of the small pages
 * it replaces. Called by the client library, the command line, the front's staging and workers.
 */
#ifndef GF_PROTOCOL_SHARED_MEMORY_H
#define GF_PROTOCOL_SHARED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define GF_HUGE_PAGE (UINT64_C(2) << 20)

/* An empty memfd that may be sealed and never executed; -1 and errno on failure. */
int gf_memfd_open(const char *name);

/* A fully allocated memfd of `size` bytes, sealed against any change of size; -1 and errno on failure. */
int gf_shared_memory_open(const char *name, uint64_t size);

/* Maps the first `size` bytes for reading and writing; with `all_at_once` there are no page faults later. The caller
 * unmaps with munmap(). NULL and errno on failure. */
void *gf_shared_memory_map(int fd, uint64_t size, bool all_at_once);

/* Whether the kernel can make shared memory of huge pages. */
bool gf_shared_memory_is_huge(void);

#endif
