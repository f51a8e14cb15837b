/* SPDX-License-Identifier: MIT */
/*
 * Shared memory that workers map: the front's staging segments and clients' arenas. Workers know it by a key. The
 * descriptor is kept as long as there is a reference, so that it can be sent to every worker, including one that starts
 * later. Made by staging.c and arenas.c, referenced by tasks, sent to workers by workers.c.
 */
#ifndef GF_FRONT_MEMORY_H
#define GF_FRONT_MEMORY_H

#include "fd_closer.h"
#include "protocol/base/list.h"

struct gf_memory;

/* All shared memory of a server. */
struct gf_memories {
    struct gf_node list;
    struct gf_fd_closer *closer; /* set by the owner; may be NULL */
    uint64_t last_key;
    void (*gone)(void *data, const struct gf_memory *memory); /* called when the last reference is gone; may be NULL */
    void *data;
};

struct gf_memory {
    struct gf_node node;
    struct gf_memories *memories;
    struct gf_charge charge, pin_charge; /* of an arena */
    uint64_t size;
    uint64_t mapped; /* one bit per worker index that has it mapped */
    uint64_t key;    /* never used again */
    uint32_t refs;
    int fd;
    bool staging;
    bool pin; /* devices may page-lock it */
};

void gf_memories_init(struct gf_memories *memories);

/* Takes the descriptor and the charges on success; NULL without memory. The caller has one reference. Without charges
 * the memory is staging; an arena with a null pin_charge is never pinned. */
struct gf_memory *gf_memory_new(struct gf_memories *memories, int fd, uint64_t size, struct gf_charge *charge,
                                struct gf_charge *pin_charge);
struct gf_memory *gf_memory_ref(struct gf_memory *memory);
/* Drops a reference; accepts NULL. The last one removes the memory from the workers and closes the descriptor. */
void gf_memory_unref(struct gf_memory *memory);

#endif
