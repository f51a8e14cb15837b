/* SPDX-License-Identifier: MIT */
/*
 * Shared memory that workers map: the front's staging segments and arenas of clients, known to workers by a key. Holds
 * the descriptor as long as there is a reference, so that every worker, also one started later, can be given it. Made
 * by staging and arenas, referred to by tasks, sent to workers by workers.c.
 */
#ifndef GF_FRONT_MEMORY_H
#define GF_FRONT_MEMORY_H

#include "fd_closer.h"
#include "server/front/base/list.h"

struct gf_memory;

/* All memories of a server. */
struct gf_memories {
    struct gf_node list;
    struct gf_fd_closer *closer; /* set by the owner, or NULL */
    uint32_t last_key;
    void (*gone)(void *data, const struct gf_memory *memory); /* nobody refers to it any more; NULL: nobody asks */
    void *data;
};

struct gf_memory {
    struct gf_node node;
    struct gf_memories *memories;
    struct gf_charge charge, pin_charge; /* of an arena */
    uint64_t size;
    uint64_t mapped; /* bit per worker index that has it mapped */
    uint32_t key, refs;
    int fd;
    bool staging;
    bool pin; /* devices may lock it in memory */
};

void gf_memories_init(struct gf_memories *memories);

/* Takes the descriptor and the charges on success; NULL without memory. One reference. Without charges it is staging;
 * an arena whose pin_charge is null is never pinned. */
struct gf_memory *gf_memory_new(struct gf_memories *memories, int fd, uint64_t size, struct gf_charge *charge,
                                struct gf_charge *pin_charge);
struct gf_memory *gf_memory_ref(struct gf_memory *memory);
/* Takes NULL. With the last reference the memory leaves the workers and the descriptor is closed. */
void gf_memory_unref(struct gf_memory *memory);

#endif
