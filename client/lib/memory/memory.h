/* SPDX-License-Identifier: MIT */
/*
 * Memory that a client allocates for its caller: blocks in arenas (memfds shared with the daemon), or ordinary memory.
 * Owns descriptors, mappings and blocks, and knows on which connection an arena was declared. Arenas that requests have
 * not needed lately are given back to the system as soon as they are empty. In the child of a fork what it writes to
 * the arenas is its own. Used by client.c, placement.c.
 */
#ifndef GF_CLIENT_MEMORY_H
#define GF_CLIENT_MEMORY_H

#include "protocol/base/error.h"

struct gf_arena;
struct gf_grave;

/* A run of pages of an arena, or of ordinary memory. */
struct gf_block {
    uint8_t *data;
    size_t size;            /* of its pages */
    uint64_t length;        /* as requested */
    struct gf_arena *arena; /* NULL: ordinary memory */
    bool freed;             /* by the caller, while requests used it */
    bool guarded;           /* its last page is none of it and cannot be accessed */
    /* Private to memory.c. */
    uint32_t users;               /* requests that may read or write it */
    bool used;                    /* given out, and neither free nor lost */
    bool tainted;                 /* becomes lost when it is freed */
    bool lost;                    /* never given out again */
    struct gf_block *prev, *next; /* in the arena */
};

/* One memfd: mapped, fully allocated, sealed against any change of size. */
struct gf_arena {
    uint32_t id; /* on every connection; a client never reuses it */
    int fd;
    uint8_t *base;
    size_t size;
    uint64_t asked, sent, declared; /* the latest connections on which its declaration was queued, sent and accepted;
                                     * 0: none */
    struct gf_arena *next;
    /* Private to memory.c. */
    struct gf_block *first;  /* of all blocks, in order of address */
    uint32_t n_used, n_lost; /* blocks */
    uint32_t n_holds;        /* of its blocks by requests */
    uint64_t needed;         /* when a request last released its blocks, counted in such events; 0: never */
    struct gf_arena *next_in_process;
};

struct gf_memory {
    struct gf_arena *arenas;
    uint64_t arena_bytes; /* of all arenas */
    uint32_t n_arenas;
    uint32_t next_id;
    uint64_t max_arena_bytes; /* the daemon's limit */
    uint64_t max_arenas;
    bool guards; /* blocks of the caller are guarded, and freed ones cannot be accessed until gf_memory_deinit */
    void (*removed)(void *user, const struct gf_arena *a); /* called before an arena is unmapped; may be NULL */
    void *user;
    /* Private to memory.c. */
    void *blocks;            /* those given out, a search tree by address */
    void *spare;             /* free blocks of arenas, a search tree by size */
    struct gf_grave *graves; /* addresses of arenas removed last; with `guards` of all memory that was freed */
    uint64_t busy;           /* bytes of the arenas that requests use */
    uint64_t needed[2];      /* the most of `busy` during the latest requests, and during as many before them */
    uint32_t n_ended;        /* of the latest requests */
    uint64_t n_needs;
};

/* Initialises without memory. */
void gf_memory_init(struct gf_memory *m);
/* Unmaps and frees all memory. */
void gf_memory_deinit(struct gf_memory *m);

/* Allocates a page-aligned block in an arena, a new one if needed. NO_MEMORY, TOO_LARGE: over the daemon's limits. */
enum gf_status gf_memory_shared(struct gf_memory *m, uint64_t size, struct gf_block **ret_block, struct gf_error *err);
/* Allocates a page-aligned block of ordinary memory. NO_MEMORY. */
enum gf_status gf_memory_plain(struct gf_memory *m, uint64_t size, struct gf_block **ret_block, struct gf_error *err);
/* The same for the library's own copies, in an arena or not: a block that is never guarded. */
enum gf_status gf_memory_staging(struct gf_memory *m, bool in_arena, uint64_t size, struct gf_block **ret_block,
                                 struct gf_error *err);
/* Frees a block, or has gf_memory_release free it if requests use it. False: data is no block of this memory, or was
 * freed. An arena without used blocks is removed, unless requests have needed as much lately. */
bool gf_memory_free(struct gf_memory *m, const void *data);

/* The block that contains an address, or NULL. It may be `freed`. */
struct gf_block *gf_memory_find(const struct gf_memory *m, const void *data);
/* Keeps a block for a request until it is released as often. */
struct gf_block *gf_memory_hold(struct gf_memory *m, struct gf_block *b);
/* Accepts NULL. */
void gf_memory_release(struct gf_memory *m, struct gf_block *b);
/* A request has ended and has released its blocks: what earlier requests needed counts less. */
void gf_memory_ended(struct gf_memory *m);
/* Whether any of these bytes lies in an arena, in a block or not, or in one of the arenas removed last: their addresses
 * are kept free. */
bool gf_memory_touches(const struct gf_memory *m, const void *data, uint64_t bytes);
/* The daemon may still write to a block: once freed, a block of an arena is never reused, and the arena is removed
 * with its last used block. Accepts NULL. */
void gf_memory_taint(struct gf_block *b);

/* The arena with this id, or NULL. */
struct gf_arena *gf_memory_arena(struct gf_memory *m, uint32_t id);

#endif
