/* SPDX-License-Identifier: MIT */
/*
 * Runs a program on the device. Operands are uploaded when a step first needs them, outputs of steps stay on the device
 * until the last step that needs them, and results are downloaded as soon as they are made. The host waits once, at the
 * end. Called by cuda_schedule.c.
 */
#include "cuda_run.h"

#include <string.h>

#include "kernels/cuda/device/cuda_policy.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/cuda_wait.h"
#include "kernels/cuda/filter/filter_group.h"
#include "kernels/cuda/jit/cuda_jit.h"
#include "kernels/cuda/memory/cuda_host_mapped.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_copies.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "protocol/base/clock.h"

/* run_deinit frees host-mapped images, when no work can use them any more. */
static void image_deinit(struct gf_cuda_run *run, struct gf_cuda_image *image)
{
    if (image->host_mapped)
        return;
    if (!image->borrowed)
        gf_cuda_free(run->exec, image->data);
    image->data = NULL;
}

static void images_deinit(struct gf_cuda_run *run, struct gf_cuda_image *images, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        image_deinit(run, &images[i]);
        if (images[i].host_mapped)
            gf_cuda_host_mapped_give(run->exec->device, &images[i]);
    }
}

static void run_deinit(struct gf_cuda_run *run)
{
    images_deinit(run, run->exec->operands, run->job->n_operands);
    images_deinit(run, run->exec->outputs, run->job->n_steps * GF_MAX_OUTPUTS);
}

/* Allocates an image whose rows start at multiples of GF_CUDA_ALIGN. */
static enum gf_status image_init(struct gf_cuda_run *run, struct gf_cuda_image *image, const struct gf_view *view,
                                 struct gf_error *err)
{
    uint64_t bytes = 0;
    enum gf_status status = gf_cuda_align_view(view, &image->view, &bytes, err);
    if (status == GF_OK && bytes > run->max_on_device)
        return gf_cuda_host_mapped_take(run->exec->device, image, bytes, err);
    return status == GF_OK ? gf_cuda_alloc(run->exec, bytes, &image->data, err) : status;
}

/* Whether kernels can access the memory where it is. */
static bool is_aligned(const struct gf_buf *buf)
{
    return (uintptr_t)buf->data % GF_CUDA_ALIGN == 0 && buf->view.pitch % GF_CUDA_ALIGN == 0;
}

/* Sets up an operand that is already in device memory. A part of a buffer that is not aligned is copied. */
static enum gf_status resident_init(struct gf_cuda_run *run, struct gf_cuda_image *image, const struct gf_buf *buf,
                                    struct gf_error *err)
{
    if (is_aligned(buf)) {
        image->data = buf->data;
        image->view = buf->view;
        image->borrowed = true;
        return GF_OK;
    }
    enum gf_status status = image_init(run, image, &buf->view, err);
    if (status != GF_OK)
        return status;
    return gf_cuda_status(gf_cuda_copy_rows(image->data, (size_t)image->view.pitch, buf->data, (size_t)buf->view.pitch,
                                            (size_t)gf_view_row_bytes(&buf->view), buf->view.height,
                                            image->host_mapped ? cudaMemcpyDefault : cudaMemcpyDeviceToDevice,
                                            run->exec->main),
                          "moving a part of a resident buffer", err);
}

/* Whether a step selects samples: its output addresses depend on the samples, so the samples must not change while it
 * runs. */
static bool selects_samples(const struct gf_job *job)
{
    bool found = false;
    for (uint32_t s = 0; s < job->n_steps; s++)
        found = found || job->steps[s].op->outputs[0].shape == GF_SHAPE_COUNTED;
    return found;
}

/* Sets up an operand in host memory. Kernels read a large operand in place where it is page-locked. */
static enum gf_status host_init(struct gf_cuda_run *run, struct gf_cuda_image *image, const struct gf_buf *buf,
                                struct gf_error *err)
{
    size_t bytes = (size_t)gf_view_bytes(&buf->view);
    uint64_t row = gf_view_row_bytes(&buf->view), padding = buf->view.pitch - row;
    if (bytes <= run->max_on_device || selects_samples(run->job) || !is_aligned(buf) || padding >= GF_CUDA_ALIGN ||
        !gf_cuda_is_mapped(run->exec->device, buf->data, bytes)) {
        image->host = buf;
        return image_init(run, image, &buf->view, err);
    }
    image->data = buf->data;
    image->view = buf->view;
    image->borrowed = true;
    return GF_OK;
}

/* Returns the resident buffer that output `output` of a step fills entirely, or NULL. */
static const struct gf_buf *resident_sink(const struct gf_job *job, uint32_t index, uint32_t output)
{
    for (uint32_t i = 0; i < job->n_sinks; i++)
        if (job->sinks[i].step == index && job->sinks[i].output == output && (job->resident_sinks >> i & 1) != 0 &&
            gf_view_same_shape(&job->sinks[i].buf.view, &job->steps[index].out[output]))
            return &job->sinks[i].buf;
    return NULL;
}

/* Whether kernels change an output by atomics. Over the link each of them would take a round trip. */
static bool is_accumulated(const struct gf_op *op, uint32_t output)
{
    return (op->index == GF_INDEX_label && (output == 1 || output == 2)) ||
           (op->index == GF_INDEX_match && output == 2);
}

/* Sets up an output of a step. An output that fills a resident buffer is written there; a small output that is only a
 * result, and is not accumulated, is written to the result's memory; a list that is not used has no memory. */
static enum gf_status output_init(struct gf_cuda_run *run, struct gf_cuda_image *image, uint32_t index, uint32_t output,
                                  struct gf_error *err)
{
    const struct gf_step *step = &run->job->steps[index];
    const struct gf_buf *resident = resident_sink(run->job, index, output);
    if (resident) {
        image->data = resident->data;
        image->view = resident->view;
        image->borrowed = true;
        return GF_OK;
    }
    const struct gf_sink *sink = &run->job->sinks[0];
    const struct gf_buf *to = &sink->buf;
    uint64_t to_bytes = gf_view_bytes(&to->view);
    const struct gf_use *use = &run->exec->uses.outputs[index][output];
    if (use->n_sinks == 0 && !gf_use_needs_memory(use, step, index, output)) {
        image->view = step->out[output];
        return GF_OK;
    }
    if (run->job->n_steps != 1 || run->job->n_sinks != 1 || sink->output != output ||
        is_accumulated(step->op, output) || (to_bytes > gf_policy.direct_bytes && to_bytes <= run->max_on_device) ||
        !gf_view_same_shape(&to->view, &step->out[output]) || !is_aligned(to) ||
        !gf_cuda_is_mapped(run->exec->device, to->data, (size_t)to_bytes))
        return image_init(run, image, &step->out[output], err);
    image->view = to->view;
    image->data = to->data;
    image->borrowed = true;
    return GF_OK;
}

static struct gf_cuda_image *image_of(struct gf_cuda_run *run, const struct gf_ref *ref)
{
    return ref->from == GF_FROM_STEP ? &run->exec->outputs[ref->index * GF_MAX_OUTPUTS + ref->output]
                                     : &run->exec->operands[ref->index];
}

static bool is_image(const struct gf_step *step, uint32_t input)
{
    return !gf_input_is_copied(&step->op->inputs[input]) && step->in[input].from != GF_FROM_NOTHING;
}

static enum gf_status init_inputs(struct gf_cuda_run *run, struct gf_cuda_call *call, struct gf_error *err)
{
    for (uint32_t i = 0; i < call->step->op->n_inputs; i++) {
        const struct gf_ref *ref = &call->step->in[i];
        if (ref->from == GF_FROM_NOTHING)
            continue;
        if (!is_image(call->step, i)) {
            call->coefs[i] = &run->job->operands[ref->index];
            continue;
        }
        struct gf_cuda_image *image = image_of(run, ref);
        call->image[i] = image;
        if (ref->from == GF_FROM_STEP || image->data)
            continue;
        const struct gf_buf *operand = &run->job->operands[ref->index];
        bool resident = (run->job->resident_operands >> ref->index & 1) != 0;
        enum gf_status status =
            resident ? resident_init(run, image, operand, err) : host_init(run, image, operand, err);
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

/* Frees the memory that no step after step `index` needs. */
static void release_images(struct gf_cuda_run *run, uint32_t index)
{
    struct gf_exec *exec = run->exec;
    for (uint32_t i = 0; i < run->job->n_operands; i++)
        if (exec->uses.operands[i] <= index)
            image_deinit(run, &exec->operands[i]);
    for (uint32_t s = 0; s <= index; s++)
        for (uint32_t k = 0; k < GF_MAX_OUTPUTS; k++)
            if (exec->uses.outputs[s][k].last <= index)
                image_deinit(run, &exec->outputs[s * GF_MAX_OUTPUTS + k]);
}

/* Finds the group of a filter. The call then stands for the whole group: its output is that of the last step, and the
 * outputs of the other steps need no memory. */
static enum gf_status find_group(struct gf_cuda_run *run, struct gf_cuda_call *call, struct gf_cuda_filter_group *group,
                                 struct gf_error *err)
{
    enum gf_status status = gf_cuda_filter_group_init(call, group, err);
    if (status != GF_OK || !group->there)
        return status;
    for (; call->index < group->last; call->index++)
        if (run->job->carried)
            *run->job->carried |= UINT64_C(1) << call->index;
    call->group = group;
    call->step = &run->job->steps[group->at];
    call->out = &run->exec->outputs[call->index * GF_MAX_OUTPUTS];
    return GF_OK;
}

/* Starts a step, after allocating its outputs. */
static enum gf_status start_step(struct gf_cuda_run *run, struct gf_cuda_call *call, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < call->step->op->n_outputs && status == GF_OK; i++)
        status = output_init(run, &call->out[i], call->index, i, err);
    /* The memory is available once the main stream has reached this point. */
    if (status == GF_OK && run->overlap)
        status =
            gf_cuda_status(gf_cuda_stream_wait(run->exec, run->exec->in, run->exec->main), "ordering streams", err);
    if (status == GF_OK)
        status = gf_cuda_ops[call->step->op->index].start(call, err);
    for (uint32_t i = 0; i < call->step->op->n_outputs && status == GF_OK; i++)
        status = gf_cuda_rows_ready(call, i, call->out[i].view.height, err);
    /* With overlap, memory is freed after the wait for all streams. */
    if (status == GF_OK && !run->overlap)
        release_images(run, call->index);
    return status;
}

/* Runs a step and the steps grouped with it. *index becomes the index of the last of them. */
static enum gf_status run_step(struct gf_cuda_run *run, uint32_t *index, struct gf_error *err)
{
    const struct gf_step *step = &run->job->steps[*index];
    struct gf_cuda_call call = {.exec = run->exec,
                                .step = step,
                                .job = run->job,
                                .index = *index,
                                .out = &run->exec->outputs[*index * GF_MAX_OUTPUTS],
                                .overlap = run->overlap};
    if (!gf_cuda_ops[step->op->index].start)
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s does not run on CUDA", step->op->name);
    run->exec->clock.step = gf_job_step_number(run->job, *index);
    enum gf_status status = init_inputs(run, &call, err);
    struct gf_cuda_filter_group gf_cleanup(gf_cuda_filter_group_deinit) group = GF_CUDA_FILTER_GROUP_NULL;
    if (status == GF_OK)
        status = find_group(run, &call, &group, err);
    if (status == GF_OK)
        status = start_step(run, &call, err);
    *index = call.index;
    return status;
}

/* Whether the copies of a job are worth streams of their own: one step and one result, input and result both large and
 * page-locked. */
static bool wants_overlap(const struct gf_exec *exec, const struct gf_job *job)
{
    if (job->n_steps != 1 || job->n_sinks != 1 || job->steps[0].in[0].from == GF_FROM_STEP)
        return false;
    const struct gf_buf *from = &job->operands[job->steps[0].in[0].index], *to = &job->sinks[0].buf;
    size_t from_size = (size_t)gf_view_bytes(&from->view), to_size = (size_t)gf_view_bytes(&to->view);
    return from_size >= gf_policy.overlap_bytes && to_size >= gf_policy.overlap_bytes &&
           gf_cuda_is_pinned(exec->device, from->data, from_size) && gf_cuda_is_pinned(exec->device, to->data, to_size);
}

/* Waits until the execution context is idle; host memory may be freed afterwards. A single wait, in the stream that
 * ends last. A job of one stream that failed may have left work in the others. Any error is DEVICE_LOST: the device may
 * still be using the job's memory. */
static enum gf_status wait_idle(const struct gf_cuda_run *run, enum gf_status status, struct gf_error *err)
{
    struct gf_exec *exec = run->exec;
    cudaStream_t last = exec->last;
    cudaError_t error = cudaSuccess;
    if (run->overlap || status != GF_OK) {
        last = exec->out;
        error = gf_cuda_stream_wait(exec, last, exec->in);
        if (error == cudaSuccess)
            error = gf_cuda_stream_wait(exec, last, exec->main);
    }
    if (error == cudaSuccess)
        error = cudaEventRecord(exec->order, last);
    if (error == cudaSuccess)
        error = gf_cuda_wait(exec->order);
    if (error == cudaSuccess)
        return GF_OK;
    return gf_error_set(err, GF_E_DEVICE_LOST, "waiting for the device: %s (CUDA error %d)", cudaGetErrorString(error),
                        (int)error);
}

/* Whether a job is small, judged by its data and coefficients. */
static bool is_quick(const struct gf_job *job)
{
    const struct gf_cuda_policy *policy = &gf_policy;
    uint64_t bytes = 0, factor = job->n_steps;
    for (uint32_t i = 0; i < job->n_operands && bytes <= policy->quick_bytes; i++)
        bytes += gf_view_bytes(&job->operands[i].view);
    for (uint32_t i = 0; i < job->n_sinks && bytes <= policy->quick_bytes; i++)
        bytes += gf_view_bytes(&job->sinks[i].buf.view);
    if (bytes > policy->quick_bytes)
        return false;
    for (uint32_t s = 0; s < job->n_steps; s++)
        for (uint32_t i = 0; i < job->steps[s].op->n_inputs; i++)
            if (gf_input_is_copied(&job->steps[s].op->inputs[i]) && job->steps[s].in[i].from == GF_FROM_OPERAND)
                factor += gf_view_bytes(&job->operands[job->steps[s].in[i].index].view) / sizeof(float);
    return bytes * factor <= policy->quick_work;
}

static enum gf_status run_steps(struct gf_cuda_run *run, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint32_t i = 0; i < run->job->n_steps && status == GF_OK; i++)
        status = run_step(run, &i, err);
    return status == GF_OK ? gf_cuda_status(gf_cuda_clock_stop(&run->exec->clock), "timing the stages", err) : status;
}

enum gf_status gf_cuda_run_begin(struct gf_exec *exec, struct gf_job *job, uint64_t max_on_device,
                                 struct gf_cuda_run *ret_run, struct gf_error *err)
{
    memset(exec->operands, 0, job->n_operands * sizeof(exec->operands[0]));
    memset(exec->outputs, 0, (size_t)job->n_steps * GF_MAX_OUTPUTS * sizeof(exec->outputs[0]));
    struct gf_cuda_run *run = ret_run;
    *run = (struct gf_cuda_run){.exec = exec,
                                .job = job,
                                .overlap = max_on_device == GF_CUDA_ALL_ON_DEVICE && wants_overlap(exec, job),
                                .max_on_device = max_on_device,
                                .begin_ns = gf_now_ns()};
    if (run->overlap)
        (void)__atomic_add_fetch(&exec->device->running, 1, __ATOMIC_RELAXED);
    exec->main = is_quick(job) ? exec->quick : exec->steady;
    exec->last = run->overlap ? exec->out : exec->main;
    gf_cuda_clock_reset(&exec->clock);
    memset(exec->faults.explain, 0, sizeof(exec->faults.explain));
    exec->faults.used = false;
    exec->pending = 0;
    exec->uploads.used = 0; /* the execution context is idle */
    gf_job_uses(job, &exec->uses);

    enum gf_status status =
        gf_cuda_status(gf_cuda_clock_trace(&exec->clock, job->spans, exec->main), "beginning a trace", err);
    if (status == GF_OK)
        status = run_steps(run, err);
    /* Steps before the refused one are running; one of them may still find a fault. */
    enum gf_status fetched = gf_cuda_faults_fetch(exec, status == GF_OK ? err : NULL);
    exec->faults.used = exec->faults.used && fetched == GF_OK;
    return status == GF_OK ? fetched : status;
}

/* Completes a run, given the status of putting its work into the streams. */
static enum gf_status finish(struct gf_cuda_run *run, enum gf_status status, struct gf_error *err)
{
    struct gf_error wait_err;
    if (status == GF_E_DEVICE_LOST)
        return status;
    enum gf_status waited = wait_idle(run, status, &wait_err);
    if (waited != GF_OK) {
        if (err)
            *err = wait_err;
        return waited;
    }
    /* A step that was refused early comes after steps that found a fault: the first step's status is the job's. */
    enum gf_status faulted = gf_cuda_faults_check(run->exec, run->job, err);
    if (faulted != GF_OK)
        status = faulted;
    return status;
}

enum gf_status gf_cuda_run_end(struct gf_cuda_run *run, enum gf_status status, struct gf_error *err)
{
    status = finish(run, status, err);
    run->job->times = status == GF_OK ? gf_cuda_clock_read(&run->exec->clock)
                                      : (struct gf_times){.kernel = gf_now_ns() - run->begin_ns};
    gf_cuda_jit_release(run->exec);
    if (run->overlap)
        (void)__atomic_sub_fetch(&run->exec->device->running, 1, __ATOMIC_RELAXED);
    run_deinit(run);
    return status;
}

static enum gf_status run_once(struct gf_exec *exec, struct gf_job *job, uint64_t max_on_device, struct gf_error *err)
{
    struct gf_cuda_run run;
    enum gf_status status = gf_cuda_run_begin(exec, job, max_on_device, &run, err);
    return gf_cuda_run_end(&run, status, err);
}

enum gf_status gf_cuda_run_whole(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    return run_once(exec, job, GF_CUDA_ALL_ON_DEVICE, err);
}

enum gf_status gf_cuda_run_host_mapped(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    return run_once(exec, job, gf_cuda_host_mapped_bytes(exec->device), err);
}
