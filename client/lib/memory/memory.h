/* SPDX-License-Identifier: MIT */
/*
 * Memory that a client allocates for its caller: blocks in arenas (memfds shared with the daemon), or ordinary memory.
 * Owns descriptors, mappings and blocks, and knows on which connection an arena was declared. In the child of a fork
 * what it writes to the arenas is its own. Used by client.c, placement.c.
 */
#ifndef GF_CLIENT_MEMORY_H
#define GF_CLIENT_MEMORY_H

#include "protocol/base/error.h"

struct gf_arena;

/* A run of pages of an arena, or of ordinary memory. */
struct gf_block {
    uint8_t *data;
    uint64_t size;          /* of its pages */
    uint64_t length;        /* as requested */
    struct gf_arena *arena; /* NULL: ordinary memory */
    bool freed;             /* by the caller, while requests used it */
    /* Private to memory.c. */
    uint32_t users;        /* requests that may read or write it */
    bool used;             /* given out, and neither free nor lost */
    bool tainted;          /* becomes lost when it is freed */
    bool lost;             /* never given out again */
    struct gf_block *next; /* in the arena */
};

/* One memfd: mapped, fully allocated, sealed against any change of size. */
struct gf_arena {
    uint32_t id; /* on every connection; a client never reuses it */
    int fd;
    uint8_t *base;
    uint64_t size;
    uint64_t asked, declared; /* the latest connections on which it was sent and accepted; 0: none */
    struct gf_block *blocks;  /* all blocks, in order of address */
    struct gf_arena *next;
    struct gf_arena *next_in_process; /* private to memory.c */
};

struct gf_memory {
    struct gf_arena *arenas;
    void *blocks;         /* those given out, a search tree by address */
    uint64_t arena_bytes; /* of all arenas */
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
enum gf_status gf_memory_shared(struct gf_memory *m, uint64_t size, struct gf_block **ret_block, struct gf_error *err);
/* Allocates a page-aligned block of ordinary memory. NO_MEMORY. */
enum gf_status gf_memory_plain(struct gf_memory *m, uint64_t size, struct gf_block **ret_block, struct gf_error *err);
/* Frees a block, or has gf_memory_release free it if requests use it. False: data is no block of this memory, or was
 * freed. */
bool gf_memory_free(struct gf_memory *m, const void *data);

/* The block that contains an address, or NULL. It may be `freed`. */
struct gf_block *gf_memory_find(const struct gf_memory *m, const void *data);
/* Keeps a block until it is released as often. */
struct gf_block *gf_memory_hold(struct gf_block *b);
/* Accepts NULL. */
void gf_memory_release(struct gf_memory *m, struct gf_block *b);
/* Whether any of these bytes lies in an arena, in a block or not. */
bool gf_memory_touches(const struct gf_memory *m, const void *data, uint64_t bytes);
/* The daemon may still write to a block: once freed, a block of an arena is never reused, and the arena is released
 * with its last used block. Accepts NULL. */
void gf_memory_taint(struct gf_block *b);

/* The arena with this id, or NULL. */
struct gf_arena *gf_memory_arena(struct gf_memory *m, uint32_t id);

#endif
