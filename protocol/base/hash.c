/* SPDX-License-Identifier: MIT */
/* Hash tables with chains; see hash.h. The hash is multiply-shift with a random odd factor (Dietzfelbinger et al.,
 * A Reliable Randomized Algorithm for the Closest-Pair Problem, 1997): two keys collide in a table of n chains with
 * probability at most 2/n. */
#include "hash.h"

#include <stdlib.h>
#include <sys/random.h>

#define FEW_BITS 3u

_Static_assert(GF_HASH_FEW == 1u << FEW_BITS, "few chains");

/* Odd and random, the same in all threads. Shortly after the machine has started, the kernel may have no random bytes
 * yet; the place of the process in memory must do then. */
static uint64_t factor(void)
{
    static uint64_t value;
    uint64_t old = __atomic_load_n(&value, __ATOMIC_RELAXED), f = (uintptr_t)&value;
    if (old != 0)
        return old;
    (void)!getrandom(&f, sizeof f, GRND_NONBLOCK);
    f |= 1;
    return __atomic_compare_exchange_n(&value, &old, f, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? f : old;
}

static struct gf_hash_node **chain_in(struct gf_hash_node **chains, uint32_t bits, uint64_t key)
{
    return &chains[key * factor() >> (64 - bits)];
}

static struct gf_hash_node **chain_of(const struct gf_hash *hash, uint64_t key)
{
    struct gf_hash_node **few = ((struct gf_hash *)hash)->few;
    return hash->many != NULL ? chain_in(hash->many, hash->bits, key) : chain_in(few, FEW_BITS, key);
}

void gf_hash_deinit(struct gf_hash *hash)
{
    free(hash->many);
    *hash = (struct gf_hash){.many = NULL};
}

/* Doubles the number of chains, if there is memory. */
static void grow(struct gf_hash *hash)
{
    uint32_t old = hash->many != NULL ? hash->bits : FEW_BITS, bits = old + 1;
    struct gf_hash_node **from = hash->many != NULL ? hash->many : hash->few, **to;
    to = calloc((size_t)1 << bits, sizeof(struct gf_hash_node *));
    if (to == NULL)
        return;
    for (size_t i = 0; i < (size_t)1 << old; i++)
        while (from[i] != NULL) {
            struct gf_hash_node *node = from[i], **chain = chain_in(to, bits, node->key);
            from[i] = node->next;
            node->next = *chain;
            *chain = node;
        }
    free(hash->many);
    hash->many = to;
    hash->bits = bits;
}

void gf_hash_add(struct gf_hash *hash, uint64_t key, struct gf_hash_node *node)
{
    if (hash->count >= 1u << (hash->many != NULL ? hash->bits : FEW_BITS))
        grow(hash);
    struct gf_hash_node **chain = chain_of(hash, key);
    *node = (struct gf_hash_node){.next = *chain, .key = key};
    *chain = node;
    hash->count++;
}

struct gf_hash_node *gf_hash_find(const struct gf_hash *hash, uint64_t key)
{
    struct gf_hash_node *node = *chain_of(hash, key);
    while (node != NULL && node->key != key)
        node = node->next;
    return node;
}

void gf_hash_remove(struct gf_hash *hash, struct gf_hash_node *node)
{
    struct gf_hash_node **at = chain_of(hash, node->key);
    while (*at != node)
        at = &(*at)->next;
    *at = node->next;
    hash->count--;
}

struct gf_hash_node *gf_hash_drain(struct gf_hash *hash)
{
    struct gf_hash_node **chains = hash->many != NULL ? hash->many : hash->few, *all = NULL;
    for (size_t i = 0; i < (size_t)1 << (hash->many != NULL ? hash->bits : FEW_BITS); i++)
        while (chains[i] != NULL) {
            struct gf_hash_node *node = chains[i];
            chains[i] = node->next;
            node->next = all;
            all = node;
        }
    hash->count = 0;
    return all;
}
