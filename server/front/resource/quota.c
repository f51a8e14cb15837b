/* SPDX-License-Identifier: MIT */
/* Accounts of users and connections, and the charges on them; see quota.h. */
#include "quota.h"

#include <stdio.h>
#include <string.h>

#include "protocol/base/base.h"

/* One row per resource; an option is NULL if the limit is fixed. */
static const struct {
    const char *what, *per_user, *per_connection, *total;
} g_names[GF_N_RES] = {
    [GF_RES_CONNECTIONS] = {"connections", "user-connections", NULL, "max-connections"},
    [GF_RES_REQUESTS] = {"requests in flight", "user-requests", "in-flight", "request-total"},
    [GF_RES_STAGING] = {"bytes of inline data", "user-staging", "staging", "staging-max"},
    [GF_RES_ARENA_COUNT] = {"arenas", "user-arenas", "arenas", NULL},
    [GF_RES_ARENAS] = {"bytes of arenas", "user-arena-bytes", "arena-bytes", "arena-total"},
    [GF_RES_PINNED] = {"bytes of pinned arenas", "user-pinned-bytes", "pinned-bytes", "pinned-total"},
    [GF_RES_HANDLES] = {"handles", "user-handles", "handles", "handle-total"},
    [GF_RES_RESIDENT] = {"bytes of resident buffers", "user-resident-bytes", "resident-bytes", "resident-total"},
    [GF_RES_REPLIES] = {"bytes of unread answers", NULL, NULL, NULL},
    [GF_RES_CLOSING] = {"descriptors to close", NULL, NULL, NULL},
    [GF_RES_SCRATCH] = {"bytes between steps", "user-scratch-bytes", "user-scratch-bytes", NULL},
};

static struct gf_account *user_get(struct gf_quota *quota, gf_user_id id)
{
    for (struct gf_account *u = quota->users; u; u = u->next)
        if (u->id == id) {
            u->refs++;
            return u;
        }
    struct gf_account *u = calloc(1, sizeof(*u));
    if (!u)
        return NULL;
    *u = (struct gf_account){.next = quota->users, .quota = quota, .id = id, .owner = id, .refs = 1};
    gf_node_init(&u->waiters);
    gf_node_init(&u->waiting);
    quota->users = u;
    return u;
}

struct gf_account *gf_account_new(struct gf_quota *quota, gf_user_id id)
{
    struct gf_account *account = calloc(1, sizeof(*account)), *user = account ? user_get(quota, id) : NULL;
    if (!user) {
        free(account);
        return NULL;
    }
    *account = (struct gf_account){.user = user, .quota = quota, .id = id, .owner = id, .refs = 1};
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

uint64_t gf_quota_limit(const struct gf_quota *quota, enum gf_resource what)
{
    uint64_t limit = gf_min_u64(quota->per_user[what], quota->per_connection[what]);
    return quota->total[what] > 0 ? gf_min_u64(limit, quota->alone[what]) : limit;
}

/* What the other users leave of the total. */
static uint64_t rest_of(const struct gf_account *user, enum gf_resource what)
{
    const struct gf_quota *quota = user->quota;
    uint64_t others = quota->used[what] - user->used[what];
    return quota->total[what] > others ? quota->total[what] - others : 0;
}

/* Whether a user may come to hold this amount by the rule in quota.h. The comparison uses one unit less, so that the
 * last indivisible unit goes to the user who asks. */
static bool shares(const struct gf_account *user, enum gf_resource what, uint64_t amount)
{
    const struct gf_quota *quota = user->quota;
    if (quota->total[what] == 0 || amount == 0)
        return true;
    uint64_t rest = rest_of(user, what), less = amount - 1;
    if (quota->used[what] == user->used[what])
        return amount <= quota->alone[what];
    if (amount > rest || less >= rest - less)
        return false;
    rest -= 2 * less;
    for (const struct gf_account *u = quota->users; u; u = u->next) {
        uint64_t weight = u != user ? gf_min_u64(u->used[what], less) : 0;
        if (weight >= rest)
            return false;
        rest -= weight;
    }
    return true;
}

uint64_t gf_quota_share(const struct gf_account *account, enum gf_resource what)
{
    const struct gf_account *user = account->user ? account->user : account;
    if (user->quota->total[what] == 0)
        return UINT64_MAX;
    uint64_t lo = 0, hi = rest_of(user, what);
    while (lo < hi) {
        uint64_t mid = hi - (hi - lo) / 2;
        if (shares(user, what, mid))
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

uint64_t gf_quota_holders(const struct gf_quota *quota, enum gf_resource what)
{
    uint64_t n = 0;
    for (const struct gf_account *u = quota->users; u; u = u->next)
        n += u->used[what] > 0;
    return n;
}

static uint64_t limit_of(const struct gf_account *account, enum gf_resource what)
{
    return account->user ? account->quota->per_connection[what] : account->quota->per_user[what];
}

bool gf_quota_within(const struct gf_account *account, enum gf_resource what, uint64_t amount)
{
    const struct gf_quota *quota = account->quota;
    uint64_t sum;
    return gf_add_u64(account->used[what], amount, &sum) && sum <= limit_of(account, what) &&
           (account->user || quota->total[what] == 0 || sum <= quota->alone[what]);
}

bool gf_quota_fits(const struct gf_account *account, enum gf_resource what, uint64_t amount)
{
    return gf_quota_within(account, what, amount) &&
           (account->user || shares(account, what, account->used[what] + amount));
}

const char *gf_quota_who(const struct gf_quota *quota, gf_user_id user, char text[GF_WHO_TEXT])
{
    char name[GF_USER_TEXT];
    snprintf(text, GF_WHO_TEXT, "%s %s", quota->who && !gf_user_is_named(user) ? quota->who : "user",
             gf_user_text(quota->names, user, name));
    return text;
}

/* Sets the error text of a refusal: `limit` would be exceeded, `option` sets it. */
static enum gf_status refuse(struct gf_error *err, const struct gf_account *account, enum gf_resource what,
                             uint64_t amount, const char *limit, const char *option)
{
    char who[GF_WHO_TEXT] = "the connection";
    if (!err)
        return GF_E_QUOTA;
    account->quota->refused[what]++;
    if (!account->user)
        gf_quota_who(account->quota, account->id, who);
    gf_error_set(err, GF_E_QUOTA, "%s holds %llu %s; %llu more would exceed %s (%s)", who,
                 (unsigned long long)account->used[what], g_names[what].what, (unsigned long long)amount, limit,
                 option ? option : "fixed");
    err->needed = strncmp(g_names[what].what, "bytes ", 6) == 0 ? amount : 0;
    return GF_E_QUOTA;
}

static enum gf_status check(const struct gf_account *account, enum gf_resource what, uint64_t amount,
                            struct gf_error *err)
{
    uint64_t limit = limit_of(account, what), sum;
    char text[96];
    if (what == GF_RES_CLOSING) /* the descriptor has already arrived; fd_closer.c stops reading further ones */
        return GF_OK;
    if (!gf_add_u64(account->used[what], amount, &sum) || sum > limit) {
        snprintf(text, sizeof(text), "the limit of %llu", (unsigned long long)limit);
        return refuse(err, account, what, amount, text,
                      account->user ? g_names[what].per_connection : g_names[what].per_user);
    }
    if (account->user || shares(account, what, sum))
        return GF_OK;
    if (err)
        snprintf(text, sizeof(text), "the share of %llu of what others leave of %llu",
                 (unsigned long long)gf_quota_share(account, what), (unsigned long long)account->quota->total[what]);
    return refuse(err, account, what, amount, err ? text : "", g_names[what].total);
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
    account->quota->used[what] += amount;
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
    charge->account->quota->used[charge->what] -= charge->amount;
    gf_account_unref(charge->account);
    *charge = GF_CHARGE_NULL;
}
