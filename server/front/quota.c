/* SPDX-License-Identifier: MIT */
/* Accounts of users and connections, and the charges on them; see quota.h. */
#include "quota.h"

#include <stdio.h>

static const struct {
    const char *what, *per_user, *per_connection; /* the options */
} g_names[GF_N_RES] = {
    [GF_RES_CONNECTIONS] = {"connections", "user-connections", NULL},
    [GF_RES_REQUESTS] = {"requests in flight", "user-requests", "in-flight"},
    [GF_RES_STAGING] = {"bytes of inline data", "user-staging", "staging"},
    [GF_RES_ARENAS] = {"bytes of arenas", "user-arena-bytes", "arena-bytes"},
    [GF_RES_PINNED] = {"bytes of pinned arenas", "user-pinned-bytes", "pinned-bytes"},
    [GF_RES_HANDLES] = {"handles", "user-handles", "handles"},
    [GF_RES_RESIDENT] = {"bytes of resident buffers", "user-resident-bytes", "resident-bytes"},
};

static struct gf_account *user_get(struct gf_quota *quota, uid_t uid)
{
    for (struct gf_account *u = quota->users; u; u = u->next)
        if (u->uid == uid) {
            u->refs++;
            return u;
        }
    struct gf_account *u = calloc(1, sizeof(*u));
    if (!u)
        return NULL;
    *u = (struct gf_account){.next = quota->users, .quota = quota, .uid = uid, .refs = 1};
    gf_node_init(&u->waiters);
    gf_node_init(&u->waiting);
    quota->users = u;
    return u;
}

struct gf_account *gf_account_new(struct gf_quota *quota, uid_t uid)
{
    struct gf_account *account = calloc(1, sizeof(*account)), *user = account ? user_get(quota, uid) : NULL;
    if (!user) {
        free(account);
        return NULL;
    }
    *account = (struct gf_account){.user = user, .quota = quota, .uid = uid, .refs = 1};
    return account;
}

static void user_unref(struct gf_account *user)
{
    if (--user->refs > 0)
        return;
    struct gf_account **at = &user->quota->users;
    while (*at != user)
        at = &(*at)->next;
    *at = user->next;
    free(user);
}

void gf_account_unref(struct gf_account *account)
{
    if (!account || --account->refs > 0)
        return;
    user_unref(account->user);
    free(account);
}

uint64_t gf_quota_most(const struct gf_quota *quota, enum gf_resource what)
{
    uint64_t user = quota->per_user[what], connection = quota->per_connection[what];
    return user < connection ? user : connection;
}

static uint64_t limit_of(const struct gf_account *account, enum gf_resource what)
{
    return account->user ? account->quota->per_connection[what] : account->quota->per_user[what];
}

bool gf_quota_fits(const struct gf_account *account, enum gf_resource what, uint64_t amount)
{
    uint64_t sum;
    return gf_add_u64(account->used[what], amount, &sum) && sum <= limit_of(account, what);
}

static enum gf_status check(const struct gf_account *account, enum gf_resource what, uint64_t amount,
                            struct gf_error *err)
{
    uint64_t held = account->used[what], limit = limit_of(account, what);
    if (gf_quota_fits(account, what, amount))
        return GF_OK;
    char who[32] = "the connection";
    if (!account->user)
        snprintf(who, sizeof(who), "user %u", (unsigned)account->uid);
    gf_error_set(err, GF_E_QUOTA, "%s holds %llu %s; %llu more would exceed the limit of %llu (%s)", who,
                 (unsigned long long)held, g_names[what].what, (unsigned long long)amount, (unsigned long long)limit,
                 account->user ? g_names[what].per_connection : g_names[what].per_user);
    if (err)
        err->needed = amount;
    return GF_E_QUOTA;
}

enum gf_status gf_charge_init(struct gf_charge *charge, struct gf_account *account, enum gf_resource what,
                              uint64_t amount, struct gf_error *err)
{
    enum gf_status status = check(account, what, amount, err);
    if (status == GF_OK)
        status = check(account->user, what, amount, err);
    if (status != GF_OK)
        return status;
    account->used[what] += amount;
    account->user->used[what] += amount;
    account->refs++;
    *charge = (struct gf_charge){.account = account, .what = what, .amount = amount};
    return GF_OK;
}

void gf_charge_deinit(struct gf_charge *charge)
{
    if (!charge->account)
        return;
    charge->account->used[charge->what] -= charge->amount;
    charge->account->user->used[charge->what] -= charge->amount;
    gf_account_unref(charge->account);
    *charge = GF_CHARGE_NULL;
}
