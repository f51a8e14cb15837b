/* SPDX-License-Identifier: MIT */
/*
 * Users, the unit of limits, shares, scheduling, metrics and log lines. A user is a number. Below 2^32 it is a uid or a
 * stand-in for one (identity.h); above, it stands for the common name of a certificate that a proxy vouches for
 * (session/proxied.h). A name is looked up once per connection; all other code compares numbers. A number is never
 * reused for another name. Owned by server.c; sessions take and release the names of their clients.
 */
#ifndef GF_FRONT_USERS_H
#define GF_FRONT_USERS_H

#include "protocol/base/error.h"

typedef uint64_t gf_user_id;

#define GF_USER_NAME 64u                /* bytes of a name: the X.520 limit of a common name */
#define GF_USER_TEXT (GF_USER_NAME + 4) /* room for "CN=" and a name, or for a uid */
/* Known names. A new name beyond this limit replaces the least recently used one without connections. */
#define GF_MAX_NAMES 1024u

struct gf_users {
    struct gf_name {
        gf_user_id id;
        uint64_t used; /* value of `clock` at the last connection */
        uint32_t refs; /* open connections */
        char text[GF_USER_NAME + 1];
    } names[GF_MAX_NAMES];
    uint32_t n;
    uint64_t clock; /* counts connections */
};

/* The number of a name, with a reference that the caller releases by gf_user_unref. If the name replaces another one,
 * *ret_forgotten is the number of the replaced name, otherwise 0. NOT_PERMITTED for a name that is empty, too long, or
 * contains anything but ASCII letters, digits and . _ - + @ : /; QUOTA if every known name has connections. */
enum gf_status gf_user_named(struct gf_users *users, const char *name, size_t size, gf_user_id *ret_user,
                             gf_user_id *ret_forgotten, struct gf_error *err);
/* Releases a reference when a connection ends; does nothing for a uid. */
void gf_user_unref(struct gf_users *users, gf_user_id user);

static inline bool gf_user_is_named(gf_user_id user)
{
    return user > UINT32_MAX;
}

/* The text of a user in log lines, messages and metrics: "1000", or "CN=alice" for a name. A forgotten name is "CN=?",
 * and so is any name if users is NULL. Returns text. */
const char *gf_user_text(const struct gf_users *users, gf_user_id user, char text[GF_USER_TEXT]);

#endif
