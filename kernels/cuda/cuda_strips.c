/* SPDX-License-Identifier: MIT */
/*
 * Runs a job in as much memory as there is: in one go beside others, else alone, else strip after strip, each half as
 * high as those that did not fit. Called by the worker through gf_backend.run, and by cuda_warm.c.
 */
#include <inttypes.h>
#include <string.h>

#include "cuda_pool.h"

static void add_times(struct gf_times *sum, const struct gf_times *more)
{
    sum->copy_in += more->copy_in;
    sum->kernel += more->kernel;
    sum->copy_out += more->copy_out;
}

/* All strips, one after the other; copies and kernels overlap inside each. */
static enum gf_status run_strips(struct gf_lane *lane, struct gf_job *job, const struct gf_strips *strips, uint64_t n,
                                 struct gf_error *err)
{
    struct gf_strip *strip = &lane->strip;
    enum gf_status status = GF_OK;
    job->times = (struct gf_times){0};
    for (uint64_t i = 0; i < n && status == GF_OK; i++) {
        status = gf_strips_cut(strips, i, n, strip, err);
        if (status == GF_OK)
            status = gf_cuda_run_whole(lane, &strip->job, err);
        add_times(&job->times, &strip->job.times);
    }
    return status;
}

/* A job that does not fit in one go; *err says how much that would need. */
static enum gf_status run_cut(struct gf_lane *lane, struct gf_job *job, struct gf_error *err)
{
    struct gf_error why = {0};
    struct gf_strips strips;
    enum gf_status status = gf_strips_init(job, &strips, &why);
    if (status == GF_E_NO_DEVICE_MEMORY) {
        uint64_t needed = err->needed;
        struct gf_error whole = *err;
        status = gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "%s; %s", whole.text, why.text);
        err->needed = needed;
        return status;
    }
    if (status != GF_OK) {
        *err = why;
        return status;
    }
    status = GF_E_NO_DEVICE_MEMORY;
    for (uint64_t n = 2; n / 2 < strips.most && status == GF_E_NO_DEVICE_MEMORY; n *= 2) {
        gf_cuda_lane_trim(lane);
        status = run_strips(lane, job, &strips, n < strips.most ? n : strips.most, err);
    }
    return status;
}

enum gf_status gf_cuda_run(struct gf_lane *lane, struct gf_job *job, struct gf_error *err)
{
    if (job->n_operands > GF_MAX_OPERANDS || job->n_steps > GF_MAX_STEPS || job->n_sinks > GF_MAX_RESULTS)
        return gf_error_set(err, GF_E_TOO_LARGE, "%u operands, %u steps, %u results; at most %u, %u, %u",
                            job->n_operands, job->n_steps, job->n_sinks, GF_MAX_OPERANDS, GF_MAX_STEPS, GF_MAX_RESULTS);
    struct gf_error own = {0};
    (void)pthread_rwlock_rdlock(&lane->device->jobs);
    enum gf_status status = gf_cuda_run_whole(lane, job, &own);
    (void)pthread_rwlock_unlock(&lane->device->jobs);
    if (status == GF_E_NO_DEVICE_MEMORY) {
        (void)pthread_rwlock_wrlock(&lane->device->jobs);
        gf_cuda_pool_trim(lane->device);
        status = gf_cuda_run_whole(lane, job, &own);
        if (status == GF_E_NO_DEVICE_MEMORY)
            status = run_cut(lane, job, &own);
        (void)pthread_rwlock_unlock(&lane->device->jobs);
    }
    if (status != GF_OK && err)
        *err = own;
    return status;
}
