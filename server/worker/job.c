/* SPDX-License-Identifier: MIT */
/* Binds a program to mapped memory and runs it on an exec context. Called by job_loop.c. */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/stop.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "protocol/ops/footprint.h"
#include "protocol/wire/request.h"

/* Takes a reference to the shared memory of one operand or result. */
static enum gf_status take(struct gf_worker_job *job, struct gf_mappings *mappings, uint8_t way, uint64_t key,
                           uint64_t offset, uint64_t length, void **ret_data, struct gf_error *err)
{
    if (way != GF_WAY_ARENA)
        return gf_error_set(err, GF_E_UNSUPPORTED, "worker: an operand or result is not in shared memory");
    enum gf_status status = gf_mappings_use(mappings, key, offset, length, &job->used[job->n_used], ret_data, err);
    if (status == GF_OK)
        job->n_used++;
    return status;
}

/* Charges the job to the budget. */
static enum gf_status take_budget(struct gf_worker_job *job, struct gf_worker_budget *budget, struct gf_error *err)
{
    uint64_t need = gf_footprint_total(&job->fused.footprint, budget->cpu);
    uint64_t taken = __atomic_load_n(&budget->taken, __ATOMIC_RELAXED);
    do
        if (need > budget->max - taken) {
            gf_error_set(err, GF_E_NO_MEMORY,
                         "the program needs %" PRIu64 " bytes of scratch memory; of the worker's %" PRIu64
                         " bytes %" PRIu64 " are in use",
                         need, budget->max, taken);
            if (err)
                err->needed = need;
            return GF_E_NO_MEMORY;
        }
    while (
        !__atomic_compare_exchange_n(&budget->taken, &taken, taken + need, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    job->taken = need;
    return GF_OK;
}

/* A private copy of operand `index` without padding between rows. */
static void *copy_of(const struct gf_worker_job *job, uint32_t index, const struct gf_view *tight)
{
    const struct gf_buf *buf = &job->operands[index];
    char *copy = malloc(gf_view_bytes(tight));
    for (uint64_t y = 0; copy != NULL && y < tight->height; y++)
        memcpy(copy + y * tight->pitch, (const char *)buf->data + y * buf->view.pitch, tight->pitch);
    return copy;
}

/* Replaces masks and lists by private copies without padding, because their owner may change them while they are
 * checked. Memory that several operands share is copied once. */
static enum gf_status copy_inputs(struct gf_worker_job *job, struct gf_error *err)
{
    const struct gf_program *p = &job->program;
    const struct gf_job stop = {.cancel = &job->cancel, .alive = &job->alive, .deadline_ns = job->deadline_ns};
    uint64_t copied = gf_footprint_copied(p);
    for (uint32_t i = 0; i < p->n_operands; i++) {
        if ((copied >> i & 1) == 0)
            continue;
        const struct gf_view *v = &p->operands[i].view;
        struct gf_view tight = gf_view_tight(v->dtype, v->width, v->height, v->channels);
        uint32_t first = gf_footprint_copy_of(p, i);
        enum gf_status status = gf_stop_reason(&stop, err);
        if (status != GF_OK)
            return status;
        if (job->copies[first] == NULL)
            job->copies[first] = copy_of(job, i, &tight);
        if (job->copies[first] == NULL)
            return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a copy of operand %u", i);
        job->operands[i] = (struct gf_buf){.data = job->copies[first], .view = tight};
    }
    return GF_OK;
}

static enum gf_status bind_operand(struct gf_worker_job *job, struct gf_mappings *mappings, struct gf_buffers *buffers,
                                   uint32_t i, struct gf_error *err)
{
    const struct gf_operand *o = &job->program.operands[i];
    if (o->way == GF_WAY_HANDLE) {
        job->resident_operands |= UINT64_C(1) << i;
        return gf_buffers_find(buffers, o, &job->operands[i], err);
    }
    job->operands[i] = (struct gf_buf){.view = o->view};
    return take(job, mappings, o->way, o->id, o->offset, o->length, &job->operands[i].data, err);
}

static enum gf_status bind_result(struct gf_worker_job *job, struct gf_mappings *mappings, struct gf_buffers *buffers,
                                  uint32_t i, struct gf_error *err)
{
    const struct gf_result *r = &job->program.results[i];
    job->sinks[i] = (struct gf_sink){.step = r->step, .output = r->output, .buf.view = r->view};
    if (r->way != GF_WAY_HANDLE) {
        enum gf_status status =
            take(job, mappings, r->way, r->id, r->offset, gf_view_bytes(&r->view), &job->sinks[i].buf.data, err);
        if (status == GF_OK && gf_mappings_is_staging(job->used[job->n_used - 1]))
            job->inline_sinks |= UINT64_C(1) << i;
        return status;
    }
    enum gf_status status = gf_buffers_make(buffers, r->id, &r->view, &job->made[job->n_made], &job->sinks[i].buf, err);
    job->resident_sinks |= UINT64_C(1) << i;
    if (status == GF_OK)
        job->n_made++;
    return status;
}

void gf_worker_job_begin(struct gf_worker_job *job, uint64_t id)
{
    job->id = id;
    __atomic_store_n(&job->cancel, false, __ATOMIC_RELAXED);
    __atomic_store_n(&job->alive, true, __ATOMIC_RELAXED);
}

enum gf_status gf_worker_job_bind(struct gf_worker_job *job, struct gf_mappings *mappings, struct gf_buffers *buffers,
                                  const uint8_t *body, size_t size, struct gf_error *err)
{
    job->taken = 0;
    job->n_used = job->n_made = 0;
    job->fused.n_runs = 0;
    job->resident_operands = job->resident_sinks = job->inline_sinks = 0;
    job->success = false;
    memset(job->copies, 0, sizeof job->copies);
    struct gf_program *p = &job->program;
    enum gf_status status = gf_program_decode(body, size, 0, p, &job->parsed, err);
    for (uint32_t i = 0; status == GF_OK && i < p->n_operands; i++)
        status = bind_operand(job, mappings, buffers, i, err);
    for (uint32_t i = 0; status == GF_OK && i < p->n_results; i++)
        status = bind_result(job, mappings, buffers, i, err);
    if (status != GF_OK)
        return status;
    job->deadline_ns = p->deadline_ms == 0 ? 0 : gf_now_ns() + p->deadline_ms * GF_NS_PER_MS;
    return GF_OK;
}

/* Cuts this part's slab of rows out of the whole program. If there are fewer slabs than parts, the last parts have
 * nothing to do. */
static enum gf_status cut_part(struct gf_worker_job *job, const struct gf_job *whole, bool *ret_nothing,
                               struct gf_error *err)
{
    const struct gf_program *p = &job->program;
    struct gf_slabs slabs;
    enum gf_status status = gf_slabs_init(whole, &slabs, err);
    if (status == GF_E_NO_DEVICE_MEMORY) { /* slabs of a single GPU are cut differently */
        struct gf_error why = *err;
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s; it cannot run on several GPUs", why.text);
    }
    *ret_nothing = status == GF_OK && p->part >= slabs.max;
    if (status != GF_OK || *ret_nothing)
        return status;
    return gf_slabs_cut(&slabs, p->part, p->n_parts < slabs.max ? p->n_parts : slabs.max, &job->slab, err);
}

/* The text for a set of enum gf_expressions_ran. */
static const char *expressions_text(uint32_t ran)
{
    const uint32_t both = GF_EXPRESSIONS_INTERPRETED | GF_EXPRESSIONS_COMPILED;
    return ran == both                         ? "expressions compiled and interpreted"
           : ran == GF_EXPRESSIONS_COMPILED    ? "expression compiled"
           : ran == GF_EXPRESSIONS_INTERPRETED ? "expression interpreted"
                                               : "";
}

/* Fuses the program's steps; results then belong to other steps. */
static void fuse(struct gf_worker_job *job, const struct gf_worker_budget *budget)
{
    struct gf_program *p = &job->program;
    gf_fuse(p, budget->cpu ? budget->threads : 0, p->n_parts > 1, &job->fused);
    for (uint32_t i = 0; i < p->n_results; i++)
        job->sinks[i].step = p->results[i].step;
}

/* Writes zeros between the rows of inline results, and from each to the next. The memory may contain bytes of other
 * requests, and the answer consists of all of it from the first result to the end of the last: staging.h says why a
 * client sees none of them. */
static void clear_gaps(struct gf_worker_job *job)
{
    const struct gf_program *p = &job->program;
    uint8_t *end = NULL;
    for (uint32_t i = 0; i < p->n_results; i++) {
        if ((job->inline_sinks >> i & 1) == 0)
            continue;
        const struct gf_view *v = &p->results[i].view;
        uint8_t *data = job->sinks[i].buf.data;
        uint64_t row = gf_view_row_bytes(v);
        if (end != NULL)
            memset(end, 0, (size_t)(data - end));
        for (uint64_t y = 0; v->pitch > row && y + 1 < v->height; y++)
            memset(data + y * v->pitch + row, 0, v->pitch - row);
        end = data + gf_view_bytes(v);
    }
}

enum gf_status gf_worker_job_run(struct gf_worker_job *job, struct gf_worker_budget *budget,
                                 struct gf_mappings *mappings, const struct gf_backend *backend, struct gf_exec *exec,
                                 struct gf_run_reply *ret_reply, struct gf_error *err)
{
    const struct gf_program *p = &job->program;
    uint32_t expressions = 0;
    uint64_t carried = 0;
    fuse(job, budget);
    struct gf_job run = {.steps = p->steps,
                         .numbers = job->fused.numbers,
                         .operands = job->operands,
                         .sinks = job->sinks,
                         .n_steps = p->n_steps,
                         .n_operands = p->n_operands,
                         .n_sinks = p->n_results,
                         .resident_operands = job->resident_operands,
                         .resident_sinks = job->resident_sinks,
                         .user = p->user,
                         .cancel = &job->cancel,
                         .alive = &job->alive,
                         .deadline_ns = job->deadline_ns,
                         .unfused = p->unfused,
                         .carried = &carried,
                         .expressions = &expressions,
                         .spans = p->trace ? &job->spans : NULL};
    bool nothing = false;
    enum gf_status status = take_budget(job, budget, err);
    if (status == GF_OK)
        status = copy_inputs(job, err);
    if (status != GF_OK)
        return status;
    job->spans.n = 0;
    for (uint32_t i = 0; i < job->n_used; i++)
        gf_mappings_pin(mappings, job->used[i]);
    if (p->n_parts > 1) {
        struct gf_job whole = run;
        status = cut_part(job, &whole, &nothing, err);
        if (status == GF_OK && !nothing)
            run = job->slab.job;
    }
    if (status == GF_OK && !nothing)
        status = backend->run(exec, &run, err);
    ret_reply->times = (struct gf_stage_times){
        .copy_in = run.times.copy_in, .kernel = run.times.kernel, .copy_out = run.times.copy_out};
    if (status != GF_OK)
        return status;
    if (p->part == 0) /* for all parts of a result */
        clear_gaps(job);
    job->success = true;
    (void)gf_fused_text(&job->fused, p->n_steps, carried, ret_reply->why, sizeof(ret_reply->why));
    gf_text_append(ret_reply->why, sizeof(ret_reply->why), "%s%s",
                   ret_reply->why[0] != '\0' && expressions != 0 ? "; " : "", expressions_text(expressions));
    ret_reply->n_spans = job->spans.n;
    ret_reply->spans = job->span_records;
    for (uint32_t i = 0; i < job->spans.n; i++)
        gf_span_store(job->span_records + (size_t)i * GF_RECORD_SPAN, &job->spans.rows[i]);
    ret_reply->n_outputs = p->n_results;
    for (uint32_t i = 0; i < p->n_results; i++)
        ret_reply->outputs[i] = (struct gf_output){
            .view = p->results[i].view, .offset = p->results[i].offset, .length = gf_view_bytes(&p->results[i].view)};
    return GF_OK;
}

enum gf_status gf_worker_job_check(struct gf_worker_job *job, struct gf_error *err)
{
    for (uint32_t i = 0; i < job->n_used; i++)
        if (gf_mappings_holed(job->used[i])) {
            job->success = false;
            return gf_error_set(err, GF_E_BAD_ARENA, "%s", GF_HOLED);
        }
    return GF_OK;
}

void gf_worker_job_release(struct gf_worker_job *job, struct gf_worker_budget *budget, struct gf_mappings *mappings,
                           struct gf_buffers *buffers)
{
    for (uint32_t i = 0; i < job->n_made; i++)
        gf_buffers_made(buffers, job->made[i], job->success);
    job->n_made = 0;
    for (uint32_t i = 0; i < job->n_used; i++)
        gf_mappings_unuse(mappings, job->used[i]);
    job->n_used = 0;
    for (uint32_t i = 0; i < GF_MAX_OPERANDS; i++) {
        free(job->copies[i]);
        job->copies[i] = NULL;
    }
    gf_fused_deinit(&job->fused);
    gf_parsed_deinit(&job->parsed);
    (void)__atomic_sub_fetch(&budget->taken, job->taken, __ATOMIC_RELAXED);
    job->taken = 0;
}
