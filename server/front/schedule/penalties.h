/* SPDX-License-Identifier: MIT */
/*
 * Worker deaths caused by a user's requests; they count against the user and not against the device. A user who causes
 * as many deaths in ten minutes as would set a device aside (worker-deaths) has further requests refused for a while,
 * so that the devices stay available to others. Kept and asked by the dispatcher, asked by the session/ files.
 */
#ifndef GF_FRONT_PENALTIES_H
#define GF_FRONT_PENALTIES_H

#include "server/front/resource/quota.h"

#define GF_PENALTIES_KEPT 64u

struct gf_penalties {
    struct {
        gf_user_id user;
        uint64_t ns;             /* 0: empty slot */
    } deaths[GF_PENALTIES_KEPT]; /* a ring buffer */
    uint32_t n;
};

/* A user whose requests are refused, and for how many seconds. */
struct gf_refused_user {
    gf_user_id user;
    uint64_t wait_s;
};

/* Adds this number of deaths to the user's count. */
void gf_penalties_add(struct gf_penalties *penalties, gf_user_id user, uint32_t deaths, uint64_t now_ns);
/* Seconds until a user has fewer than `limit` deaths in ten minutes; 0: already fewer. */
uint64_t gf_penalties_wait_s(const struct gf_penalties *penalties, gf_user_id user, uint64_t limit, uint64_t now_ns);
/* QUOTA, or SHUTDOWN for a client of a proxy, if requests of the account's user are refused. After SHUTDOWN the client
 * connects again, and the proxy may lead it to another server. */
enum gf_status gf_penalties_check(const struct gf_penalties *penalties, const struct gf_account *account,
                                  uint64_t limit, uint64_t now_ns, struct gf_error *err);
/* The users for whom gf_penalties_wait_s is not 0; returns their number. */
uint32_t gf_penalties_list(const struct gf_penalties *penalties, uint64_t limit, uint64_t now_ns,
                           struct gf_refused_user ret[GF_PENALTIES_KEPT]);
/* Forgets the deaths that count against a user. */
void gf_penalties_forgive(struct gf_penalties *penalties, gf_user_id user);

#endif
