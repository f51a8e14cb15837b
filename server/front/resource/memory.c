/* SPDX-License-Identifier: MIT */
/* Memory shared with workers; see memory.h. */
#include "memory.h"

void gf_memories_init(struct gf_memories *memories)
{
    *memories = (struct gf_memories){0};
    gf_node_init(&memories->list);
}

struct gf_memory *gf_memory_new(struct gf_memories *memories, int fd, uint64_t size, struct gf_charge *charge,
                                struct gf_charge *pin_charge)
{
    struct gf_memory *m = calloc(1, sizeof(*m));
    if (!m)
        return NULL;
    *m = (struct gf_memory){
        .memories = memories,
        .size = size,
        .key = ++memories->last_key,
        .refs = 1,
        .fd = fd,
        .staging = !charge,
        .pin = !charge || pin_charge->account,
    };
    if (charge) {
        m->charge = *charge;
        m->pin_charge = *pin_charge;
        *charge = *pin_charge = GF_CHARGE_NULL;
    }
    gf_list_push(&memories->list, &m->node);
    return m;
}

struct gf_memory *gf_memory_ref(struct gf_memory *memory)
{
    memory->refs++;
    return memory;
}

void gf_memory_unref(struct gf_memory *memory)
{
    if (!memory || --memory->refs > 0)
        return;
    if (memory->memories->gone)
        memory->memories->gone(memory->memories->data, memory);
    gf_list_remove(&memory->node);
    gf_charge_deinit(&memory->charge);
    gf_charge_deinit(&memory->pin_charge);
    gf_fd_closer_memory(memory->memories->closer, NULL, memory->fd);
    free(memory);
}
