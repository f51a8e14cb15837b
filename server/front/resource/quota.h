/* SPDX-License-Identifier: MIT */
/*
 * What each user and each connection holds, and how much they may hold. A charge lives in the thing it is charged for
 * and is released with it; no other code counts. Used by sessions, tasks, handles and memories.
 *
 * Three limits hold for each resource: the connection's, the user's, and the user's share of what the others leave of
 * the total. A user who is alone may have the complete total, or half of one derived from the machine. Beside others a
 * user may hold `a` if twice `a`, plus for each other user the smaller of `a` and its holding, fits into what the
 * others leave: with n others of whom none holds less, (n + 2) * a; a user who holds little takes little from the share
 * of others. So something is free after every grant. n users who take all that they can get end with total / 2n each of
 * short-lived resources; of long-lived ones, the n-th newcomer finds at least total / (n * (n + 1)) where each before
 * took all it could. A single unit is granted as long as there is one.
 */
#ifndef GF_FRONT_QUOTA_H
#define GF_FRONT_QUOTA_H

#include "server/front/base/list.h"
#include "server/front/base/users.h"

enum gf_resource {
    GF_RES_CONNECTIONS,
    GF_RES_REQUESTS, /* accepted and not yet answered */
    GF_RES_STAGING,  /* bytes of inline operands and results */
    GF_RES_ARENAS,   /* bytes of arenas */
    GF_RES_PINNED,   /* of these, bytes that devices may page-lock */
    GF_RES_HANDLES,
    GF_RES_RESIDENT, /* bytes of resident buffers */
    GF_RES_REPLIES,  /* bytes of answers to INFO that were not read yet */
    GF_RES_CLOSING,  /* descriptors that are not closed yet; never refused, see fd_closer.h */
    GF_RES_SCRATCH,  /* bytes that requests take in a worker beside operands and results (protocol/ops/footprint.h) */
    GF_N_RES
};

/* Of a connection, or of a user: then of all the user's connections. */
struct gf_account {
    struct gf_account *next; /* among users */
    struct gf_account *user; /* of a connection: whose it is; NULL: this is a user's */
    struct gf_quota *quota;
    uint64_t used[GF_N_RES];
    gf_user_id id;    /* who it counts as: see identity.h */
    gf_user_id owner; /* of a connection: the client's own uid, or the name that a proxy gave */
    uint32_t refs;
    struct gf_node waiters,
        waiting; /* of a user: requests that wait for room, and the place among users; wait_queue.c's */
    bool called;
    uint32_t closing; /* of a user: descriptors that processes of the closer have */
};

struct gf_quota {
    struct gf_account *users;
    /* May be changed at any time; what is held stays held. A total of 0 is none. */
    uint64_t per_user[GF_N_RES], per_connection[GF_N_RES], total[GF_N_RES];
    uint64_t alone[GF_N_RES];     /* of the total, what a user may hold beside whom nobody holds any */
    uint64_t used[GF_N_RES];      /* by all users */
    const char *who;              /* what a uid is in messages: "user" where it is NULL */
    const struct gf_users *names; /* of users who have one; NULL: of nobody */
};

struct gf_charge {
    struct gf_account *account; /* a connection's */
    enum gf_resource what;
    uint64_t amount;
};

#define GF_CHARGE_NULL ((struct gf_charge){0})

/* A new account for a connection of this user, with the id as owner too; NULL without memory. */
struct gf_account *gf_account_new(struct gf_quota *quota, gf_user_id id);
/* Charges keep accounts alive. Takes NULL. */
void gf_account_unref(struct gf_account *account);

/* Charges a connection and its user; QUOTA when one would hold more than is allowed, with who that is, what it holds,
 * the limit or share and the option that sets it. The charge lasts until gf_charge_deinit, which takes a null charge
 * too. */
enum gf_status gf_charge_init(struct gf_charge *charge, struct gf_account *account, enum gf_resource what,
                              uint64_t amount, struct gf_error *err);
void gf_charge_deinit(struct gf_charge *charge);

/* Whether this account alone, a connection's or a user's, may be charged so much more now. */
bool gf_quota_fits(const struct gf_account *account, enum gf_resource what, uint64_t amount);
/* The same if nobody else held anything: only others keep from it what it does not get then. */
bool gf_quota_within(const struct gf_account *account, enum gf_resource what, uint64_t amount);
/* The most that a connection could be charged if nobody held anything: beyond it waiting does not help. */
uint64_t gf_quota_limit(const struct gf_quota *quota, enum gf_resource what);
/* How many users hold any. */
uint64_t gf_quota_holders(const struct gf_quota *quota, enum gf_resource what);
/* The most that the user may come to hold as things are, by shares alone; UINT64_MAX without a total. */
uint64_t gf_quota_share(const struct gf_account *account, enum gf_resource what);

#endif
