/* SPDX-License-Identifier: MIT */
/* Lifetime of a task; see task.h. */
#include "task.h"

#include "protocol/clock.h"
#include "protocol/frame.h"

struct gf_task *gf_task_new(uint32_t n_memories, uint32_t n_needs, uint32_t n_targets)
{
    struct gf_task *task = calloc(1, sizeof(*task));
    if (!task)
        return NULL;
    gf_node_init(&task->node);
    gf_node_init(&task->mine);
    task->memories = calloc(n_memories + 1u, sizeof(struct gf_memory *));
    task->needs = calloc(n_needs + 1u, sizeof(struct gf_need));
    task->targets = calloc(n_targets + 1u, sizeof(struct gf_target));
    if (!task->memories || !task->needs || !task->targets)
        return gf_task_free(task);
    return task;
}

struct gf_task *gf_task_free(struct gf_task *task)
{
    if (!task)
        return NULL;
    gf_list_remove(&task->node);
    gf_list_remove(&task->mine);
    for (uint32_t i = 0; i < task->n_memories; i++)
        gf_memory_unref(task->memories[i]);
    gf_staging_release(task->slot);
    gf_charge_deinit(&task->request_charge);
    gf_charge_deinit(&task->staging_charge);
    free(task->memories);
    free(task->needs);
    free(task->targets);
    free(task->frame);
    free(task);
    return NULL;
}

void gf_task_freep(struct gf_task **task)
{
    gf_task_free(*task);
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
