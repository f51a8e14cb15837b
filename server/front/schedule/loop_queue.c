/* SPDX-License-Identifier: MIT */
/* Fair sharing of the loop thread; see loop_queue.h. */
#include "loop_queue.h"

struct gf_loop_queue_user {
    struct gf_node node;
    struct gf_node entries; /* ready entries, in order of arrival */
    uint64_t served_ns;     /* raised to the virtual time when the user returns */
    gf_user_id id;
    uint32_t refs;
};

static struct gf_loop_queue_user *user_of(struct gf_node *node)
{
    return gf_container(node, struct gf_loop_queue_user, node);
}

void gf_loop_queue_init(struct gf_loop_queue *r, uint64_t (*clock)(void))
{
    *r = (struct gf_loop_queue){.clock = clock};
    gf_node_init(&r->users);
    gf_node_init(&r->idle_users);
}

static void on_check(uv_check_t *check)
{
    gf_loop_queue_round(check->data);
}

static void on_idle(uv_idle_t *idle)
{
    (void)idle;
}

void gf_loop_queue_start(struct gf_loop_queue *r, uv_loop_t *loop)
{
    uv_check_init(loop, &r->check);
    uv_idle_init(loop, &r->idle);
    r->check.data = r->idle.data = r;
    uv_check_start(&r->check, on_check);
    r->running = true;
}

void gf_loop_queue_close(struct gf_loop_queue *r)
{
    r->running = false;
    uv_close((uv_handle_t *)&r->check, NULL);
    uv_close((uv_handle_t *)&r->idle, NULL);
}

/* Frees users without references whose service is not ahead of the others; every such user if `all`. */
static void forget(struct gf_loop_queue *r, bool all)
{
    gf_list_each(it, after, &r->idle_users)
    {
        struct gf_loop_queue_user *user = user_of(it);
        if (user->refs > 0 || (!all && user->served_ns > r->virtual_ns))
            continue;
        gf_list_remove(&user->node);
        free(user);
    }
}

void gf_loop_queue_deinit(struct gf_loop_queue *r)
{
    forget(r, true);
}

static struct gf_loop_queue_user *find(struct gf_node *list, gf_user_id id)
{
    gf_list_each(it, after, list) if (user_of(it)->id == id) return user_of(it);
    return NULL;
}

struct gf_loop_queue_user *gf_loop_queue_user_get(struct gf_loop_queue *r, gf_user_id id)
{
    struct gf_loop_queue_user *user = find(&r->users, id);
    if (!user)
        user = find(&r->idle_users, id);
    if (!user) {
        forget(r, false);
        user = calloc(1, sizeof(*user));
        if (!user)
            return NULL;
        user->id = id;
        gf_node_init(&user->entries);
        gf_list_push(&r->idle_users, &user->node);
    }
    user->refs++;
    return user;
}

void gf_loop_queue_user_put(struct gf_loop_queue *r, struct gf_loop_queue_user *user)
{
    if (!user || --user->refs > 0)
        return;
    if (user->served_ns <= r->virtual_ns)
        forget(r, false);
}

void gf_loop_queue_entry_init(struct gf_loop_queue_entry *entry, struct gf_loop_queue *queue,
                              struct gf_loop_queue_user *user, void (*go)(struct gf_loop_queue_entry *entry))
{
    *entry = (struct gf_loop_queue_entry){.queue = queue, .user = user, .go = go};
    gf_node_init(&entry->node);
}

bool gf_loop_queue_waits(const struct gf_loop_queue_entry *entry)
{
    return !gf_list_empty(&entry->node);
}

void gf_loop_queue_add(struct gf_loop_queue_entry *entry)
{
    struct gf_loop_queue *r = entry->queue;
    struct gf_loop_queue_user *user = entry->user;
    if (gf_loop_queue_waits(entry))
        return;
    if (gf_list_empty(&user->entries)) {
        gf_list_remove(&user->node);
        gf_list_push(&r->users, &user->node);
        if (user->served_ns < r->virtual_ns)
            user->served_ns = r->virtual_ns;
    }
    gf_list_push(&user->entries, &entry->node);
    if (r->running)
        uv_idle_start(&r->idle, on_idle);
}

/* Moves a user without ready entries to the idle list. */
static void settle(struct gf_loop_queue *r, struct gf_loop_queue_user *user)
{
    if (!gf_list_empty(&user->entries))
        return;
    gf_list_remove(&user->node);
    gf_list_push(&r->idle_users, &user->node);
}

void gf_loop_queue_remove(struct gf_loop_queue_entry *entry)
{
    if (!gf_loop_queue_waits(entry))
        return;
    gf_list_remove(&entry->node);
    settle(entry->queue, entry->user);
}

bool gf_loop_queue_spent(const struct gf_loop_queue *r)
{
    return r->clock() >= r->end_ns;
}

void gf_loop_queue_charge(struct gf_loop_queue *r, struct gf_loop_queue_user *user, uint64_t ns)
{
    if (!user)
        return;
    user->served_ns += ns;
    if (r->used)
        r->used(r->data, user->id, ns);
}

static struct gf_loop_queue_user *least_served(const struct gf_loop_queue *r)
{
    struct gf_loop_queue_user *best = NULL;
    gf_list_each(it, after, &r->users) if (!best || user_of(it)->served_ns < best->served_ns) best = user_of(it);
    return best;
}

/* Serves a user's ready entries until the user has had limit_ns; returns the time afterwards. */
static uint64_t serve_user(struct gf_loop_queue *r, struct gf_loop_queue_user *user, uint64_t limit_ns, uint64_t now)
{
    uint64_t begin = now;
    r->end_ns = begin + (limit_ns - user->served_ns);
    user->refs++; /* go() may drop the last reference to the user */
    while (now < r->end_ns && !gf_list_empty(&user->entries)) {
        struct gf_loop_queue_entry *entry = gf_container(user->entries.next, struct gf_loop_queue_entry, node);
        gf_list_remove(&entry->node);
        entry->go(entry);
        now = r->clock();
    }
    r->end_ns = 0;
    settle(r, user);
    gf_loop_queue_charge(r, user, now - begin);
    gf_loop_queue_user_put(r, user);
    return now;
}

void gf_loop_queue_round(struct gf_loop_queue *r)
{
    struct gf_loop_queue_user *user = least_served(r);
    if (!user) { /* all ready entries were removed */
        if (r->running)
            uv_idle_stop(&r->idle);
        return;
    }
    uint64_t begin = r->clock(), now = begin;
    r->virtual_ns = user->served_ns;
    uint64_t limit = r->virtual_ns + GF_LOOP_BUDGET_NS;
    while (user && user->served_ns < limit && now - begin < GF_LOOP_ROUND_NS) {
        now = serve_user(r, user, limit, now);
        user = least_served(r);
    }
    if (r->running && gf_list_empty(&r->users))
        uv_idle_stop(&r->idle);
}
