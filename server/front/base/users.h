/* SPDX-License-Identifier: MIT */
/*
 * Users: who limits, shares, scheduling, figures and log lines tell apart. A user is a number. Below 2^32 it is a uid,
 * or what stands for one (identity.h); above, it stands for the name of a certificate, for which a proxy vouches
 * (session/proxied.h). A name is looked up once per connection; all else compares numbers. A number is never given to a
 * second name. Owned by server.c; names are taken and given back by the sessions of their clients.
 */
#ifndef GF_FRONT_USERS_H
#define GF_FRONT_USERS_H

#include "protocol/base/error.h"

typedef uint64_t gf_user_id;

#define GF_USER_NAME 64u                /* bytes of a name: as long as X.520 lets a common name be */
#define GF_USER_TEXT (GF_USER_NAME + 4) /* room for "CN=" and a name, or a uid */
/* Names that are known. One more takes the place of the one that has had no connection for longest. */
#define GF_MAX_NAMES 1024u

struct gf_users {
    struct gf_name {
        gf_user_id id;
        uint64_t used; /* when it was asked for last, in connections */
        uint32_t refs; /* connections */
        char text[GF_USER_NAME + 1];
    } names[GF_MAX_NAMES];
    uint32_t n;
    uint64_t clock; /* connections so far */
};

/* The number of a name, with a reference to be given back by gf_user_unref. Where it takes the place of another name,
 * *ret_forgotten is that one's number, else 0. NOT_PERMITTED for a name that is empty, too long, no UTF-8, or has a
 * control character, '"' or '\'; QUOTA when every known name has connections. */
enum gf_status gf_user_named(struct gf_users *users, const char *name, size_t size, gf_user_id *ret_user,
                             gf_user_id *ret_forgotten, struct gf_error *err);
/* A connection of this user ended; does nothing for a uid. */
void gf_user_unref(struct gf_users *users, gf_user_id user);

static inline bool gf_user_is_named(gf_user_id user)
{
    return user > UINT32_MAX;
}

/* "1000", or "CN=alice" of a name: what log lines, messages and figures have. A name that was forgotten, or any where
 * users is NULL, is "CN=?". Returns text. */
const char *gf_user_text(const struct gf_users *users, gf_user_id user, char text[GF_USER_TEXT]);

#endif
