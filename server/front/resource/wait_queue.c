/* SPDX-License-Identifier: MIT */
/*
 * Requests that wait for memory or a quota, and which one is next; see wait_queue.h. Sets of resources are bit masks
 * indexed by enum gf_resource.
 */
#include "wait_queue.h"

void gf_wait_queue_init(struct gf_wait_queue *w, struct gf_staging *staging, void (*call)(struct gf_waiter *waiter))
{
    *w = (struct gf_wait_queue){.staging = staging, .call = call};
    gf_node_init(&w->users);
}

void gf_waiter_init(struct gf_waiter *waiter, struct gf_account *account)
{
    *waiter = (struct gf_waiter){.account = account};
    gf_node_init(&waiter->node);
}

static struct gf_waiter *waiter_of(struct gf_node *node)
{
    return gf_container(node, struct gf_waiter, node);
}

static bool waits(const struct gf_waiter *waiter)
{
    return !gf_list_empty(&waiter->node);
}

static uint32_t needed(const struct gf_waiter *waiter)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < GF_N_RES; i++)
        set |= (uint32_t)(waiter->need[i] > 0) << i;
    return set;
}

/* The resources that the account cannot have, on top of what another waiter of its user is about to take. */
static uint32_t lacking(const struct gf_account *account, const struct gf_waiter *waiter, const struct gf_waiter *other)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < GF_N_RES; i++) {
        uint64_t both;
        if (waiter->need[i] > 0 && (!gf_add_u64(waiter->need[i], other ? other->need[i] : 0, &both) ||
                                    !gf_quota_fits(account, (enum gf_resource)i, both)))
            set |= 1u << i;
    }
    return set;
}

/* Other requests are held back for a waiting one only if its user would hold at most this fraction of staging. */
#define LARGE_SHARE 4u

/* Whether a request may go ahead of the one that waits for staging. With n users who hold or request staging, each may
 * hold less than a quarter of an n-th before it must queue behind that request. A request for a quarter of staging is
 * therefore never starved by small ones, and a request that waits for a slow reader does not block all others. */
static bool may_pass(const struct gf_wait_queue *w, const struct gf_waiter *waiter)
{
    const struct gf_account *user = waiter->account->user;
    uint64_t n = gf_quota_holders(user->quota, GF_RES_STAGING) + 1;
    return !w->next_in_staging || w->next_in_staging == waiter ||
           user->used[GF_RES_STAGING] + waiter->need[GF_RES_STAGING] < w->staging->max / (LARGE_SHARE * n);
}

/* Whether only staging held by other users keeps this request out, and the request may hold others back: not if its
 * user would then hold much. */
static bool is_kept_out(const struct gf_wait_queue *w, const struct gf_waiter *waiter, uint32_t lack)
{
    const struct gf_account *user = waiter->account->user;
    uint64_t held = user->used[GF_RES_STAGING], need = waiter->need[GF_RES_STAGING];
    return lack == 1u << GF_RES_STAGING && gf_quota_within(user, GF_RES_STAGING, need) &&
           (held == 0 || held + need <= w->staging->max / LARGE_SHARE);
}

/* The limits were lowered below what the request needs: it is called in order to be refused. */
static bool can_never_fit(const struct gf_waiter *waiter)
{
    for (uint32_t i = 0; i < GF_N_RES; i++)
        if (waiter->need[i] > gf_quota_limit(waiter->account->quota, (enum gf_resource)i))
            return true;
    return false;
}

bool gf_wait_queue_may_go(const struct gf_wait_queue *w, const struct gf_waiter *waiter)
{
    struct gf_account *user = waiter->account->user;
    uint32_t taken = lacking(waiter->account, waiter, NULL) | lacking(user, waiter, NULL), need = needed(waiter);
    if (taken != 0)
        return false;
    if (waiter->called)
        return true;
    gf_list_each(it, after, &user->waiters)
    {
        const struct gf_waiter *other = waiter_of(it);
        if (other == waiter)
            break;
        taken |= other->called ? lacking(user, waiter, other) : lacking(user, other, NULL);
        if (lacking(other->account, other, NULL) == 0) /* it waits for the daemon's staging, or is about to take some */
            taken |= needed(other) & 1u << GF_RES_STAGING;
        if (taken & need)
            return false;
    }
    bool staging = waiter->need[GF_RES_STAGING] > 0;
    return !staging || may_pass(w, waiter);
}

void gf_wait_queue_add(struct gf_wait_queue *w, struct gf_waiter *waiter)
{
    struct gf_account *user = waiter->account->user;
    if (waiter->called)
        user->called = waiter->called = false;
    if (waits(waiter))
        return;
    if (gf_list_empty(&user->waiters))
        gf_list_push(&w->users, &user->waiting);
    gf_list_push(&user->waiters, &waiter->node);
    w->n++;
}

void gf_wait_queue_remove(struct gf_wait_queue *w, struct gf_waiter *waiter)
{
    struct gf_account *user = waiter->account->user;
    if (w->next_in_staging == waiter)
        w->next_in_staging = NULL;
    if (!waits(waiter))
        return;
    if (waiter->called)
        user->called = waiter->called = false;
    gf_list_remove(&waiter->node);
    w->n--;
    if (gf_list_empty(&user->waiters))
        gf_list_remove(&user->waiting);
}

/* Whether the daemon's staging has room too; if not, the request may become the next in staging. */
static bool is_in_staging(struct gf_wait_queue *w, const struct gf_waiter *waiter)
{
    if (waiter->need[GF_RES_STAGING] == 0)
        return true;
    if (!may_pass(w, waiter))
        return false;
    if (gf_staging_fits(w->staging, waiter->need[GF_RES_STAGING], waiter->account->owner))
        return true;
    if (!w->next_in_staging && gf_staging_is_full(w->staging, waiter->need[GF_RES_STAGING]))
        w->next_in_staging = waiter;
    return false;
}

/* A user's first waiter that fits and overtakes no other. */
static struct gf_waiter *next_of(struct gf_wait_queue *w, struct gf_account *user)
{
    uint32_t taken = 0;
    gf_list_each(it, after, &user->waiters)
    {
        struct gf_waiter *waiter = waiter_of(it);
        uint32_t need = needed(waiter), lack = lacking(user, waiter, NULL);
        if (can_never_fit(waiter))
            return waiter;
        if ((taken & need) == 0 && !w->next_in_staging && is_kept_out(w, waiter, lack))
            w->next_in_staging = waiter;
        if (((taken | lack) & need) == 0 && lacking(waiter->account, waiter, NULL) == 0) {
            if (is_in_staging(w, waiter))
                return waiter;
            lack |= 1u << GF_RES_STAGING;
        }
        taken |= lack;
        if (taken & 1u << GF_RES_REQUESTS)
            return NULL; /* which every request needs */
    }
    return NULL;
}

void gf_wait_queue_look(struct gf_wait_queue *w)
{
    bool staging = false; /* a waiter is about to take some: others are checked afterwards */
    w->next_in_staging = NULL;
    gf_list_each(it, after, &w->users)
    {
        struct gf_account *user = gf_container(it, struct gf_account, waiting);
        struct gf_waiter *waiter = user->called ? NULL : next_of(w, user);
        if (!waiter || (staging && waiter->need[GF_RES_STAGING] > 0))
            continue;
        staging |= waiter->need[GF_RES_STAGING] > 0;
        user->called = waiter->called = true;
        gf_list_remove(&user->waiting);
        gf_list_push(&w->users, &user->waiting);
        w->call(waiter);
    }
}
