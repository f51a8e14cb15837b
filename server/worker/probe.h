/* SPDX-License-Identifier: MIT */
/*
 * A small job of the worker's own with a known result: it shows whether the device still computes. Called by
 * job_loop.c.
 */
#ifndef GF_WORKER_PROBE_H
#define GF_WORKER_PROBE_H

#include "kernels/backend.h"

struct gf_probe {
    struct gf_program program; /* never changed once it is made, so that several exec contexts may run it at once */
};

/* Makes the program. */
enum gf_status gf_probe_init(struct gf_probe *probe, struct gf_error *err);
/* Runs it. DEVICE_LOST when it is done and the result is wrong; else what the backend says. */
enum gf_status gf_probe_run(const struct gf_probe *probe, const struct gf_backend *backend, struct gf_exec *exec,
                            struct gf_error *err);

#endif
