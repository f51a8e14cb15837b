/* SPDX-License-Identifier: MIT */
/*
 * A small job with a known result that shows whether the device still computes. Called by job_loop.c.
 */
#ifndef GF_WORKER_PROBE_H
#define GF_WORKER_PROBE_H

#include "kernels/backend.h"

struct gf_probe {
    struct gf_program program; /* never changes after gf_probe_init, so several exec contexts may run it at once */
};

/* Makes the program. */
enum gf_status gf_probe_init(struct gf_probe *probe, struct gf_error *err);
/* Runs the program. DEVICE_LOST if it runs but the result is wrong; otherwise the backend's status. */
enum gf_status gf_probe_run(const struct gf_probe *probe, const struct gf_backend *backend, struct gf_exec *exec,
                            struct gf_error *err);

#endif
