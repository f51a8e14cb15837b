/* SPDX-License-Identifier: MIT */
/*
 * Memory that a client allocates for its caller: blocks in kept arenas (memfds shared with the daemon), or ordinary
 * memory. Owns descriptors, mappings and blocks; knows on which connection an arena was declared. Used by client.c,
 * placement.c and share.c.
 */
#ifndef GF_CLIENT_MEMORY_H
#define GF_CLIENT_MEMORY_H

#include "protocol/base/error.h"
#include "protocol/base/view.h"

struct gf_block;

/* One memfd, mapped, whole in memory, sealed against any change of size. */
struct gf_arena {
    uint32_t id; /* on every connection; never used twice by a client */
    int fd;
    uint8_t *base;
    uint64_t size;
    uint64_t asked, declared; /* numbers of the connections it was sent on, accepted on last; 0: none */
    struct gf_block *blocks;  /* all of it, in order of address */
    struct gf_arena *next;
};

struct gf_memory {
    struct gf_arena *arenas;
    struct gf_block *plain; /* ordinary blocks */
    uint64_t arena_bytes;   /* of all arenas */
    uint32_t n_arenas;
    uint32_t next_id;
    uint64_t max_arena_bytes; /* as the daemon limits it */
    uint64_t max_arenas;
};

/* Nothing given out. */
void gf_memory_init(struct gf_memory *m);
/* Unmaps and frees all of it. */
void gf_memory_deinit(struct gf_memory *m);

/* A page-aligned block inside an arena, of a new one where needed. NO_MEMORY, TOO_LARGE: over the daemon's limits. */
enum gf_status gf_memory_shared(struct gf_memory *m, uint64_t size, void **ret_data, struct gf_error *err);
/* A page-aligned block of ordinary memory. NO_MEMORY. */
enum gf_status gf_memory_plain(struct gf_memory *m, uint64_t size, void **ret_data, struct gf_error *err);
/* Gives a block back; NULL and other pointers are ignored. */
void gf_memory_free(struct gf_memory *m, void *data);
/* Says that the daemon may still write to the block in which data lies, an arena's: once given back it is never given
 * out again, and its arena ends with the last block in use. Other pointers are ignored. */
void gf_memory_taint(struct gf_memory *m, const void *data);

/* The arena of this id; NULL. */
struct gf_arena *gf_memory_arena(struct gf_memory *m, uint32_t id);
/* The arena in which all of the view's bytes lie within one block, aligned to its elements; NULL: none. */
struct gf_arena *gf_memory_find(struct gf_memory *m, const void *data, const struct gf_view *view);

#endif
