/* SPDX-License-Identifier: MIT */
/* Descriptors the client makes to hand to the daemon. Used by memory.c and connect.c. */
#ifndef GF_CLIENT_ARENA_FD_H
#define GF_CLIENT_ARENA_FD_H

#include <stdint.h>

/* A memfd of that size, a multiple of the page, all of it in memory, with exactly the seals of an arena (SHRINK, GROW,
 * SEAL). -1 with errno. The caller closes it. */
int gf_arena_fd_open(uint64_t size);
/* An empty memfd, by which the greeting finds out whether descriptors arrive. -1 with errno. */
int gf_probe_fd_open(void);

#endif
