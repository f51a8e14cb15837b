/* SPDX-License-Identifier: MIT */
/* A device without the daemon, for benchmarks of whole jobs. A failure ends the program with a message. Called by
 * bench_fuse.c and bench_first.c. */
#ifndef GF_BENCH_DEVICE_H
#define GF_BENCH_DEVICE_H

#include "kernels/backend.h"

struct bench_device {
    const struct gf_backend *backend;
    struct gf_device *device;
    struct gf_exec *exec;
};

/* Prints "PROGRAM: why: text" to stderr and ends the program. */
_Noreturn void bench_end(const char *why, const struct gf_error *err);
void bench_device_open(struct bench_device *d, const struct gf_device_options *options);
/* Page-locked memory filled with 0. It is never freed. */
void *bench_memory(const struct bench_device *d, size_t size);

#endif
