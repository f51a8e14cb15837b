/* SPDX-License-Identifier: MIT */
/* The CPU device and its exec contexts, shared by cpu_backend.c and cpu_run.c. */
#ifndef GF_KERNELS_CPU_CPU_DEVICE_H
#define GF_KERNELS_CPU_CPU_DEVICE_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/device/pages.h"

struct gf_device {
    struct gf_cpu_pool *pool;
    struct gf_cpu_pages pages;
    const struct gf_simd *simd;
};

struct gf_exec {
    struct gf_device *device;
    struct gf_cpu_scratch scratch;
};

/* The vtable's run(): runs all steps of the job in order, then frees scratch that is too large to keep. */
enum gf_status gf_cpu_run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

#endif
