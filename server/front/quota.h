/* SPDX-License-Identifier: MIT */
/*
 * What each user holds, and how much a user may hold. A charge lives in the thing it is charged for and is released
 * with it; nobody else counts. Used by sessions, tasks and memories.
 */
#ifndef GF_FRONT_QUOTA_H
#define GF_FRONT_QUOTA_H

#include <sys/types.h>

#include "protocol/error.h"

enum gf_resource {
    GF_RES_CONNECTIONS,
    GF_RES_REQUESTS, /* accepted and not yet answered */
    GF_RES_STAGING,  /* bytes of inline operands and results */
    GF_RES_ARENAS,   /* bytes of arenas */
    GF_RES_RESIDENT, /* bytes of resident buffers */
    GF_N_RES
};

struct gf_user {
    struct gf_user *next;
    struct gf_quota *quota;
    uint64_t used[GF_N_RES];
    uid_t uid;
    uint32_t refs;
};

struct gf_quota {
    struct gf_user *users;
    uint64_t per_user[GF_N_RES]; /* may be changed at any time; what is held stays held */
};

struct gf_charge {
    struct gf_user *user;
    enum gf_resource what;
    uint64_t amount;
};

#define GF_CHARGE_NULL ((struct gf_charge){0})

/* Finds or makes the account of a uid; NULL without memory. Released with gf_user_unref. */
struct gf_user *gf_user_get(struct gf_quota *quota, uid_t uid);
void gf_user_unref(struct gf_user *user);

/* Charges the user; QUOTA when it would hold more than is allowed, with what it holds and the limit. The charge keeps
 * the account alive until gf_charge_deinit, which takes a null charge too. */
enum gf_status gf_charge_init(struct gf_charge *charge, struct gf_user *user, enum gf_resource what, uint64_t amount,
                              struct gf_error *err);
void gf_charge_deinit(struct gf_charge *charge);

/* Whether a user who holds nothing could be charged so much: else waiting does not help. */
bool gf_quota_possible(const struct gf_quota *quota, enum gf_resource what, uint64_t amount);

#endif
