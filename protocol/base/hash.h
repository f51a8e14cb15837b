/* SPDX-License-Identifier: MIT */
/*
 * Intrusive hash tables: members contain a struct gf_hash_node with a 64-bit key, which is unique in its table.
 * Finding, adding and removing take constant time on average for any keys, also for keys that an adversary chooses,
 * because the hash function depends on random bytes of the process. Not thread-safe.
 */
#ifndef GF_PROTOCOL_HASH_H
#define GF_PROTOCOL_HASH_H

#include <stdint.h>

#include "list.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_HASH_FEW 8u

struct gf_hash_node {
    struct gf_hash_node *next;
    uint64_t key;
};

/* Zero is an empty table. */
struct gf_hash {
    struct gf_hash_node **many; /* 2^bits chains; NULL: `few` are used */
    struct gf_hash_node *few[GF_HASH_FEW];
    uint32_t bits, count;
};

/* Frees the table, not its members. */
void gf_hash_deinit(struct gf_hash *hash);
/* Adds a member under a key that is not in the table. Without memory for a larger table, chains grow instead. */
void gf_hash_add(struct gf_hash *hash, uint64_t key, struct gf_hash_node *node);
/* The member with this key, or NULL. */
struct gf_hash_node *gf_hash_find(const struct gf_hash *hash, uint64_t key);
/* Removes a member of the table. */
void gf_hash_remove(struct gf_hash *hash, struct gf_hash_node *node);
/* Removes all members and returns them, linked by `next`. */
struct gf_hash_node *gf_hash_drain(struct gf_hash *hash);

#ifdef __cplusplus
}
#endif
#endif
