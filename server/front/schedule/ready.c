/* SPDX-License-Identifier: MIT */
/* Turns of users on the loop's thread; see ready.h. */
#include "ready.h"

struct gf_ready_user {
    struct gf_node node;
    struct gf_node entries; /* ready, the longest first */
    uint64_t had_ns;        /* moved up to the present where the user was away */
    uid_t uid;
    uint32_t refs;
};

static struct gf_ready_user *user_of(struct gf_node *node)
{
    return gf_container(node, struct gf_ready_user, node);
}

void gf_ready_init(struct gf_ready *r, uint64_t (*clock)(void))
{
    *r = (struct gf_ready){.clock = clock};
    gf_node_init(&r->users);
    gf_node_init(&r->resting);
}

static void on_check(uv_check_t *check)
{
    gf_ready_round(check->data);
}

static void on_idle(uv_idle_t *idle)
{
    (void)idle;
}

void gf_ready_start(struct gf_ready *r, uv_loop_t *loop)
{
    uv_check_init(loop, &r->check);
    uv_idle_init(loop, &r->idle);
    r->check.data = r->idle.data = r;
    uv_check_start(&r->check, on_check);
    r->running = true;
}

void gf_ready_close(struct gf_ready *r)
{
    r->running = false;
    uv_close((uv_handle_t *)&r->check, NULL);
    uv_close((uv_handle_t *)&r->idle, NULL);
}

/* Forgets users who are gone and had no more than others; all of them, where `all`. */
static void forget(struct gf_ready *r, bool all)
{
    gf_list_each(it, after, &r->resting)
    {
        struct gf_ready_user *user = user_of(it);
        if (user->refs > 0 || (!all && user->had_ns > r->present_ns))
            continue;
        gf_list_remove(&user->node);
        free(user);
    }
}

void gf_ready_deinit(struct gf_ready *r)
{
    forget(r, true);
}

static struct gf_ready_user *find(struct gf_node *list, uid_t uid)
{
    gf_list_each(it, after, list) if (user_of(it)->uid == uid) return user_of(it);
    return NULL;
}

struct gf_ready_user *gf_ready_user_get(struct gf_ready *r, uid_t uid)
{
    struct gf_ready_user *user = find(&r->users, uid);
    if (!user)
        user = find(&r->resting, uid);
    if (!user) {
        forget(r, false);
        user = calloc(1, sizeof(*user));
        if (!user)
            return NULL;
        user->uid = uid;
        gf_node_init(&user->entries);
        gf_list_push(&r->resting, &user->node);
    }
    user->refs++;
    return user;
}

void gf_ready_user_put(struct gf_ready *r, struct gf_ready_user *user)
{
    if (!user || --user->refs > 0)
        return;
    if (user->had_ns <= r->present_ns)
        forget(r, false);
}

void gf_ready_entry_init(struct gf_ready_entry *entry, struct gf_ready *ready, struct gf_ready_user *user,
                         void (*go)(struct gf_ready_entry *entry))
{
    *entry = (struct gf_ready_entry){.ready = ready, .user = user, .go = go};
    gf_node_init(&entry->node);
}

bool gf_ready_waits(const struct gf_ready_entry *entry)
{
    return !gf_list_empty(&entry->node);
}

void gf_ready_add(struct gf_ready_entry *entry)
{
    struct gf_ready *r = entry->ready;
    struct gf_ready_user *user = entry->user;
    if (gf_ready_waits(entry))
        return;
    if (gf_list_empty(&user->entries)) {
        gf_list_remove(&user->node);
        gf_list_push(&r->users, &user->node);
        if (user->had_ns < r->present_ns)
            user->had_ns = r->present_ns;
    }
    gf_list_push(&user->entries, &entry->node);
    if (r->running)
        uv_idle_start(&r->idle, on_idle);
}

/* One who has nothing ready rests. */
static void settle(struct gf_ready *r, struct gf_ready_user *user)
{
    if (!gf_list_empty(&user->entries))
        return;
    gf_list_remove(&user->node);
    gf_list_push(&r->resting, &user->node);
}

void gf_ready_remove(struct gf_ready_entry *entry)
{
    if (!gf_ready_waits(entry))
        return;
    gf_list_remove(&entry->node);
    settle(entry->ready, entry->user);
}

bool gf_ready_spent(const struct gf_ready *r)
{
    return r->clock() >= r->end_ns;
}

void gf_ready_charge(struct gf_ready *r, struct gf_ready_user *user, uint64_t ns)
{
    if (!user)
        return;
    user->had_ns += ns;
    if (r->used)
        r->used(r->data, user->uid, ns);
}

static struct gf_ready_user *least(const struct gf_ready *r)
{
    struct gf_ready_user *best = NULL;
    gf_list_each(it, after, &r->users) if (!best || user_of(it)->had_ns < best->had_ns) best = user_of(it);
    return best;
}

/* All that the user has ready, until he has had so much; the time then. */
static uint64_t turn(struct gf_ready *r, struct gf_ready_user *user, uint64_t limit_ns, uint64_t now)
{
    uint64_t begin = now;
    r->end_ns = begin + (limit_ns - user->had_ns);
    user->refs++; /* the last entry may go in its turn */
    while (now < r->end_ns && !gf_list_empty(&user->entries)) {
        struct gf_ready_entry *entry = gf_container(user->entries.next, struct gf_ready_entry, node);
        gf_list_remove(&entry->node);
        entry->go(entry);
        now = r->clock();
    }
    r->end_ns = 0;
    settle(r, user);
    gf_ready_charge(r, user, now - begin);
    gf_ready_user_put(r, user);
    return now;
}

void gf_ready_round(struct gf_ready *r)
{
    struct gf_ready_user *user = least(r);
    if (!user) { /* all that was ready went away */
        if (r->running)
            uv_idle_stop(&r->idle);
        return;
    }
    uint64_t begin = r->clock(), now = begin;
    r->present_ns = user->had_ns;
    uint64_t limit = r->present_ns + GF_READY_BUDGET_NS;
    while (user && user->had_ns < limit && now - begin < GF_READY_ROUND_NS) {
        now = turn(r, user, limit, now);
        user = least(r);
    }
    if (r->running && gf_list_empty(&r->users))
        uv_idle_stop(&r->idle);
}
