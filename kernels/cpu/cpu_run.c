/* SPDX-License-Identifier: MIT */
/*
 * Runs a program step by step. An output that goes to one place only is written straight into its result; any other
 * output gets memory of its own, which lives until its last reader has run. The worker calls it through the vtable.
 */
#include <string.h>

#include "cpu_device.h"
#include "kernels/stop.h"
#include "protocol/base/clock.h"

/* Scratch that an exec context keeps after a job: per thread, and at most in total. Larger scratch is freed. */
#define KEPT_OF_THREAD ((size_t)2 << 20)
#define KEPT_SCRATCH ((size_t)64 << 20)

/* The memory of one output. */
struct slot {
    struct gf_buf buf;
    bool owned;
};

struct run {
    struct gf_exec *exec;
    struct gf_job *job;
    struct slot *slots; /* GF_MAX_OUTPUTS per step */
    struct gf_uses uses;
};

static struct slot *slot_of(const struct run *r, uint32_t step, uint32_t output)
{
    return &r->slots[step * GF_MAX_OUTPUTS + output];
}

static void slot_free(const struct run *r, struct slot *s)
{
    if (s->owned)
        gf_cpu_pages_free(&r->exec->device->pages, s->buf.data, gf_view_bytes(&s->buf.view));
    s->buf.data = NULL;
    s->owned = false;
}

/* Frees scratch that is too large to keep. */
static void trim_scratch(struct gf_exec *exec)
{
    size_t kept = gf_cpu_pool_threads(exec->device->pool) * KEPT_OF_THREAD;
    if (exec->scratch.size <= (kept < KEPT_SCRATCH ? kept : KEPT_SCRATCH))
        return;
    free(exec->scratch.data);
    exec->scratch = (struct gf_cpu_scratch){0};
}

static void run_deinit(struct run *r)
{
    for (uint32_t i = 0; r->slots && i < r->job->n_steps * GF_MAX_OUTPUTS; i++)
        slot_free(r, &r->slots[i]);
    free(r->slots);
    trim_scratch(r->exec);
}

static const struct gf_sink *find_sink(const struct gf_job *job, uint32_t step, uint32_t output)
{
    for (uint32_t i = 0; i < job->n_sinks; i++)
        if (job->sinks[i].step == step && job->sinks[i].output == output)
            return &job->sinks[i];
    return NULL;
}

static enum gf_status place_output(const struct run *r, uint32_t step, uint32_t output, struct gf_error *err)
{
    struct slot *s = slot_of(r, step, output);
    const struct gf_view *view = &r->job->steps[step].out[output];
    if (!gf_use_needs_memory(&r->uses.outputs[step][output], &r->job->steps[step], step, output)) {
        const struct gf_sink *sink = find_sink(r->job, step, output);
        s->buf = sink ? sink->buf : (struct gf_buf){.view = *view};
        if (!sink || gf_view_same_shape(&sink->buf.view, view)) /* a slab's result stores fewer rows */
            return GF_OK;
    }
    uint64_t size = gf_view_bytes(view);
    void *data = gf_cpu_pages_alloc(&r->exec->device->pages, size, false);
    if (!data)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %llu bytes between steps %u and later ones",
                            (unsigned long long)size, gf_job_step_number(r->job, step));
    s->buf = (struct gf_buf){.data = data, .view = *view};
    s->owned = true;
    return GF_OK;
}

static enum gf_status run_step(const struct run *r, uint32_t i, struct gf_error *err)
{
    const struct gf_step *step = &r->job->steps[i];
    struct gf_device *device = r->exec->device;
    struct gf_cpu_call call = {.step = step,
                               .job = r->job,
                               .pool = device->pool,
                               .scratch = &r->exec->scratch,
                               .pages = &device->pages,
                               .simd = device->simd};
    for (uint32_t k = 0; k < step->op->n_inputs; k++) {
        struct gf_ref ref = step->in[k];
        if (ref.from != GF_FROM_NOTHING)
            call.in[k] =
                ref.from == GF_FROM_STEP ? slot_of(r, ref.index, ref.output)->buf : r->job->operands[ref.index];
    }
    for (uint32_t k = 0; k < step->op->n_outputs; k++) {
        enum gf_status status = place_output(r, i, k, err);
        if (status != GF_OK)
            return status;
        call.out[k] = slot_of(r, i, k)->buf;
    }
    const struct gf_cpu_op_row *row = &gf_cpu_ops[step->op->index];
    if (!row->run || !(row->dtypes[0] & GF_DT(call.in[0].view.dtype)))
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s of %s does not run on the CPU", step->op->name,
                            gf_dtype_word(call.in[0].view.dtype));
    return row->run(&call, err);
}

/* Copies outputs of step i into results that were not written directly, and frees outputs that have no reader left. */
static void finish_step(const struct run *r, uint32_t i)
{
    for (uint32_t k = 0; k < r->job->n_sinks; k++) {
        const struct gf_sink *sink = &r->job->sinks[k];
        const struct slot *s = sink->step == i ? slot_of(r, i, sink->output) : NULL;
        if (!s || !s->owned)
            continue;
        size_t row = (size_t)gf_view_row_bytes(&s->buf.view);
        uint64_t skip = r->job->skip ? r->job->skip[k] : 0;
        for (uint64_t y = 0; y < sink->buf.view.height; y++)
            memcpy((unsigned char *)sink->buf.data + y * sink->buf.view.pitch,
                   (const unsigned char *)s->buf.data + (skip + y) * s->buf.view.pitch, row);
    }
    for (uint32_t step = 0; step <= i; step++)
        for (uint32_t k = 0; k < GF_MAX_OUTPUTS; k++)
            if (r->uses.outputs[step][k].last == i)
                slot_free(r, slot_of(r, step, k));
}

enum gf_status gf_cpu_run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    gf_cleanup(run_deinit) struct run r = {.exec = exec, .job = job};
    job->times = (struct gf_times){0};
    r.slots = calloc((size_t)job->n_steps * GF_MAX_OUTPUTS, sizeof(*r.slots));
    if (!r.slots)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %u steps", job->n_steps);
    gf_job_uses(job, &r.uses);
    for (uint32_t i = 0; i < job->n_steps; i++) {
        enum gf_status status = gf_stop_reason(job, NULL);
        if (status != GF_OK)
            return gf_error_set(err, status, "%s before step %u of %u",
                                status == GF_E_CANCELLED ? "cancelled" : "the deadline passed",
                                gf_job_step_number(job, i) + 1, gf_job_step_number(job, job->n_steps));
        uint64_t start = gf_now_ns();
        status = run_step(&r, i, err);
        uint64_t ran = gf_now_ns();
        job->times.kernel += ran - start;
        if (status != GF_OK)
            return status;
        finish_step(&r, i);
        uint64_t finished = gf_now_ns();
        job->times.copy_out += finished - ran;
        uint32_t number = gf_job_step_number(job, i);
        gf_spans_add(job->spans, GF_STAGE_KERNEL, number, start, ran);
        gf_spans_add(job->spans, GF_STAGE_COPY_OUT, number, ran, finished);
    }
    return GF_OK;
}
