/* SPDX-License-Identifier: MIT */
/* Lifetime, buffers and answer of a task; see task.h. */
#include "task.h"

#include <string.h>

#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "protocol/wire/frame.h"

struct gf_task *gf_task_new(const struct gf_program *program)
{
    struct gf_task *task = calloc(1, sizeof(*task));
    if (!task)
        return NULL;
    gf_node_init(&task->node);
    gf_node_init(&task->mine);
    task->memories = calloc(program->n_operands + program->n_results + 1u, sizeof(struct gf_memory *));
    task->work.needs = calloc(program->n_steps + 1u, sizeof(struct gf_step_cost));
    task->targets = calloc(program->n_results + 1u, sizeof(struct gf_target));
    task->reads = calloc(program->n_operands + 1u, sizeof(struct gf_handle *));
    task->makes = calloc(program->n_results + 1u, sizeof(struct gf_handle *));
    if (!task->memories || !task->work.needs || !task->targets || !task->reads || !task->makes)
        return gf_task_free(task);
    return task;
}

static void let_go(struct gf_handle **handles, uint32_t *n)
{
    while (*n > 0)
        gf_handle_unref(handles[--*n]);
}

struct gf_task *gf_task_free(struct gf_task *task)
{
    if (!task)
        return NULL;
    gf_list_remove(&task->node);
    gf_list_remove(&task->mine);
    for (uint32_t i = 0; i < task->n_memories; i++)
        gf_memory_unref(task->memories[i]);
    let_go(task->reads, &task->n_reads);
    let_go(task->makes, &task->n_makes);
    free(task->split);
    gf_staging_release(task->slot);
    gf_charge_deinit(&task->request_charge);
    gf_charge_deinit(&task->staging_charge);
    gf_charge_deinit(&task->scratch_charge);
    free(task->memories);
    free(task->work.needs);
    free(task->targets);
    free(task->reads);
    free(task->makes);
    free(task->frame);
    free(task);
    return NULL;
}

void gf_task_freep(struct gf_task **task)
{
    gf_task_free(*task);
}

bool gf_task_blocked(const struct gf_task *task)
{
    for (uint32_t i = 0; i < task->n_reads; i++)
        if (task->reads[i]->state != GF_HANDLE_READY)
            return true;
    return false;
}

enum gf_status gf_task_check_reads(const struct gf_task *task, struct gf_error *err)
{
    for (uint32_t i = 0; i < task->n_reads; i++) {
        const struct gf_handle *handle = task->reads[i];
        if (handle->state == GF_HANDLE_LOST)
            return gf_error_set(err, GF_E_HANDLE_LOST, "the worker that had handle %u died", handle->id);
        if (handle->state == GF_HANDLE_FAILED)
            return gf_error_set(err, GF_E_DEPENDENCY, "the request that should have made handle %u failed", handle->id);
    }
    return GF_OK;
}

void gf_task_settle(struct gf_task *task, enum gf_status status)
{
    for (uint32_t i = 0; i < task->n_makes; i++)
        gf_handle_settle(task->makes[i], status);
    let_go(task->reads, &task->n_reads);
    let_go(task->makes, &task->n_makes);
}

bool gf_task_stamp_deadline(struct gf_task *task, uint64_t now_ns)
{
    if (task->deadline_ns == 0)
        return true;
    if (now_ns >= task->deadline_ns)
        return false;
    uint64_t ms = (task->deadline_ns - now_ns + GF_NS_PER_MS - 1) / GF_NS_PER_MS;
    uint8_t *body = task->frame + GF_HEADER_SIZE;
    struct gf_reader r = {.data = body, .size = task->frame_size - GF_HEADER_SIZE};
    struct gf_attr attr;
    while (gf_attr_next(&r, &attr, NULL) == 1 && attr.id != GF_ATTR_OPERAND)
        if (attr.id == GF_ATTR_DEADLINE_MS)
            gf_store_u32(body + (attr.value - body), (uint32_t)ms);
    return true;
}

bool gf_task_is_answered_by(const struct gf_task *task, const struct gf_run_reply *reply)
{
    const struct gf_task *whole = task->whole ? task->whole : task;
    if (reply->n_outputs != whole->n_targets)
        return false;
    for (uint32_t i = 0; i < reply->n_outputs; i++) {
        const struct gf_view *got = &reply->outputs[i].view, *want = &whole->targets[i].view;
        if (!gf_view_same_shape(got, want) || got->pitch != want->pitch)
            return false;
    }
    return true;
}

/* Inserts the wait for a device ahead of the worker's spans. */
static void trace_queue(const struct gf_task *task, uint8_t *spans, struct gf_run_reply *reply)
{
    uint32_t n = reply->n_spans < GF_MAX_SPANS ? reply->n_spans : GF_MAX_SPANS - 1;
    gf_span_store(spans, &(struct gf_span){.stage = GF_STAGE_QUEUE,
                                           .step = GF_NO_STEP,
                                           .begin = task->received_ns,
                                           .length = reply->times.queue});
    if (n > 0)
        memcpy(spans + GF_RECORD_SPAN, reply->spans, (size_t)n * GF_RECORD_SPAN);
    reply->spans = spans;
    reply->n_spans = n + 1;
}

void gf_task_encode_reply(const struct gf_task *task, const struct gf_run_reply *from, struct gf_writer *w)
{
    struct gf_run_reply reply = *from;
    /* The reason for the choice of device comes first, then the worker's remarks on how it ran. */
    memcpy(reply.why, task->why, sizeof(reply.why));
    if (from->why[0] != '\0')
        gf_text_append(reply.why, sizeof(reply.why), "%s%s", reply.why[0] != '\0' ? "; " : "", from->why);
    reply.times.queue = task->started_ns - task->received_ns;
    reply.times.total = gf_now_ns() - task->received_ns;
    for (uint32_t i = 0; i < reply.n_outputs; i++)
        reply.outputs[i].offset = task->targets[i].offset;
    uint8_t spans[GF_MAX_SPANS * GF_RECORD_SPAN];
    if (task->trace)
        trace_queue(task, spans, &reply);
    gf_run_reply_encode(w, &reply);
}
