/* SPDX-License-Identifier: MIT */
/* Numbers for the names of users; see users.h. */
#include "users.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/text.h"

/* The number of a named user: its slot in the low bits and a counter above them; the sum starts above the range of
 * uids. */
#define PLACE_BITS 10u
#define FIRST_NAMED ((gf_user_id)1 << 32)

_Static_assert(GF_MAX_NAMES == 1u << PLACE_BITS, "PLACE_BITS must address every slot");

static uint32_t place_of(gf_user_id user)
{
    return (uint32_t)(user & (GF_MAX_NAMES - 1));
}

static struct gf_name *find(struct gf_users *users, const char *name, size_t size)
{
    for (uint32_t i = 0; i < users->n; i++)
        if (strncmp(users->names[i].text, name, size) == 0 && users->names[i].text[size] == '\0')
            return &users->names[i];
    return NULL;
}

/* A free slot, or the least recently used one without connections; NULL if all have connections. */
static struct gf_name *make_room(struct gf_users *users)
{
    if (users->n < GF_MAX_NAMES)
        return &users->names[users->n++];
    struct gf_name *oldest = NULL;
    for (uint32_t i = 0; i < GF_MAX_NAMES; i++) {
        struct gf_name *name = &users->names[i];
        if (name->refs == 0 && (!oldest || name->used < oldest->used))
            oldest = name;
    }
    return oldest;
}

/* A name must be one value of a label and one word of a log line, and no other name may look like it. */
static enum gf_status check(const char *name, size_t size, struct gf_error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+@:/";
    char text[GF_USER_NAME + 1];
    if (size == 0 || size > GF_USER_NAME)
        return gf_error_set(err, GF_E_NOT_PERMITTED, "the certificate's common name has %zu bytes; allowed: 1..%u",
                            size, GF_USER_NAME);
    memcpy(text, name, size);
    text[size] = '\0';
    if (strspn(text, allowed) == size)
        return GF_OK;
    return gf_error_set(err, GF_E_NOT_PERMITTED,
                        "the certificate's common name '%s' must consist of ASCII letters, digits and the characters "
                        ". _ - + @ : /",
                        gf_text_clean(text));
}

enum gf_status gf_user_named(struct gf_users *users, const char *name, size_t size, gf_user_id *ret_user,
                             gf_user_id *ret_forgotten, struct gf_error *err)
{
    *ret_forgotten = 0;
    enum gf_status status = check(name, size, err);
    if (status != GF_OK)
        return status;
    struct gf_name *found = find(users, name, size);
    if (!found) {
        found = make_room(users);
        if (!found)
            return gf_error_set(err, GF_E_QUOTA, "the limit of %u certificate names with connections is reached",
                                GF_MAX_NAMES);
        *ret_forgotten = found->id;
        *found =
            (struct gf_name){.id = FIRST_NAMED + (users->clock << PLACE_BITS) + (gf_user_id)(found - users->names)};
        memcpy(found->text, name, size);
    }
    found->used = ++users->clock;
    found->refs++;
    *ret_user = found->id;
    return GF_OK;
}

void gf_user_unref(struct gf_users *users, gf_user_id user)
{
    if (gf_user_is_named(user))
        users->names[place_of(user)].refs--;
}

const char *gf_user_text(const struct gf_users *users, gf_user_id user, char text[GF_USER_TEXT])
{
    if (!gf_user_is_named(user))
        snprintf(text, GF_USER_TEXT, "%" PRIu64, user);
    else
        snprintf(text, GF_USER_TEXT, "CN=%s",
                 users && users->names[place_of(user)].id == user ? users->names[place_of(user)].text : "?");
    return text;
}
