/* SPDX-License-Identifier: MIT */
/*
 * The rights that front and workers give up before they touch a client's bytes: gaining rights, dumps, system calls
 * (seccomp), files, TCP and signals (Landlock). Features that the kernel lacks are left out. Called by both programs'
 * main() and by server_start.c. docs/sandbox.md has the lists.
 */
#ifndef GF_SANDBOX_H
#define GF_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "protocol/base/error.h"

/* Whose rights are meant. START: the front until it has started all, and what it starts. */
enum gf_sandbox_kind { GF_SANDBOX_START, GF_SANDBOX_FRONT, GF_SANDBOX_CPU_WORKER, GF_SANDBOX_CUDA_WORKER };

/* What may be done with files below a path. A path that is not there is left out. */
enum gf_sandbox_access { GF_SANDBOX_READ = 1, GF_SANDBOX_REMOVE = 2, GF_SANDBOX_WRITE = 4 };

struct gf_sandbox_path {
    const char *path;
    unsigned access; /* of enum gf_sandbox_access */
};

/* No new privileges, no core file, no look into this process by others of the same user. Inherited but for the last,
 * which each program has to ask for. */
void gf_sandbox_harden(void);

/* Takes the system calls that the kind has no need of, in all threads. START_FAILED with the reason; the process goes
 * on without. */
enum gf_status gf_sandbox_filter(enum gf_sandbox_kind kind, struct gf_error *err);

/* Leaves files but the given ones, TCP and, where the kind has no need of them, signals to others and abstract sockets;
 * in this thread and those it starts. *ret_abi: the kernel's version of Landlock, 0 without. START_FAILED. */
enum gf_status gf_sandbox_confine(enum gf_sandbox_kind kind, const struct gf_sandbox_path *paths, size_t n_paths,
                                  int *ret_abi, struct gf_error *err);

/* False in a build for a sanitizer, whose runtime needs what the filters take; the two above then do nothing. */
bool gf_sandbox_built(void);

#endif
