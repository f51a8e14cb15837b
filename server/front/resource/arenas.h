/* SPDX-License-Identifier: MIT */
/*
 * Arenas: memory that a client allocates, sends once and then refers to by number. Checks the descriptor and keeps the
 * table of one connection. The front never maps an arena. Called by sessions.
 */
#ifndef GF_FRONT_ARENAS_H
#define GF_FRONT_ARENAS_H

#include "memory.h"
#include "protocol/base/hash.h"

struct gf_arena {
    struct gf_node node;       /* in the table's `list` or `dropping` */
    struct gf_hash_node by_id; /* until it is removed */
    struct gf_charge count_charge;
    struct gf_memory *memory;
    uint64_t drop_request; /* id of the ARENA_DROP that waits until no request uses the arena */
    uint32_t id;
    bool dropping;
};

/* The arenas of one connection. */
struct gf_arenas {
    struct gf_node list, dropping;
    struct gf_hash by_id;
};

void gf_arenas_init(struct gf_arenas *arenas);
/* Drops all arenas; a request that uses one keeps its memory. */
void gf_arenas_deinit(struct gf_arenas *arenas);

/* Sets the error text for a descriptor that is not memory, given its open flags. BAD_ARENA. */
enum gf_status gf_arenas_refuse(int flags, struct gf_error *err);

/* Checks the descriptor, which is memory, and takes it on success. EXISTS, QUOTA, BAD_ARENA, NO_MEMORY. */
enum gf_status gf_arenas_add(struct gf_arenas *arenas, struct gf_memories *memories, struct gf_account *account,
                             uint32_t id, uint64_t size, int fd, struct gf_error *err);
/* Finds an arena that a request may use; NO_SUCH_ARENA if it is unknown or being dropped. */
enum gf_status gf_arenas_find(struct gf_arenas *arenas, uint32_t id, struct gf_arena **ret_arena, struct gf_error *err);
/* The arena is dropped once no request uses it, as the answer to this request. */
void gf_arenas_drop(struct gf_arenas *arenas, struct gf_arena *arena, uint64_t request);
/* Removes an arena from the table. */
void gf_arenas_remove(struct gf_arenas *arenas, struct gf_arena *arena);

#endif
