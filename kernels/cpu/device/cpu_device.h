/* SPDX-License-Identifier: MIT */
/* The CPU device and its lanes, shared by cpu_backend.c and cpu_run.c. */
#ifndef GF_KERNELS_CPU_CPU_DEVICE_H
#define GF_KERNELS_CPU_CPU_DEVICE_H

#include "cpu_ops.h"
#include "pages.h"

struct gf_device {
    struct gf_cpu_pool *pool;
    struct gf_cpu_pages pages;
    const struct gf_cpu_rows *rows;
};

struct gf_lane {
    struct gf_device *device;
    struct gf_cpu_scratch scratch;
};

/* The vtable's run(): all steps of the job in order. */
enum gf_status gf_cpu_run(struct gf_lane *lane, struct gf_job *job, struct gf_error *err);

#endif
