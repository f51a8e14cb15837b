/* SPDX-License-Identifier: MIT */
/* Turns on the loop's thread in virtual time: work takes exactly its stated time, and no real clock is read. */
#include "server/front/schedule/loop_queue.h"

#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define US UINT64_C(1000)
#define USERS 8u

static uint64_t g_now;

static uint64_t now(void)
{
    return g_now;
}

/* A connection with pieces of work of equal length. It stops when told to, or is stubborn and does several pieces. */
struct flow {
    struct gf_loop_queue_entry entry;
    uint64_t cost, done; /* ns of a piece; pieces */
    uint64_t left;       /* pieces */
    uint64_t at_once;    /* pieces before it looks whether it is to stop */
};

struct world {
    struct gf_loop_queue queue;
    struct flow flows[300];
    uint32_t n;
    uint64_t used[USERS]; /* ns by uid */
};

static void on_used(void *data, gf_user_id uid, uint64_t ns)
{
    ((struct world *)data)->used[uid] += ns;
}

static void go(struct gf_loop_queue_entry *entry)
{
    struct flow *f = gf_container(entry, struct flow, entry);
    do
        for (uint64_t i = 0; i < f->at_once && f->left > 0; i++) {
            g_now += f->cost;
            f->done++;
            f->left--;
        }
    while (f->left > 0 && !gf_loop_queue_spent(entry->queue));
    if (f->left > 0)
        gf_loop_queue_add(entry);
}

static int setup(void **state)
{
    static struct world w;
    w = (struct world){0};
    g_now = 1000000;
    gf_loop_queue_init(&w.queue, now);
    w.queue.used = on_used;
    w.queue.data = &w;
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    for (uint32_t i = 0; i < w->n; i++) {
        gf_loop_queue_remove(&w->flows[i].entry);
        gf_loop_queue_user_put(&w->queue, w->flows[i].entry.user);
    }
    gf_loop_queue_deinit(&w->queue);
    assert_true(gf_list_empty(&w->queue.users));
    assert_true(gf_list_empty(&w->queue.idle_users));
    return 0;
}

static struct flow *flow(struct world *w, uid_t uid, uint64_t cost, uint64_t at_once)
{
    struct flow *f = &w->flows[w->n++];
    struct gf_loop_queue_user *user = gf_loop_queue_user_get(&w->queue, uid);
    assert_non_null(user);
    *f = (struct flow){.cost = cost, .at_once = at_once};
    gf_loop_queue_entry_init(&f->entry, &w->queue, user, go);
    return f;
}

static void give(struct flow *f, uint64_t pieces)
{
    f->left += pieces;
    gf_loop_queue_add(&f->entry);
}

/* Jain's index, (sum x)^2 / (n sum x^2), over users that always had work: 1 if all had the same time. */
static double jain(const uint64_t *used, uint32_t n)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)used[i];
        squares += (double)used[i] * (double)used[i];
    }
    return sum * sum / (n * squares);
}

static void a_user_is_not_served_by_connections(void **state)
{
    struct world *w = *state;
    for (int i = 0; i < 250; i++)
        give(flow(w, 0, 2 * US, 1), UINT32_MAX);
    give(flow(w, 1, 2 * US, 1), UINT32_MAX);
    for (int i = 0; i < 1000; i++)
        gf_loop_queue_round(&w->queue);
    assert_true(jain(w->used, 2) > 0.99);
    for (int i = 1; i < 250; i++) /* and his connections have the same again */
        assert_in_range(w->flows[i].done, w->flows[0].done / 2, w->flows[0].done * 2);
}

/* Work from a PONG of 1 us to a call of 3 ms that cannot be interrupted. */
static void time_counts_not_calls(void **state)
{
    struct world *w = *state;
    static const uint64_t costs[USERS] = {1 * US, 3 * US, 10 * US, 40 * US, 120 * US, 300 * US, 900 * US, 3000 * US};
    for (uid_t uid = 0; uid < USERS; uid++)
        for (int i = 0; i < 5; i++)
            give(flow(w, uid, costs[uid], 1 + uid % 3), UINT32_MAX);
    for (int i = 0; i < 3000; i++)
        gf_loop_queue_round(&w->queue);
    assert_true(jain(w->used, USERS) > 0.99);
}

/* Work outside of turns counts too: accepted connections, answers of workers, closing. */
static void charges_count(void **state)
{
    struct world *w = *state;
    struct flow *a = flow(w, 0, 5 * US, 1);
    give(a, UINT32_MAX);
    give(flow(w, 1, 5 * US, 1), UINT32_MAX);
    for (int i = 0; i < 4000; i++) {
        gf_loop_queue_charge(&w->queue, a->entry.user, 100 * US);
        gf_loop_queue_round(&w->queue);
    }
    assert_true(jain(w->used, 2) > 0.99);
}

/* A user with little work now and then waits at most for the current turn and the longest call. */
static void one_who_comes_back_is_next(void **state)
{
    struct world *w = *state;
    struct gf_prng prng = {3};
    for (int i = 0; i < 250; i++)
        give(flow(w, 0, 40 * US, 1), UINT32_MAX);
    struct flow *victim = flow(w, 1, 10 * US, 1);
    for (int i = 0; i < 1000; i++) {
        for (uint32_t k = gf_prng_below(&prng, 20); k > 0; k--)
            gf_loop_queue_round(&w->queue);
        uint64_t begin = g_now, before = victim->done;
        give(victim, 1);
        gf_loop_queue_round(&w->queue);
        assert_int_equal(victim->done, before + 1);
        assert_true(g_now - begin <= GF_LOOP_BUDGET_NS + 40 * US + 10 * US);
    }
}

static void nothing_is_saved_by_being_away(void **state)
{
    struct world *w = *state;
    struct flow *busy = flow(w, 0, 10 * US, 1), *rested = flow(w, 1, 10 * US, 1);
    give(rested, 1);
    gf_loop_queue_round(&w->queue);
    give(busy, UINT32_MAX);
    for (int i = 0; i < 1000; i++)
        gf_loop_queue_round(&w->queue);
    uint64_t before = w->used[0], its = w->used[1];
    give(rested, UINT32_MAX);
    for (int i = 0; i < 100; i++)
        gf_loop_queue_round(&w->queue);
    assert_true(w->used[0] - before > 90 * GF_LOOP_BUDGET_NS);
    assert_true(w->used[1] - its < 110 * GF_LOOP_BUDGET_NS);
}

/* A user cannot clear its debt by closing all its connections and coming back. */
static void debts_outlive_connections(void **state)
{
    struct world *w = *state;
    give(flow(w, 1, 10 * US, 1), UINT32_MAX);
    gf_loop_queue_round(&w->queue);
    struct gf_loop_queue_user *user = gf_loop_queue_user_get(&w->queue, 0);
    gf_loop_queue_charge(&w->queue, user, 100 * GF_LOOP_BUDGET_NS);
    gf_loop_queue_user_put(&w->queue, user);
    struct flow *again = flow(w, 0, 10 * US, 1);
    give(again, UINT32_MAX);
    for (int i = 0; i < 90; i++)
        gf_loop_queue_round(&w->queue);
    assert_int_equal(again->done, 0);
    for (int i = 0; i < 40; i++)
        gf_loop_queue_round(&w->queue);
    assert_true(again->done > 0);
}

static void a_round_is_short_whoever_waits(void **state)
{
    struct world *w = *state;
    for (uid_t uid = 0; uid < USERS; uid++)
        give(flow(w, uid, 20 * US, 1), UINT32_MAX);
    for (int i = 0; i < 400; i++) {
        uint64_t begin = g_now;
        gf_loop_queue_round(&w->queue);
        assert_true(g_now - begin <= GF_LOOP_ROUND_NS + GF_LOOP_BUDGET_NS + 20 * US);
    }
    assert_true(jain(w->used, USERS) > 0.99);
}

static void what_is_removed_does_not_go(void **state)
{
    struct world *w = *state;
    struct flow *a = flow(w, 0, US, 1), *b = flow(w, 0, US, 1);
    give(a, 1);
    give(b, 1);
    give(b, 1);
    gf_loop_queue_remove(&a->entry);
    assert_false(gf_loop_queue_waits(&a->entry));
    assert_true(gf_loop_queue_waits(&b->entry));
    gf_loop_queue_round(&w->queue);
    assert_int_equal(a->done, 0);
    assert_int_equal(b->done, 2);
    assert_true(gf_loop_queue_spent(&w->queue)); /* between turns */
    gf_loop_queue_round(&w->queue);
    assert_int_equal(b->done, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_user_is_not_served_by_connections, setup, teardown),
        cmocka_unit_test_setup_teardown(time_counts_not_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(charges_count, setup, teardown),
        cmocka_unit_test_setup_teardown(one_who_comes_back_is_next, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_saved_by_being_away, setup, teardown),
        cmocka_unit_test_setup_teardown(debts_outlive_connections, setup, teardown),
        cmocka_unit_test_setup_teardown(a_round_is_short_whoever_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_removed_does_not_go, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
