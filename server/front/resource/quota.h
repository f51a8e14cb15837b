/* SPDX-License-Identifier: MIT */
/*
 * What each user and each connection holds, and how much they may hold. A charge lives in the object that it is charged
 * for and is released with the object; no other code counts. Used by sessions, tasks, handles and memory.
 *
 * Three limits apply to each resource: the connection's, the user's, and the user's share of what the other users leave
 * of the total. A user who is alone may hold the whole total, or half of a total that is derived from the machine.
 * Beside other users, a user may hold `a` if the following sum fits into what the others leave: 2a, plus for each other
 * user the smaller of `a` and that user's holding. With n others who each hold at least `a`, the sum is (n + 2) * a; a
 * user who holds little takes little from the shares of the others. Some of the total is therefore free after every
 * grant. If n users each take all they can get, each ends with total / 2n of a short-lived resource; of a long-lived
 * resource, the n-th user to arrive still finds at least total / (n * (n + 1)). A single unit is granted as long as one
 * is free.
 */
#ifndef GF_FRONT_QUOTA_H
#define GF_FRONT_QUOTA_H

#include "protocol/base/list.h"
#include "server/front/base/users.h"

enum gf_resource {
    GF_RES_CONNECTIONS,
    GF_RES_REQUESTS, /* accepted and not answered yet */
    GF_RES_STAGING,  /* bytes of inline operands and results */
    GF_RES_ARENA_COUNT,
    GF_RES_ARENAS, /* bytes of arenas */
    GF_RES_PINNED, /* bytes of arenas that devices may page-lock */
    GF_RES_HANDLES,
    GF_RES_RESIDENT, /* bytes of resident buffers */
    GF_RES_REPLIES,  /* bytes of answers to INFO that the client has not read yet */
    GF_RES_CLOSING,  /* descriptors not closed yet; never refused, see fd_closer.h */
    GF_RES_SCRATCH,  /* bytes that requests need in a worker besides operands and results (protocol/ops/footprint.h) */
    GF_N_RES
};

/* The account of a connection, or of a user for all its connections. */
struct gf_account {
    struct gf_account *next; /* in the list of users */
    struct gf_account *user; /* the user of a connection; NULL in a user's account */
    struct gf_quota *quota;
    uint64_t used[GF_N_RES];
    gf_user_id id;    /* the identity that is accounted, see identity.h */
    gf_user_id owner; /* of a connection: the client's own uid, or the name given by a proxy */
    uint32_t refs;
    struct gf_node waiters,
        waiting; /* of a user: requests that wait for room, and the user's place in the queue; owned by wait_queue.c */
    bool called;
    uint32_t closing; /* of a user: descriptors held by closer processes */
};

struct gf_quota {
    struct gf_account *users;
    /* May change at any time; what is already held stays held. A total of 0 means no total. */
    uint64_t per_user[GF_N_RES], per_connection[GF_N_RES], total[GF_N_RES];
    uint64_t alone[GF_N_RES];     /* the part of the total that a user may hold if no other user holds any */
    uint64_t used[GF_N_RES];      /* by all users */
    uint64_t refused[GF_N_RES];   /* refusals since the start; a charge that is tried without an error's text is none */
    const char *who;              /* the word for a uid in messages; NULL: "user" */
    const struct gf_users *names; /* names of users that have one; may be NULL */
};

struct gf_charge {
    struct gf_account *account; /* of a connection */
    enum gf_resource what;
    uint64_t amount;
};

#define GF_CHARGE_NULL ((struct gf_charge){0})

#define GF_WHO_TEXT (GF_USER_TEXT + 16u)

/* "user 1000", "cgroup 4711", "user CN=alice": a user in messages. Returns text. */
const char *gf_quota_who(const struct gf_quota *quota, gf_user_id user, char text[GF_WHO_TEXT]);

/* A new account for a connection of this user, with the same id as owner; NULL without memory. */
struct gf_account *gf_account_new(struct gf_quota *quota, gf_user_id id);
/* Drops a reference; accepts NULL. Every charge holds one. */
void gf_account_unref(struct gf_account *account);

/* Charges a connection and its user. QUOTA if either would exceed a limit; the text names the holder, what it holds,
 * the limit or share, and the option that sets it. The charge lasts until gf_charge_deinit, which accepts a null
 * charge. Without `err` a charge that does not fit is not refused: the caller waits, or does without. */
enum gf_status gf_charge_init(struct gf_charge *charge, struct gf_account *account, enum gf_resource what,
                              uint64_t amount, struct gf_error *err);
void gf_charge_deinit(struct gf_charge *charge);

/* Whether this account alone, of a connection or a user, may be charged this amount now. */
bool gf_quota_fits(const struct gf_account *account, enum gf_resource what, uint64_t amount);
/* The same if no other user held anything: if true, only other users' holdings can prevent the charge. */
bool gf_quota_within(const struct gf_account *account, enum gf_resource what, uint64_t amount);
/* The most that a connection could be charged if nothing were held: for more, waiting does not help. */
uint64_t gf_quota_limit(const struct gf_quota *quota, enum gf_resource what);
/* How many users hold some of the resource. */
uint64_t gf_quota_holders(const struct gf_quota *quota, enum gf_resource what);
/* The most that the user may hold at present, by shares alone; UINT64_MAX without a total. */
uint64_t gf_quota_share(const struct gf_account *account, enum gf_resource what);

#endif
