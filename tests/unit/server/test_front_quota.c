/* SPDX-License-Identifier: MIT */
/* Accounts of users and connections: charges are refused over the limit of either and given back once. */
#include "server/front/resource/quota.h"

#include "tests/unit/unit.h"

static void charges_up_to_the_limit_and_back(void **state)
{
    UNUSED(state);
    struct gf_quota quota = {.per_user = {[GF_RES_STAGING] = 100}, .per_connection = {[GF_RES_STAGING] = 100}};
    struct gf_account *account = gf_account_new(&quota, 1000);
    struct gf_charge a = GF_CHARGE_NULL, b = GF_CHARGE_NULL;
    struct gf_error error = {0};
    assert_int_equal(gf_charge_init(&a, account, GF_RES_STAGING, 60, &error), GF_OK);
    assert_int_equal(gf_charge_init(&b, account, GF_RES_STAGING, 41, &error), GF_E_QUOTA);
    assert_string_equal(error.text, "the connection holds 60 bytes of inline data; 41 more would exceed the limit of "
                                    "100 (staging)");
    assert_int_equal(error.needed, 41);
    assert_null(b.account);
    assert_int_equal(gf_charge_init(&b, account, GF_RES_STAGING, 40, &error), GF_OK);
    assert_int_equal(account->used[GF_RES_STAGING], 100);
    gf_charge_deinit(&a);
    gf_charge_deinit(&a); /* nothing is given back twice */
    assert_int_equal(account->used[GF_RES_STAGING], 40);
    assert_int_equal(account->user->used[GF_RES_STAGING], 40);
    gf_account_unref(account);
    assert_int_equal(quota.users->used[GF_RES_STAGING], 40); /* a charge keeps its accounts */
    gf_charge_deinit(&b);
    assert_null(quota.users);
}

static void connections_of_a_user_share_the_users_limit(void **state)
{
    UNUSED(state);
    struct gf_quota quota = {.per_user = {[GF_RES_HANDLES] = 5}, .per_connection = {[GF_RES_HANDLES] = 3}};
    struct gf_account *one = gf_account_new(&quota, 1000), *two = gf_account_new(&quota, 1000);
    struct gf_charge a = GF_CHARGE_NULL, b = GF_CHARGE_NULL;
    struct gf_error error = {0};
    assert_ptr_equal(one->user, two->user);
    assert_int_equal(gf_charge_init(&a, one, GF_RES_HANDLES, 4, &error), GF_E_QUOTA);
    assert_int_equal(gf_charge_init(&a, one, GF_RES_HANDLES, 3, &error), GF_OK);
    assert_int_equal(gf_charge_init(&b, two, GF_RES_HANDLES, 3, &error), GF_E_QUOTA);
    assert_string_equal(error.text, "user 1000 holds 3 handles; 3 more would exceed the limit of 5 (user-handles)");
    assert_int_equal(error.needed, 0);              /* it is of bytes */
    assert_int_equal(two->used[GF_RES_HANDLES], 0); /* nothing is charged by half */
    assert_int_equal(gf_charge_init(&b, two, GF_RES_HANDLES, 2, &error), GF_OK);
    assert_int_equal(one->user->used[GF_RES_HANDLES], 5);
    gf_charge_deinit(&a);
    gf_charge_deinit(&b);
    gf_account_unref(one);
    gf_account_unref(two);
    assert_null(quota.users);
}

static void users_do_not_share(void **state)
{
    UNUSED(state);
    struct gf_quota quota = {.per_user = {[GF_RES_REQUESTS] = 1}, .per_connection = {[GF_RES_REQUESTS] = 1}};
    struct gf_account *a = gf_account_new(&quota, 1), *b = gf_account_new(&quota, 2),
                      *again = gf_account_new(&quota, 1);
    struct gf_charge of_a = GF_CHARGE_NULL, of_b = GF_CHARGE_NULL, more = GF_CHARGE_NULL;
    assert_int_equal(gf_charge_init(&of_a, a, GF_RES_REQUESTS, 1, NULL), GF_OK);
    assert_int_equal(gf_charge_init(&of_b, b, GF_RES_REQUESTS, 1, NULL), GF_OK);
    assert_int_equal(gf_charge_init(&more, again, GF_RES_REQUESTS, 1, NULL), GF_E_QUOTA);
    gf_charge_deinit(&of_a);
    gf_charge_deinit(&of_b);
    gf_account_unref(a);
    gf_account_unref(again);
    gf_account_unref(b);
    assert_null(quota.users);
}

static void sums_do_not_overflow(void **state)
{
    UNUSED(state);
    struct gf_quota quota = {.per_user = {[GF_RES_ARENAS] = UINT64_MAX},
                             .per_connection = {[GF_RES_ARENAS] = UINT64_MAX, [GF_RES_STAGING] = 7}};
    struct gf_account *account = gf_account_new(&quota, 1);
    struct gf_charge a = GF_CHARGE_NULL, b = GF_CHARGE_NULL;
    assert_int_equal(gf_charge_init(&a, account, GF_RES_ARENAS, UINT64_MAX, NULL), GF_OK);
    assert_int_equal(gf_charge_init(&b, account, GF_RES_ARENAS, 1, NULL), GF_E_QUOTA);
    gf_charge_deinit(&a);
    gf_account_unref(account);
    assert_true(gf_quota_limit(&quota, GF_RES_ARENAS) == UINT64_MAX);
    assert_int_equal(gf_quota_limit(&quota, GF_RES_STAGING), 0);
}

/* Users of one total, each with an account and the amount granted to it in pieces. */
#define USERS 16u
#define PIECES 64u

static struct gf_quota shared;
static struct gf_account *users[USERS];
static struct gf_charge held[USERS][PIECES];
static uint32_t n_held[USERS];

static int share_begin(void **state)
{
    UNUSED(state);
    shared = (struct gf_quota){.who = "cgroup"};
    for (uint32_t i = 0; i < GF_N_RES; i++)
        shared.per_user[i] = shared.per_connection[i] = UINT64_MAX;
    for (uint32_t i = 0; i < USERS; i++) {
        users[i] = gf_account_new(&shared, 1000 + i);
        assert_non_null(users[i]);
    }
    return 0;
}

static int share_end(void **state)
{
    UNUSED(state);
    for (uint32_t i = 0; i < USERS; i++) {
        while (n_held[i] > 0)
            gf_charge_deinit(&held[i][--n_held[i]]);
        gf_account_unref(users[i]);
    }
    assert_null(shared.users);
    for (uint32_t i = 0; i < GF_N_RES; i++)
        assert_int_equal(shared.used[i], 0);
    return 0;
}

static void set_total(enum gf_resource what, uint64_t total, uint64_t alone)
{
    shared.total[what] = total;
    shared.alone[what] = alone;
}

static uint64_t held_by(uint32_t user, enum gf_resource what)
{
    return users[user]->user->used[what];
}

/* Takes the amount if that is allowed. Checks that the answer agrees with the amount announced as available. */
static bool take(uint32_t user, enum gf_resource what, uint64_t amount)
{
    bool fits = gf_quota_fits(users[user], what, amount) && gf_quota_fits(users[user]->user, what, amount);
    assert_true(n_held[user] < PIECES);
    enum gf_status status = gf_charge_init(&held[user][n_held[user]], users[user], what, amount, NULL);
    assert_int_equal(status, fits ? GF_OK : GF_E_QUOTA);
    n_held[user] += status == GF_OK;
    return status == GF_OK;
}

/* All that a user can get now, at once. */
static uint64_t take_all(uint32_t user, enum gf_resource what)
{
    uint64_t share = gf_quota_share(users[user], what), before = held_by(user, what);
    if (share <= before)
        return 0;
    assert_false(gf_quota_fits(users[user]->user, what, share - before + 1));
    assert_true(take(user, what, share - before));
    return share - before;
}

static void who_is_alone_has_the_total_or_what_is_said(void **state)
{
    UNUSED(state);
    set_total(GF_RES_ARENAS, 1000, 500);
    assert_int_equal(gf_quota_limit(&shared, GF_RES_ARENAS), 500);
    assert_false(gf_quota_within(users[0]->user, GF_RES_ARENAS, 501));
    assert_false(take(0, GF_RES_ARENAS, 501));
    assert_true(take(0, GF_RES_ARENAS, 500));
    set_total(GF_RES_STAGING, 1000, 1000);
    assert_true(take(0, GF_RES_STAGING, 1000));
    assert_false(take(1, GF_RES_STAGING, 1));
    assert_true(gf_quota_within(users[1]->user, GF_RES_STAGING, 1000)); /* others alone are in the way */
}

static void a_share_says_what_others_leave(void **state)
{
    UNUSED(state);
    struct gf_charge charge = GF_CHARGE_NULL;
    struct gf_error error = {0};
    set_total(GF_RES_ARENAS, 6000, 6000);
    assert_true(take(0, GF_RES_ARENAS, 3000));
    assert_int_equal(gf_charge_init(&charge, users[1], GF_RES_ARENAS, 1001, &error), GF_E_QUOTA);
    assert_string_equal(error.text, "cgroup 1001 holds 0 bytes of arenas; 1001 more would exceed the share of 1000 of "
                                    "what others leave of 6000 (arena-total)");
    assert_int_equal(error.needed, 1001);
    assert_int_equal(held_by(1, GF_RES_ARENAS), 0);
    assert_int_equal(shared.used[GF_RES_ARENAS], 3000);
    assert_true(take(1, GF_RES_ARENAS, 1000));
}

/* The n-th user finds at least total / (n * (n + 1)) if every user before it took all it could get. */
static void a_newcomer_always_finds_something(void **state)
{
    UNUSED(state);
    const uint64_t total = 1u << 30;
    set_total(GF_RES_RESIDENT, total, total / 2);
    for (uint64_t n = 1; n <= USERS; n++)
        assert_true(take_all((uint32_t)n - 1, GF_RES_RESIDENT) >= total / (n * (n + 1)));
    assert_true(shared.used[GF_RES_RESIDENT] < total);
}

/* Greed in small pieces, all at a time, leaves as much. */
static void pieces_take_no_more(void **state)
{
    UNUSED(state);
    const uint64_t total = 1u << 20;
    set_total(GF_RES_HANDLES, total, total / 2);
    for (uint32_t k = 0; k < PIECES; k++)
        for (uint32_t i = 0; i + 1 < USERS; i++)
            take(i, GF_RES_HANDLES, total / 512);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i + 1 < USERS && n_held[i] < PIECES; i++)
            take_all(i, GF_RES_HANDLES);
    assert_true(gf_quota_share(users[USERS - 1], GF_RES_HANDLES) >= total / (USERS * (USERS + 1)));
}

/* Requests come and go. One user had half; as its requests end, waiting users get as much, and all end with total / 2n,
 * give or take a piece. */
static void what_churns_becomes_equal(void **state)
{
    UNUSED(state);
    const uint64_t piece = 1u << 20, total = 60 * piece;
    const uint32_t n = 5;
    set_total(GF_RES_STAGING, total, total / 2);
    while (take(0, GF_RES_STAGING, piece))
        ;
    assert_int_equal(held_by(0, GF_RES_STAGING), total / 2);
    for (uint32_t turn = 0; turn < 400; turn++) {
        uint32_t i = turn % n;
        if (n_held[i] > 0)
            gf_charge_deinit(&held[i][--n_held[i]]);
        for (uint32_t k = 1; k <= n; k++)
            take((i + k) % n, GF_RES_STAGING, piece);
    }
    for (uint32_t i = 0; i < n; i++)
        assert_in_range(held_by(i, GF_RES_STAGING), total / (2 * n) - piece, total / (2 * n) + piece);
}

/* Users that hold little reduce the share of another user little, however many they are. */
static void small_holders_leave_the_share_large(void **state)
{
    UNUSED(state);
    const uint64_t total = 1u << 30, small = 1u << 20;
    set_total(GF_RES_STAGING, total, total);
    for (uint32_t i = 1; i < USERS; i++)
        assert_true(take(i, GF_RES_STAGING, small));
    uint64_t others = (USERS - 1) * small;
    assert_int_equal(gf_quota_holders(&shared, GF_RES_STAGING), USERS - 1);
    assert_int_equal(gf_quota_share(users[0], GF_RES_STAGING), (total - 2 * others + 1) / 2);
    assert_true(take(0, GF_RES_STAGING, total / 4));
}

/* The last free connection is still granted to a user. */
static void the_last_unit_is_granted(void **state)
{
    UNUSED(state);
    set_total(GF_RES_CONNECTIONS, USERS, USERS);
    for (uint32_t i = 0; i < USERS; i++)
        assert_true(take(i, GF_RES_CONNECTIONS, 1));
    assert_false(take(0, GF_RES_CONNECTIONS, 1));
    assert_int_equal(gf_quota_share(users[0], GF_RES_CONNECTIONS), 1);
}

/* A total lowered below the amount held grants nothing, and no sum overflows. */
static void a_lowered_total_only_stops(void **state)
{
    UNUSED(state);
    set_total(GF_RES_ARENAS, UINT64_MAX, UINT64_MAX);
    assert_true(take(0, GF_RES_ARENAS, UINT64_MAX / 2));
    assert_false(take(1, GF_RES_ARENAS, UINT64_MAX / 2));
    assert_true(take(1, GF_RES_ARENAS, UINT64_MAX / 8));
    set_total(GF_RES_ARENAS, 100, 100);
    assert_false(take(1, GF_RES_ARENAS, 1));
    assert_false(take(2, GF_RES_ARENAS, 1));
    assert_int_equal(gf_quota_share(users[2], GF_RES_ARENAS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_up_to_the_limit_and_back),
        cmocka_unit_test(connections_of_a_user_share_the_users_limit),
        cmocka_unit_test(users_do_not_share),
        cmocka_unit_test(sums_do_not_overflow),
        cmocka_unit_test_setup_teardown(who_is_alone_has_the_total_or_what_is_said, share_begin, share_end),
        cmocka_unit_test_setup_teardown(a_share_says_what_others_leave, share_begin, share_end),
        cmocka_unit_test_setup_teardown(a_newcomer_always_finds_something, share_begin, share_end),
        cmocka_unit_test_setup_teardown(pieces_take_no_more, share_begin, share_end),
        cmocka_unit_test_setup_teardown(what_churns_becomes_equal, share_begin, share_end),
        cmocka_unit_test_setup_teardown(small_holders_leave_the_share_large, share_begin, share_end),
        cmocka_unit_test_setup_teardown(the_last_unit_is_granted, share_begin, share_end),
        cmocka_unit_test_setup_teardown(a_lowered_total_only_stops, share_begin, share_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
