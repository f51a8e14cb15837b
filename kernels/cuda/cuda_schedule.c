/* SPDX-License-Identifier: MIT */
/*
 * Chooses how a job runs. Normally in one go. In slabs that alternate between two execution contexts where several
 * steps stand between large copies, so that both directions of the link and the kernels work at once. Where memory is
 * short: beside other jobs, otherwise alone, otherwise slab after slab, halving the height of the slabs until they fit,
 * with other jobs in between. Where steps need all rows at once: on images in host memory. Called by the worker through
 * gf_backend.run, and by cuda_warm.c.
 */
#include "cuda_run.h"
#include "kernels/cuda/device/cuda_policy.h"
#include "kernels/cuda/memory/cuda_host_mapped.h"
#include "kernels/cuda/memory/cuda_pool.h"

/* Most slabs of a program. */
#define MAX_SLABS 16u

static void add_times(struct gf_times *sum, const struct gf_times *more)
{
    sum->copy_in += more->copy_in;
    sum->kernel += more->kernel;
    sum->copy_out += more->copy_out;
}

/* A slab of an execution context, from its start to its end. */
struct slab_run {
    struct gf_exec *exec;
    struct gf_cuda_run run;
    enum gf_status status; /* of its start */
    bool open;
};

static enum gf_status end_slab(struct slab_run *slab_run, struct gf_times *times, struct gf_error *err)
{
    if (!slab_run->open)
        return GF_OK;
    slab_run->open = false;
    enum gf_status status = gf_cuda_run_end(&slab_run->run, slab_run->status, err);
    add_times(times, &slab_run->exec->slab.job.times);
    return status;
}

/* Waits for all slabs in flight. Returns the given status unless it is GF_OK, otherwise the status of the first slab
 * that failed. */
static enum gf_status end_slabs(struct slab_run *slab_runs, uint32_t n, struct gf_times *times, enum gf_status status,
                                struct gf_error *err)
{
    for (uint32_t k = 0; k < n; k++) {
        struct gf_error own = {0};
        enum gf_status ended = end_slab(&slab_runs[k], times, &own);
        if (status == GF_OK && ended != GF_OK)
            *err = own;
        status = status == GF_OK ? ended : status;
    }
    return status;
}

/* Yields the device to waiting jobs, then enters again. On failure the job no longer has the device: *alone is
 * false. */
static enum gf_status yield_device(struct gf_exec *exec, const struct gf_job *job, bool *alone, struct gf_error *err)
{
    gf_admission_leave(&exec->device->jobs);
    enum gf_status status = gf_admission_enter(&exec->device->jobs, true, job, err);
    *alone = status == GF_OK;
    if (*alone)
        gf_cuda_pool_trim(exec->device);
    return status;
}

/* Runs all slabs. Slabs of several steps alternate between both execution contexts; slabs of a single step overlap
 * their own copies and kernels. `alone` is NULL where the job shares the device. */
static enum gf_status run_slabs(struct gf_exec *exec, struct gf_job *job, const struct gf_slabs *slabs, uint64_t n,
                                bool *alone, struct gf_error *err)
{
    struct slab_run slab_runs[2] = {{.exec = exec}, {.exec = &((struct gf_cuda_exec_pair *)exec)->other}};
    uint32_t n_at_once = job->n_steps > 1 ? 2 : 1;
    enum gf_status status = GF_OK;
    job->times = (struct gf_times){0};
    for (uint64_t i = 0; i < n && status == GF_OK; i++) {
        struct slab_run *slab_run = &slab_runs[i % n_at_once];
        struct gf_slab *slab = &slab_run->exec->slab;
        status = end_slab(slab_run, &job->times, err);
        if (status == GF_OK && alone && gf_admission_waiting(&exec->device->jobs) > 0) {
            status = end_slabs(slab_runs, n_at_once, &job->times, GF_OK, err);
            if (status == GF_OK)
                status = yield_device(exec, job, alone, err);
        }
        if (status == GF_OK)
            status = gf_slabs_cut(slabs, i, n, slab, err);
        if (status != GF_OK)
            break;
        slab_run->status = status =
            gf_cuda_run_begin(slab_run->exec, &slab->job, GF_CUDA_ALL_ON_DEVICE, &slab_run->run, err);
        slab_run->open = true;
    }
    return end_slabs(slab_runs, n_at_once, &job->times, status, err);
}

/* Runs a job that does not fit in one go, in slabs, alone on the device. *err holds the memory that one go would
 * need. */
static enum gf_status run_cut(struct gf_exec *exec, struct gf_job *job, bool *alone, struct gf_error *err)
{
    struct gf_error why = {0};
    struct gf_slabs slabs;
    enum gf_status status = gf_slabs_init(job, &slabs, &why);
    if (status == GF_E_NO_DEVICE_MEMORY) {
        struct gf_error whole = *err;
        status = gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "%s; %s", whole.text, why.text);
        err->needed = whole.needed;
        return status;
    }
    if (status != GF_OK) {
        *err = why;
        return status;
    }
    status = GF_E_NO_DEVICE_MEMORY;
    for (uint64_t n = 2; n / 2 < slabs.max && status == GF_E_NO_DEVICE_MEMORY; n *= 2) {
        gf_cuda_exec_trim(exec);
        gf_cuda_exec_trim(&((struct gf_cuda_exec_pair *)exec)->other);
        status = run_slabs(exec, job, &slabs, n < slabs.max ? n : slabs.max, alone, err);
    }
    return status;
}

/* Runs a job alone after it found no memory beside other jobs: whole or in slabs, or on images in host memory. */
static enum gf_status run_alone(struct gf_exec *exec, struct gf_job *job, bool host_mapped, struct gf_error *err)
{
    enum gf_status status = gf_admission_enter(&exec->device->jobs, true, job, err);
    bool alone = status == GF_OK;
    if (!alone)
        return status;
    gf_cuda_pool_trim(exec->device);
    status = host_mapped ? gf_cuda_run_host_mapped(exec, job, err) : gf_cuda_run_whole(exec, job, err);
    if (status == GF_E_NO_DEVICE_MEMORY && !host_mapped)
        status = run_cut(exec, job, &alone, err);
    if (alone)
        gf_admission_leave(&exec->device->jobs);
    return status;
}

/* Runs a job on images in host memory after it found no memory alone. Its images leave device memory to other jobs. */
static enum gf_status run_host_mapped(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    enum gf_status status = gf_admission_enter(&exec->device->jobs, false, job, err);
    if (status == GF_OK) {
        status = gf_cuda_run_host_mapped(exec, job, err);
        gf_admission_leave(&exec->device->jobs);
    }
    return status == GF_E_NO_DEVICE_MEMORY ? run_alone(exec, job, true, err) : status;
}

static bool is_pinned_or_resident(const struct gf_exec *exec, const struct gf_buf *buf, bool resident)
{
    return resident || gf_cuda_is_pinned(exec->device, buf->data, (size_t)gf_view_bytes(&buf->view));
}

/* Returns the number of slabs with which a job of several steps runs fastest; 1 is one go. Only jobs that copy much in
 * both directions gain from slabs. */
static uint64_t best_slabs(const struct gf_exec *exec, const struct gf_job *job, struct gf_slabs *ret_slabs)
{
    uint64_t in = 0, out = 0;
    if (job->n_steps < 2)
        return 1;
    for (uint32_t i = 0; i < job->n_sinks; i++) {
        const struct gf_buf *buf = &job->sinks[i].buf;
        bool resident = (job->resident_sinks >> i & 1) != 0;
        if (!is_pinned_or_resident(exec, buf, resident))
            return 1;
        out += resident ? 0 : gf_view_bytes(&buf->view);
    }
    for (uint32_t i = 0; i < job->n_operands; i++)
        in += (job->resident_operands >> i & 1) != 0 ? 0 : gf_view_bytes(&job->operands[i].view);
    uint64_t n = (in < out ? in : out) / gf_policy.slab_bytes;
    if (n < 2 || gf_slabs_init(job, ret_slabs, NULL) != GF_OK)
        return 1;
    for (uint32_t i = 0; i < job->n_operands; i++)
        if ((ret_slabs->cut >> i & 1) != 0 &&
            !is_pinned_or_resident(exec, &job->operands[i], (job->resident_operands >> i & 1) != 0))
            return 1;
    n = n < MAX_SLABS ? n : MAX_SLABS;
    /* Rows around a slab are computed twice. */
    while (n > 1 && ret_slabs->max / n < 4 * ret_slabs->halo)
        n--;
    return n;
}

enum gf_status gf_cuda_run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    if (job->n_operands > GF_MAX_OPERANDS || job->n_steps > GF_MAX_STEPS || job->n_sinks > GF_MAX_RESULTS)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "a job has %u operands, %u steps and %u results; the limits are %u, %u and %u",
                            job->n_operands, job->n_steps, job->n_sinks, GF_MAX_OPERANDS, GF_MAX_STEPS, GF_MAX_RESULTS);
    struct gf_error own = {0};
    struct gf_slabs slabs;
    uint64_t n = best_slabs(exec, job, &slabs);
    enum gf_status status = gf_admission_enter(&exec->device->jobs, false, job, &own);
    if (status == GF_OK) {
        status = n > 1 ? run_slabs(exec, job, &slabs, n, NULL, &own) : gf_cuda_run_whole(exec, job, &own);
        gf_admission_leave(&exec->device->jobs);
    }
    if (status == GF_E_NO_DEVICE_MEMORY)
        status = run_alone(exec, job, false, &own);
    struct gf_error why = own; /* with the memory that the whole job needs */
    if (status == GF_E_NO_DEVICE_MEMORY)
        status = run_host_mapped(exec, job, &own);
    if (status == GF_E_NO_DEVICE_MEMORY) {
        struct gf_error host = own;
        (void)gf_error_set(&own, GF_E_NO_DEVICE_MEMORY, "%s; %s", why.text, host.text);
        own.needed = why.needed;
    }
    if (status != GF_OK && err)
        *err = own;
    return status;
}
