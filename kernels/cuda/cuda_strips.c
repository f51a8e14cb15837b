/* SPDX-License-Identifier: MIT */
/*
 * How a job is run: in one go where that is best; in strips on two lanes by turns where several steps stand between
 * large copies, so that both directions of the link and the kernels work at once; and in as much memory as there is:
 * beside others, else alone, else strip after strip, each half as high as those that did not fit, with others in
 * between; else, where steps need all rows at once, on images in the host's memory. Called by the worker through
 * gf_backend.run, and by cuda_warm.c.
 */
#include "cuda_run.h"
#include "kernels/cuda/device/cuda_pool.h"

/* Strips of several steps bring so many bytes each, and there are so many at most. */
#define STRIP_BYTES (12u * 1024u * 1024u)
#define MAX_STRIPS 16u

static void add_times(struct gf_times *sum, const struct gf_times *more)
{
    sum->copy_in += more->copy_in;
    sum->kernel += more->kernel;
    sum->copy_out += more->copy_out;
}

/* A lane's strip, from its start to its end. */
struct turn {
    struct gf_lane *lane;
    struct gf_cuda_run run;
    enum gf_status status; /* of its start */
    bool open;
};

/* Waits for a lane's strip, if it has one. */
static enum gf_status end_turn(struct turn *turn, struct gf_times *times, struct gf_error *err)
{
    if (!turn->open)
        return GF_OK;
    turn->open = false;
    enum gf_status status = gf_cuda_run_end(&turn->run, turn->status, err);
    if (status == GF_OK)
        add_times(times, &turn->lane->strip.job.times);
    return status;
}

/* Waits for all strips that are on their way. The status of the first that failed, else the one given. */
static enum gf_status end_turns(struct turn *turns, uint32_t n, struct gf_times *times, enum gf_status status,
                                struct gf_error *err)
{
    for (uint32_t k = 0; k < n; k++) {
        struct gf_error own = {0};
        enum gf_status ended = end_turn(&turns[k], times, &own);
        if (status == GF_OK && ended != GF_OK)
            *err = own;
        status = status == GF_OK ? ended : status;
    }
    return status;
}

/* Lets those who wait for the device have it first. Where this fails, the device is theirs: *alone is false. */
static enum gf_status let_others(struct gf_lane *lane, const struct gf_job *job, bool *alone, struct gf_error *err)
{
    gf_gate_leave(&lane->device->jobs);
    enum gf_status status = gf_gate_enter(&lane->device->jobs, true, job, err);
    *alone = status == GF_OK;
    if (*alone)
        gf_cuda_pool_trim(lane->device);
    return status;
}

/* All strips: those of several steps on both lanes by turns; in one of a single step, copies and kernels overlap.
 * `alone` is NULL where the job shares the device. */
static enum gf_status run_strips(struct gf_lane *lane, struct gf_job *job, const struct gf_strips *strips, uint64_t n,
                                 bool *alone, struct gf_error *err)
{
    struct turn turns[2] = {{.lane = lane}, {.lane = &((struct gf_cuda_lanes *)lane)->other}};
    uint32_t n_turns = job->n_steps > 1 ? 2 : 1;
    enum gf_status status = GF_OK;
    job->times = (struct gf_times){0};
    for (uint64_t i = 0; i < n && status == GF_OK; i++) {
        struct turn *turn = &turns[i % n_turns];
        struct gf_strip *strip = &turn->lane->strip;
        status = end_turn(turn, &job->times, err);
        if (status == GF_OK && alone && gf_gate_waiting(&lane->device->jobs) > 0) {
            status = end_turns(turns, n_turns, &job->times, GF_OK, err);
            if (status == GF_OK)
                status = let_others(lane, job, alone, err);
        }
        if (status == GF_OK)
            status = gf_strips_cut(strips, i, n, strip, err);
        if (status != GF_OK)
            break;
        turn->status = status = gf_cuda_run_begin(turn->lane, &strip->job, GF_CUDA_ALL_NEAR, &turn->run, err);
        turn->open = true;
    }
    return end_turns(turns, n_turns, &job->times, status, err);
}

/* A job that does not fit in one go, on the device alone; *err says how much that would need. */
static enum gf_status run_cut(struct gf_lane *lane, struct gf_job *job, bool *alone, struct gf_error *err)
{
    struct gf_error why = {0};
    struct gf_strips strips;
    enum gf_status status = gf_strips_init(job, &strips, &why);
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
    for (uint64_t n = 2; n / 2 < strips.most && status == GF_E_NO_DEVICE_MEMORY; n *= 2) {
        gf_cuda_lane_trim(lane);
        gf_cuda_lane_trim(&((struct gf_cuda_lanes *)lane)->other);
        status = run_strips(lane, job, &strips, n < strips.most ? n : strips.most, alone, err);
    }
    return status;
}

/* A job that found no memory beside others: whole or in strips, or on images that stay in the host's memory. */
static enum gf_status run_alone(struct gf_lane *lane, struct gf_job *job, bool far, struct gf_error *err)
{
    enum gf_status status = gf_gate_enter(&lane->device->jobs, true, job, err);
    bool alone = status == GF_OK;
    if (!alone)
        return status;
    gf_cuda_pool_trim(lane->device);
    status = far ? gf_cuda_run_far(lane, job, err) : gf_cuda_run_whole(lane, job, err);
    if (status == GF_E_NO_DEVICE_MEMORY && !far)
        status = run_cut(lane, job, &alone, err);
    if (alone)
        gf_gate_leave(&lane->device->jobs);
    return status;
}

/* A job that found none alone: images in the host's memory leave the device's to others. */
static enum gf_status run_far(struct gf_lane *lane, struct gf_job *job, struct gf_error *err)
{
    enum gf_status status = gf_gate_enter(&lane->device->jobs, false, job, err);
    if (status == GF_OK) {
        status = gf_cuda_run_far(lane, job, err);
        gf_gate_leave(&lane->device->jobs);
    }
    return status == GF_E_NO_DEVICE_MEMORY ? run_alone(lane, job, true, err) : status;
}

static bool is_near(const struct gf_lane *lane, const struct gf_buf *buf, bool resident)
{
    return resident || gf_cuda_is_pinned(lane->device, buf->data, (size_t)gf_view_bytes(&buf->view));
}

/* The strips in which a job of several steps is best run, 1 where that is in one go: those that copy much both ways. */
static uint64_t best_strips(const struct gf_lane *lane, const struct gf_job *job, struct gf_strips *ret_strips)
{
    uint64_t in = 0, out = 0;
    if (job->n_steps < 2)
        return 1;
    for (uint32_t i = 0; i < job->n_sinks; i++) {
        const struct gf_buf *buf = &job->sinks[i].buf;
        bool resident = (job->resident_sinks >> i & 1) != 0;
        if (!is_near(lane, buf, resident))
            return 1;
        out += resident ? 0 : gf_view_bytes(&buf->view);
    }
    for (uint32_t i = 0; i < job->n_operands; i++)
        in += (job->resident_operands >> i & 1) != 0 ? 0 : gf_view_bytes(&job->operands[i].view);
    uint64_t n = (in < out ? in : out) / STRIP_BYTES;
    if (n < 2 || gf_strips_init(job, ret_strips, NULL) != GF_OK)
        return 1;
    for (uint32_t i = 0; i < job->n_operands; i++)
        if ((ret_strips->cut >> i & 1) != 0 &&
            !is_near(lane, &job->operands[i], (job->resident_operands >> i & 1) != 0))
            return 1;
    n = n < MAX_STRIPS ? n : MAX_STRIPS;
    /* Rows around a strip are computed twice. */
    while (n > 1 && ret_strips->most / n < 4 * ret_strips->halo)
        n--;
    return n;
}

enum gf_status gf_cuda_run(struct gf_lane *lane, struct gf_job *job, struct gf_error *err)
{
    if (job->n_operands > GF_MAX_OPERANDS || job->n_steps > GF_MAX_STEPS || job->n_sinks > GF_MAX_RESULTS)
        return gf_error_set(err, GF_E_TOO_LARGE, "%u operands, %u steps, %u results; at most %u, %u, %u",
                            job->n_operands, job->n_steps, job->n_sinks, GF_MAX_OPERANDS, GF_MAX_STEPS, GF_MAX_RESULTS);
    struct gf_error own = {0};
    struct gf_strips strips;
    uint64_t n = best_strips(lane, job, &strips);
    enum gf_status status = gf_gate_enter(&lane->device->jobs, false, job, &own);
    if (status == GF_OK) {
        status = n > 1 ? run_strips(lane, job, &strips, n, NULL, &own) : gf_cuda_run_whole(lane, job, &own);
        gf_gate_leave(&lane->device->jobs);
    }
    if (status == GF_E_NO_DEVICE_MEMORY)
        status = run_alone(lane, job, false, &own);
    struct gf_error why = own; /* and how much the whole needs */
    if (status == GF_E_NO_DEVICE_MEMORY)
        status = run_far(lane, job, &own);
    if (status == GF_E_NO_DEVICE_MEMORY)
        own = why;
    if (status != GF_OK && err)
        *err = own;
    return status;
}
