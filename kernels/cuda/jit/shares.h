/* SPDX-License-Identifier: MIT */
/*
 * What users hold of the things that they share: remembered programs, places for kernels, the queue of the compiler,
 * the room for files. If one of these is full, a user who wants more takes from the user who holds the most, if that
 * user still holds no less afterwards; otherwise the user gives up something of their own. So each of n users can have
 * at least an nth part, and has more while the others want less. Users who have not been here for a while, and users
 * who no longer fit the table, lose what they hold first. Used by jit.c, and by disk.c for files.
 */
#ifndef GF_JIT_SHARES_H
#define GF_JIT_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#define GF_JIT_USERS 64u           /* in the table; a further one replaces the one who was here longest ago */
#define GF_JIT_NOBODY GF_JIT_USERS /* holds what was left by users who are not in the table any more */
#define GF_JIT_AWAY_MS 600000u     /* after which a user who has not been here is away */

/* What is shared. */
enum gf_jit_pool { GF_JIT_POOL_TABLE, GF_JIT_POOL_PLACES, GF_JIT_POOL_QUEUE, GF_JIT_POOL_FILES, GF_JIT_N_POOLS };

struct gf_jit_user {
    uint64_t id;
    bool known;         /* otherwise the slot is free */
    uint64_t here_ns;   /* when the user was last here */
    uint64_t served_ns; /* of the compiling thread, as in start-time fair queueing */
    uint64_t due_ns;    /* of the compiling thread, not yet reported */
    uint32_t saved;     /* uses saved up, see GF_JIT_SWAP_USES */
    uint32_t broken;    /* consecutive times that the compiler broke at the user's programs */
    uint64_t on_ns;     /* when it is tried again for the user; 0: it is in use */
    uint32_t held[GF_JIT_N_POOLS];
};

struct gf_jit_shares {
    struct gf_jit_user users[GF_JIT_USERS + 1]; /* the last one is GF_JIT_NOBODY */
    uint32_t held[GF_JIT_N_POOLS];              /* by all */
};

/* The user's place in the table. GF_JIT_NOBODY: the user is not in the table. */
uint32_t gf_jit_shares_find(const struct gf_jit_shares *shares, uint64_t id);
/* The place for a new user: a free one, or that of the user who was here longest ago. */
uint32_t gf_jit_shares_place(const struct gf_jit_shares *shares);
/* Whether the user is away. */
bool gf_jit_shares_is_away(const struct gf_jit_shares *shares, uint32_t user, uint64_t now_ns);

/* Counts `n` more as held by the user; n may be negative. */
void gf_jit_shares_hold(struct gf_jit_shares *shares, enum gf_jit_pool pool, uint32_t user, int32_t n);
/* How willingly `from` loses something of a pool to `to`: of all that could go, what has the highest rank goes, among
 * equals what was used longest ago. 0: not at all. */
uint32_t gf_jit_shares_rank(const struct gf_jit_shares *shares, enum gf_jit_pool pool, uint32_t from, uint32_t to,
                            uint64_t now_ns);
/* How much of a pool the user can take from others until the user holds `n` more. */
uint32_t gf_jit_shares_spare(const struct gf_jit_shares *shares, enum gf_jit_pool pool, uint32_t user, uint32_t n,
                             uint64_t now_ns);

#endif
