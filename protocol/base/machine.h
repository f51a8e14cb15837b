/* SPDX-License-Identifier: MIT */
/*
 * The memory and devices that the machine grants this process. Used by front and worker for their defaults, by the
 * backends, identity.c and --doctor.
 */
#ifndef GF_PROTOCOL_MACHINE_H
#define GF_PROTOCOL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the first line of a file below `root` ("" for the system itself) that begins with `begin`; false if there is
 * none. */
bool gf_machine_line(const char *root, const char *path, const char *begin, char *line, size_t size);
/* The lowest memory.max (version 2) or memory.limit_in_bytes (version 1) of a process's control group and its
 * ancestors, in bytes; UINT64_MAX without a limit. `process`: its number, or "self". Stores the path of the file that
 * has the limit, below `root`, unless `where` is NULL; "" without a limit. */
uint64_t gf_machine_group_memory(const char *root, const char *process, char *where, size_t size);
/* Opens the file that counts the processes of this process's control group that the kernel killed for lack of memory:
 * memory.events (version 2) or memory.oom_control (version 1). -1: there is none. */
int gf_machine_oom_open(const char *root);
/* The number in that file; 0 without one. */
uint64_t gf_machine_oom_kills(int fd);
/* The machine's memory in bytes, or the control group's limit if that is lower. */
uint64_t gf_machine_memory(const char *root);
/* The number of /dev/nvidiaN. */
uint32_t gf_machine_gpus(const char *root);
/* The share of one of `n` GPU workers in the memory of gf_machine_memory that all of them may take for images in host
 * memory. `n` = 0 counts as 1. */
uint64_t gf_machine_host_mapped(const char *root, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
