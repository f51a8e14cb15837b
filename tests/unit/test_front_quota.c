/* SPDX-License-Identifier: MIT */
/* Accounts per user: charges are refused over the limit and given back once. */
#include "server/front/quota.h"

#include "unit.h"

static void charges_up_to_the_limit_and_back(void **state)
{
    UNUSED(state);
    struct gf_quota quota = {.per_user = {[GF_RES_STAGING] = 100}};
    struct gf_user *user = gf_user_get(&quota, 1000);
    struct gf_charge a = GF_CHARGE_NULL, b = GF_CHARGE_NULL;
    struct gf_error error = {0};
    assert_int_equal(gf_charge_init(&a, user, GF_RES_STAGING, 60, &error), GF_OK);
    assert_int_equal(gf_charge_init(&b, user, GF_RES_STAGING, 41, &error), GF_E_QUOTA);
    assert_string_equal(error.text, "user 1000 holds 60 bytes of inline data; 41 more would exceed the limit of 100");
    assert_int_equal(error.needed, 41);
    assert_null(b.user);
    assert_int_equal(gf_charge_init(&b, user, GF_RES_STAGING, 40, &error), GF_OK);
    assert_int_equal(user->used[GF_RES_STAGING], 100);
    gf_charge_deinit(&a);
    gf_charge_deinit(&a); /* nothing is given back twice */
    assert_int_equal(user->used[GF_RES_STAGING], 40);
    gf_charge_deinit(&b);
    gf_user_unref(user);
    assert_null(quota.users);
}

static void users_do_not_share(void **state)
{
    UNUSED(state);
    struct gf_quota quota = {.per_user = {[GF_RES_REQUESTS] = 1}};
    struct gf_user *a = gf_user_get(&quota, 1), *b = gf_user_get(&quota, 2), *again = gf_user_get(&quota, 1);
    struct gf_charge of_a = GF_CHARGE_NULL, of_b = GF_CHARGE_NULL, more = GF_CHARGE_NULL;
    assert_ptr_equal(a, again);
    assert_int_equal(gf_charge_init(&of_a, a, GF_RES_REQUESTS, 1, NULL), GF_OK);
    assert_int_equal(gf_charge_init(&of_b, b, GF_RES_REQUESTS, 1, NULL), GF_OK);
    assert_int_equal(gf_charge_init(&more, again, GF_RES_REQUESTS, 1, NULL), GF_E_QUOTA);
    gf_user_unref(a);
    gf_user_unref(again);
    gf_user_unref(b);
    assert_non_null(quota.users); /* a charge keeps its account */
    gf_charge_deinit(&of_a);
    gf_charge_deinit(&of_b);
    assert_null(quota.users);
}

static void sums_do_not_overflow(void **state)
{
    UNUSED(state);
    struct gf_quota quota = {.per_user = {[GF_RES_ARENAS] = UINT64_MAX}};
    struct gf_user *user = gf_user_get(&quota, 1);
    struct gf_charge a = GF_CHARGE_NULL, b = GF_CHARGE_NULL;
    assert_int_equal(gf_charge_init(&a, user, GF_RES_ARENAS, UINT64_MAX, NULL), GF_OK);
    assert_int_equal(gf_charge_init(&b, user, GF_RES_ARENAS, 1, NULL), GF_E_QUOTA);
    gf_charge_deinit(&a);
    gf_user_unref(user);
    assert_true(gf_quota_possible(&quota, GF_RES_ARENAS, UINT64_MAX));
    assert_false(gf_quota_possible(&quota, GF_RES_STAGING, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_up_to_the_limit_and_back),
        cmocka_unit_test(users_do_not_share),
        cmocka_unit_test(sums_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
