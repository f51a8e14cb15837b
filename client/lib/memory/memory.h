/* SPDX-License-Identifier: MIT */
/*
 * Memory that a client allocates for its caller: blocks in arenas (memfds shared with the daemon), or ordinary memory.
 * Owns descriptors, mappings and blocks, and knows on which connection an arena was declared. Used by client.c,
 * placement.c.
 */
#ifndef GF_CLIENT_MEMORY_H
#define GF_CLIENT_MEMORY_H

#include "protocol/base/error.h"
#include "protocol/base/view.h"

struct gf_block;

/* One memfd: mapped, fully allocated, sealed against any change of size. */
struct gf_arena {
    uint32_t id; /* on every connection; a client never reuses it */
    int fd;
    uint8_t *base;
    uint64_t size;
    uint64_t asked, declared; /* the latest connections on which it was sent and accepted; 0: none */
    struct gf_block *blocks;  /* all blocks, in order of address */
    struct gf_arena *next;
};

struct gf_memory {
    struct gf_arena *arenas;
    struct gf_block *plain; /* blocks of ordinary memory */
    uint64_t arena_bytes;   /* of all arenas */
    uint32_t n_arenas;
    uint32_t next_id;
    uint64_t max_arena_bytes; /* the daemon's limit */
    uint64_t max_arenas;
};

/* Initialises without memory. */
void gf_memory_init(struct gf_memory *m);
/* Unmaps and frees all memory. */
void gf_memory_deinit(struct gf_memory *m);

/* Allocates a page-aligned block in an arena, a new one if needed. NO_MEMORY, TOO_LARGE: over the daemon's limits. */
enum gf_status gf_memory_shared(struct gf_memory *m, uint64_t size, void **ret_data, struct gf_error *err);
/* Allocates a page-aligned block of ordinary memory. NO_MEMORY. */
enum gf_status gf_memory_plain(struct gf_memory *m, uint64_t size, void **ret_data, struct gf_error *err);
/* Frees a block; NULL and unknown pointers are ignored. */
void gf_memory_free(struct gf_memory *m, void *data);
/* The daemon may still write to the arena block that contains data: once freed, the block is never reused, and its
 * arena is released with the last used block. Unknown pointers are ignored. */
void gf_memory_taint(struct gf_memory *m, const void *data);

/* The arena with this id, or NULL. */
struct gf_arena *gf_memory_arena(struct gf_memory *m, uint32_t id);
/* The arena in which all bytes of the view lie within one block, aligned to its elements; NULL: none. */
struct gf_arena *gf_memory_find(struct gf_memory *m, const void *data, const struct gf_view *view);

#endif
