/* SPDX-License-Identifier: MIT */
/* A waiter is called when its room is there: one waiter for each release, in order, and no waiter is overtaken. */
#include "server/front/resource/wait_queue.h"

#include "tests/unit/unit.h"

#define MIB (UINT64_C(1) << 20)
#define MOST 300u

/* A connection that takes what it needs when it is called, as session_run.c does. */
struct client {
    struct gf_waiter waiter;
    struct gf_charge request, bytes;
    struct gf_slot *slot;
    uint32_t order; /* 1: was the first to get its room; 0: has none */
    uint32_t looks; /* times it was called */
};

struct world {
    struct gf_memories memories;
    struct gf_staging staging;
    struct gf_quota quota;
    struct gf_wait_queue waiting;
    struct client clients[MOST];
    uint32_t n, n_served;
    bool lazy; /* who is called does not come yet */
};

static struct world w;

static void come(struct client *c)
{
    const uint64_t *need = c->waiter.need;
    bool called = c->waiter.called;
    if (!gf_wait_queue_may_go(&w.waiting, &c->waiter)) {
        gf_wait_queue_add(&w.waiting, &c->waiter);
        return;
    }
    struct gf_account *account = c->waiter.account;
    assert_int_equal(gf_charge_init(&c->request, account, GF_RES_REQUESTS, 1, NULL), GF_OK);
    assert_int_equal(gf_charge_init(&c->bytes, account, GF_RES_STAGING, need[GF_RES_STAGING], NULL), GF_OK);
    if (need[GF_RES_STAGING] > 0 &&
        gf_staging_take(&w.staging, need[GF_RES_STAGING], account->owner, c, &c->slot, NULL) != GF_OK) {
        gf_charge_deinit(&c->request);
        gf_charge_deinit(&c->bytes);
        gf_wait_queue_add(&w.waiting, &c->waiter);
        return;
    }
    c->order = ++w.n_served;
    gf_wait_queue_remove(&w.waiting, &c->waiter);
    if (called)
        gf_wait_queue_look(&w.waiting);
}

static void on_called(struct gf_waiter *waiter)
{
    struct client *c = gf_container(waiter, struct client, waiter);
    c->looks++;
    assert_true(w.lazy || c->looks < 100);
}

/* Runs the called waiters until none is called. */
static void turn(void)
{
    bool any = true;
    while (any && !w.lazy) {
        any = false;
        for (uint32_t i = 0; i < w.n; i++)
            if (w.clients[i].waiter.called) {
                any = true;
                come(&w.clients[i]);
            }
    }
}

static struct client *client(uid_t uid, uint64_t bytes)
{
    struct client *c = &w.clients[w.n++];
    struct gf_account *account = gf_account_new(&w.quota, uid);
    assert_non_null(account);
    gf_waiter_init(&c->waiter, account);
    c->waiter.need[GF_RES_REQUESTS] = 1;
    c->waiter.need[GF_RES_STAGING] = bytes;
    come(c);
    turn();
    return c;
}

static void give_back(struct client *c)
{
    gf_staging_release(c->slot);
    c->slot = NULL;
    gf_charge_deinit(&c->request);
    gf_charge_deinit(&c->bytes);
}

static void end(struct client *c)
{
    give_back(c);
    gf_wait_queue_look(&w.waiting);
    turn();
}

static int setup(void **state)
{
    UNUSED(state);
    w = (struct world){0};
    for (uint32_t i = 0; i < GF_N_RES; i++)
        w.quota.per_user[i] = w.quota.per_connection[i] = 64 * MIB;
    gf_memories_init(&w.memories);
    gf_staging_init(&w.staging, &w.memories, MIB, 8 * MIB);
    gf_wait_queue_init(&w.waiting, &w.staging, on_called);
    return 0;
}

static int teardown(void **state)
{
    UNUSED(state);
    for (uint32_t i = 0; i < w.n; i++) {
        gf_wait_queue_remove(&w.waiting, &w.clients[i].waiter);
        give_back(&w.clients[i]);
        gf_account_unref(w.clients[i].waiter.account);
    }
    assert_int_equal(w.waiting.n, 0);
    assert_true(gf_list_empty(&w.waiting.users));
    assert_null(w.quota.users);
    gf_staging_deinit(&w.staging);
    return 0;
}

/* A release by another user calls no waiter; each request of the user itself that ends calls one. */
static void one_is_called_for_what_was_freed(void **state)
{
    UNUSED(state);
    w.quota.per_user[GF_RES_REQUESTS] = 4;
    struct client *all[244], *other = client(2, 4096);
    for (int i = 0; i < 244; i++)
        all[i] = client(1, 4096);
    assert_int_equal(w.waiting.n, 240);
    end(other);
    for (int i = 0; i < 244; i++)
        assert_int_equal(all[i]->looks, 0);
    for (int i = 0; i < 240; i++) {
        end(all[i]);
        assert_int_equal(w.waiting.n, 239 - i);
        assert_int_equal(all[i + 4]->order, i + 6); /* in the order of their coming */
        assert_int_equal(all[i + 4]->looks, 1);
    }
}

static void nobody_overtakes_who_needs_the_same(void **state)
{
    UNUSED(state);
    w.quota.per_user[GF_RES_STAGING] = 3 * MIB;
    struct client *first = client(1, 2 * MIB), *large = client(1, 2 * MIB), *small = client(1, MIB),
                  *none = client(1, 0);
    assert_true(first->order > 0 && none->order > 0);
    assert_int_equal(large->order + small->order, 0);
    end(first);
    assert_int_equal(large->looks, 1);
    assert_true(large->order > 0 && large->order < small->order);
}

/* A connection at its own limit does not delay other connections. */
static void a_connections_own_limit_is_its_own(void **state)
{
    UNUSED(state);
    w.quota.per_connection[GF_RES_STAGING] = MIB;
    struct client *a = client(1, MIB);
    struct client *more = &w.clients[w.n++];
    gf_waiter_init(&more->waiter, a->waiter.account);
    a->waiter.account->refs++;
    more->waiter.need[GF_RES_REQUESTS] = 1;
    more->waiter.need[GF_RES_STAGING] = MIB;
    come(more);
    assert_int_equal(more->order, 0);
    assert_true(client(1, MIB)->order > 0);
    end(a);
    assert_true(more->order > 0);
}

static void users_take_turns_where_staging_is_full(void **state)
{
    UNUSED(state);
    struct client *held[8], *flood[20], *victim[2];
    for (int i = 0; i < 8; i++)
        held[i] = client(3, MIB);
    for (int i = 0; i < 20; i++)
        flood[i] = client(1, MIB);
    victim[0] = client(2, MIB);
    victim[1] = client(2, MIB);
    for (int i = 0; i < 4; i++)
        end(held[i]);
    assert_true(flood[0]->order > 0 && victim[0]->order > 0 && flood[1]->order > 0 && victim[1]->order > 0);
    assert_int_equal(flood[2]->order, 0);
}

/* With full staging, the large request at the head gets its room although small ones would fit earlier. */
static void small_ones_do_not_overtake_a_large_one(void **state)
{
    UNUSED(state);
    struct client *held[8];
    for (int i = 0; i < 8; i++)
        held[i] = client(3, MIB);
    struct client *large = client(1, 2 * MIB);
    end(held[7]);
    struct client *small = client(2, MIB);
    assert_int_equal(large->order + small->order, 0);
    end(held[6]);
    assert_true(large->order > 0);
    assert_int_equal(small->order, 0);
    end(held[5]);
    assert_true(small->order > 0);
}

/* Nor one who was called and did not come yet. */
static void who_was_called_is_not_overtaken(void **state)
{
    UNUSED(state);
    struct client *held[8];
    for (int i = 0; i < 8; i++)
        held[i] = client(1, MIB);
    struct client *first = client(1, MIB);
    w.lazy = true;
    end(held[0]);
    assert_true(first->waiter.called);
    struct client *late = client(1, MIB);
    assert_int_equal(late->order, 0);
    w.lazy = false;
    turn();
    assert_true(first->order > 0);
    assert_int_equal(late->order, 0);
}

static void small_ones_are_not_held_up(void **state)
{
    UNUSED(state);
    struct client *held = client(1, 7 * MIB);
    assert_int_equal(client(1, 4 * MIB)->order, 0);
    gf_wait_queue_look(&w.waiting);
    assert_non_null(w.waiting.next_in_staging);
    assert_true(client(2, 4096)->order > 0);
    assert_int_equal(client(2, MIB)->order, 0);
    assert_true(held->order > 0);
}

static void one_that_goes_away_calls_the_next(void **state)
{
    UNUSED(state);
    w.quota.per_user[GF_RES_REQUESTS] = 1;
    struct client *first = client(1, 0), *second = client(1, 0), *third = client(1, 0);
    w.lazy = true;
    end(first);
    assert_true(second->waiter.called);
    assert_false(third->waiter.called);
    gf_wait_queue_remove(&w.waiting, &second->waiter);
    w.lazy = false;
    gf_wait_queue_look(&w.waiting);
    turn();
    assert_true(third->order > 0);
}

static void limits_that_were_lowered_are_told(void **state)
{
    UNUSED(state);
    w.quota.per_user[GF_RES_STAGING] = 2 * MIB;
    struct client *first = client(1, 2 * MIB), *second = client(1, 2 * MIB);
    assert_true(first->order > 0);
    w.lazy = true;
    w.quota.per_user[GF_RES_STAGING] = MIB;
    gf_wait_queue_look(&w.waiting);
    assert_true(second->waiter.called);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_is_called_for_what_was_freed, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_overtakes_who_needs_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(a_connections_own_limit_is_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(users_take_turns_where_staging_is_full, setup, teardown),
        cmocka_unit_test_setup_teardown(small_ones_do_not_overtake_a_large_one, setup, teardown),
        cmocka_unit_test_setup_teardown(who_was_called_is_not_overtaken, setup, teardown),
        cmocka_unit_test_setup_teardown(small_ones_are_not_held_up, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_goes_away_calls_the_next, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_that_were_lowered_are_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
