/* SPDX-License-Identifier: MIT */
/* Accounts per user and the charges on them; see quota.h. */
#include "quota.h"

static const char *const g_names[GF_N_RES] = {
    [GF_RES_CONNECTIONS] = "connections",
    [GF_RES_REQUESTS] = "requests in flight",
    [GF_RES_STAGING] = "bytes of inline data",
    [GF_RES_ARENAS] = "bytes of arenas",
    [GF_RES_RESIDENT] = "bytes of resident buffers",
};

struct gf_user *gf_user_get(struct gf_quota *quota, uid_t uid)
{
    for (struct gf_user *u = quota->users; u; u = u->next)
        if (u->uid == uid) {
            u->refs++;
            return u;
        }
    struct gf_user *u = calloc(1, sizeof(*u));
    if (!u)
        return NULL;
    *u = (struct gf_user){.next = quota->users, .quota = quota, .uid = uid, .refs = 1};
    quota->users = u;
    return u;
}

void gf_user_unref(struct gf_user *user)
{
    if (!user || --user->refs > 0)
        return;
    struct gf_user **at = &user->quota->users;
    while (*at != user)
        at = &(*at)->next;
    *at = user->next;
    free(user);
}

bool gf_quota_possible(const struct gf_quota *quota, enum gf_resource what, uint64_t amount)
{
    return amount <= quota->per_user[what];
}

enum gf_status gf_charge_init(struct gf_charge *charge, struct gf_user *user, enum gf_resource what, uint64_t amount,
                              struct gf_error *err)
{
    uint64_t limit = user->quota->per_user[what], held = user->used[what], sum;
    if (!gf_add_u64(held, amount, &sum) || sum > limit) {
        gf_error_set(err, GF_E_QUOTA, "user %u holds %llu %s; %llu more would exceed the limit of %llu",
                     (unsigned)user->uid, (unsigned long long)held, g_names[what], (unsigned long long)amount,
                     (unsigned long long)limit);
        if (err)
            err->needed = amount;
        return GF_E_QUOTA;
    }
    user->used[what] = sum;
    user->refs++;
    *charge = (struct gf_charge){.user = user, .what = what, .amount = amount};
    return GF_OK;
}

void gf_charge_deinit(struct gf_charge *charge)
{
    if (!charge->user)
        return;
    charge->user->used[charge->what] -= charge->amount;
    gf_user_unref(charge->user);
    *charge = GF_CHARGE_NULL;
}
