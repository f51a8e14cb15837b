/* SPDX-License-Identifier: MIT */
/*
 * Gives up rights before a process touches bytes of others: gaining privileges, core dumps, system calls (seccomp),
 * files, TCP and signals (Landlock). Features that the kernel lacks are skipped; the command, which needs them, asks
 * gf_sandbox_check before. Called by main() of workers and metrics listener, by server_start.c, and by the
 * command's untrusted/decoder.c. docs/sandbox.md has the lists.
 */
#ifndef GF_SANDBOX_H
#define GF_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "protocol/base/error.h"

/* The kind of process. START: the front until it has started everything, and the programs that it starts. DECODER: what
 * decodes a file for the command. COMPILER: what compiles a kernel for a worker. METRICS: what serves metrics over
 * HTTP. */
enum gf_sandbox_kind {
    GF_SANDBOX_START,
    GF_SANDBOX_FRONT,
    GF_SANDBOX_CPU_WORKER,
    GF_SANDBOX_CUDA_WORKER,
    GF_SANDBOX_DECODER,
    GF_SANDBOX_COMPILER,
    GF_SANDBOX_METRICS
};

/* What may be done with files below a path. A missing path is skipped. */
enum gf_sandbox_access { GF_SANDBOX_READ = 1, GF_SANDBOX_REMOVE = 2, GF_SANDBOX_WRITE = 4 };

struct gf_sandbox_path {
    const char *path;
    unsigned access; /* bits of enum gf_sandbox_access */
};

/* Forbids new privileges, core files, and ptrace by other processes of the same user. Children inherit all but the
 * last, for which each program must call this. */
void gf_sandbox_harden(void);

/* Forbids the system calls that this kind of process does not need, in all threads. START_FAILED with the reason; the
 * process may continue unfiltered. */
enum gf_status gf_sandbox_filter(enum gf_sandbox_kind kind, struct gf_error *err);

/* Restricts this thread and its descendants to the given files, and forbids TCP and, for kinds that do not need them,
 * signals to other processes and abstract sockets. START: restricts no files, and forbids signals to processes that are
 * not descendants. *ret_abi is the kernel's Landlock version, 0 if it has none. START_FAILED. */
enum gf_status gf_sandbox_confine(enum gf_sandbox_kind kind, const struct gf_sandbox_path *paths, size_t n_paths,
                                  int *ret_abi, struct gf_error *err);

/* START_FAILED if this build or this kernel lacks the filter or Landlock. */
enum gf_status gf_sandbox_check(struct gf_error *err);

/* False in sanitizer builds, whose runtime needs what the filters forbid; the two functions above then do nothing. */
bool gf_sandbox_built(void);

#endif
