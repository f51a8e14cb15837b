/* SPDX-License-Identifier: MIT */
/* Accounts of users and connections: charges are refused over the limit of either and given back once. */
#include "server/front/quota.h"

#include "unit.h"

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
    assert_true(gf_quota_most(&quota, GF_RES_ARENAS) == UINT64_MAX);
    assert_int_equal(gf_quota_most(&quota, GF_RES_STAGING), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_up_to_the_limit_and_back),
        cmocka_unit_test(connections_of_a_user_share_the_users_limit),
        cmocka_unit_test(users_do_not_share),
        cmocka_unit_test(sums_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
