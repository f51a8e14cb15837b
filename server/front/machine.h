/* SPDX-License-Identifier: MIT */
/* How much memory this machine has for the daemon. Asked by doctor.c, and by server.c for totals made from it. */
#ifndef GF_FRONT_MACHINE_H
#define GF_FRONT_MACHINE_H

#include "protocol/base.h"

/* The first line of a file of the system below `root` ("" for the system itself); false when there is none. */
bool gf_machine_line(const char *root, const char *path, char *ret, size_t size);

/* The least memory.max of this process's cgroup and those above (version 2); UINT64_MAX without a limit. */
uint64_t gf_machine_cgroup_limit(const char *root);

/* Bytes of memory: the system's, or the cgroup's where that has less. */
uint64_t gf_machine_memory(const char *root);

#endif
