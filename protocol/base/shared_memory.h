/* SPDX-License-Identifier: MIT */
/*
 * Shared memory: makes memfds that may become arenas (docs/protocol.md, section 8), and maps them, both in huge pages
 * where the kernel has them. Those cost a fraction of small pages, each of which every process clears, maps and
 * releases separately. Called by the client library, the command line, the front's staging and workers.
 */
#ifndef GF_PROTOCOL_SHARED_MEMORY_H
#define GF_PROTOCOL_SHARED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define GF_HUGE_PAGE (UINT64_C(2) << 20)

/* An empty memfd, which may be sealed and is never executed; -1 and errno. */
int gf_memfd_open(const char *name);

/* A memfd of `size` bytes, all of them allocated, sealed against any change of size; -1 and errno. */
int gf_shared_memory_open(const char *name, uint64_t size);

/* Maps the first `size` bytes for reading and writing; with `all_at_once` there are no page faults later. munmap()
 * undoes it. NULL and errno. */
void *gf_shared_memory_map(int fd, uint64_t size, bool all_at_once);

/* Whether the kernel makes shared memory of huge pages at the moment. Tries it. */
bool gf_shared_memory_is_huge(void);

#endif
