/* SPDX-License-Identifier: MIT */
/*
 * Shared memory: makes memfds that may become arenas (docs/protocol.md, section 8) and maps them, both with huge pages
 * where the kernel has them. A huge page is cleared, mapped and released at a fraction of the cost of the small pages
 * it replaces. Called by the client library, the command line, the front's staging and workers.
 *
 * Also keeps descriptors from the numbers of the standard streams: a program may run without those, and what it prints
 * would then go to whatever has their numbers.
 */
#ifndef GF_PROTOCOL_SHARED_MEMORY_H
#define GF_PROTOCOL_SHARED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#define GF_HUGE_PAGE (UINT64_C(2) << 20)

/* Moves a new descriptor to a number of at least `least` if it is below. -1 and errno on failure, also for -1. */
int gf_fd_raise(int fd, int least);
#define GF_FIRST_FD 3 /* after the standard streams */

/* An empty memfd that may be sealed and never executed, none of the standard streams; -1 and errno on failure. */
int gf_memfd_open(const char *name);

/* A fully allocated memfd of `size` bytes, sealed against any change of size; -1 and errno on failure, EFBIG beyond
 * RLIMIT_FSIZE (ulimit -f). */
int gf_shared_memory_open(const char *name, uint64_t size);

/* Maps the first `size` bytes for reading and writing; with `all_at_once` there are no page faults later. The caller
 * unmaps with munmap(). NULL and errno on failure. */
void *gf_shared_memory_map(int fd, uint64_t size, bool all_at_once);

/* Whether the kernel can make shared memory of huge pages. */
bool gf_shared_memory_is_huge(void);

#endif
