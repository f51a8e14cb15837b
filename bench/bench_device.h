/* SPDX-License-Identifier: MIT */
/* A device without the daemon, for benchmarks of whole jobs: what fails ends the program with a sentence. Called by
 * bench_fuse.c and bench_first.c. */
#ifndef GF_BENCH_DEVICE_H
#define GF_BENCH_DEVICE_H

#include "kernels/backend.h"

struct bench_device {
    const struct gf_backend *backend;
    struct gf_device *device;
    struct gf_exec *exec;
};

/* "PROGRAM: why: text" to stderr, and the end. */
_Noreturn void bench_end(const char *why, const struct gf_error *err);
void bench_device_open(struct bench_device *d, const struct gf_device_options *options);
/* Page-locked, all 0, and never freed. */
void *bench_memory(const struct bench_device *d, size_t size);

#endif
