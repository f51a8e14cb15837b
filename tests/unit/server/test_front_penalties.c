/* SPDX-License-Identifier: MIT */
/* How long a user has to wait after its requests ended workers. */
#include "protocol/base/clock.h"
#include "server/front/schedule/penalties.h"
#include "tests/unit/unit.h"

#define AT (1000 * GF_NS_PER_S)

static void nobody_waits_who_did_nothing(void **state)
{
    UNUSED(state);
    struct gf_penalties penalties = {.n = 0};
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 1, AT), 0);
    gf_penalties_add(&penalties, 65002, 2, AT);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 1, AT), 0);
}

static void who_ended_too_many_waits_until_they_are_old(void **state)
{
    UNUSED(state);
    struct gf_penalties penalties = {.n = 0};
    gf_penalties_add(&penalties, 65001, 2, AT);
    gf_penalties_add(&penalties, 65001, 2, AT + 100 * GF_NS_PER_S);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 5, AT + 100 * GF_NS_PER_S), 0);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 4, AT + 100 * GF_NS_PER_S), 500);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 2, AT + 100 * GF_NS_PER_S), 600);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 4, AT + 599 * GF_NS_PER_S), 1);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 4, AT + 600 * GF_NS_PER_S), 0);
}

static void the_oldest_are_forgotten_first(void **state)
{
    UNUSED(state);
    struct gf_penalties penalties = {.n = 0};
    gf_penalties_add(&penalties, 65001, 2, AT);
    gf_penalties_add(&penalties, 65002, GF_PENALTIES_KEPT - 1, AT);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 2, AT), 0);
    assert_int_equal(gf_penalties_wait_s(&penalties, 65001, 1, AT), 600);
}

static void who_is_refused_is_listed_until_forgiven(void **state)
{
    UNUSED(state);
    struct gf_penalties penalties = {.n = 0};
    struct gf_refused_user refused[GF_PENALTIES_KEPT];
    assert_int_equal(gf_penalties_list(&penalties, 1, AT, refused), 0);
    gf_penalties_add(&penalties, 65001, 2, AT);
    gf_penalties_add(&penalties, 65002, 1, AT);
    gf_penalties_add(&penalties, 0, 3, AT + 50 * GF_NS_PER_S);
    gf_penalties_add(&penalties, 65001, 1, AT + 100 * GF_NS_PER_S);
    assert_int_equal(gf_penalties_list(&penalties, 2, AT + 100 * GF_NS_PER_S, refused), 2);
    assert_int_equal(refused[0].user, 0);
    assert_int_equal(refused[0].wait_s, 550);
    assert_int_equal(refused[1].user, 65001);
    assert_int_equal(refused[1].wait_s, 500);
    gf_penalties_forgive(&penalties, 0);
    assert_int_equal(gf_penalties_list(&penalties, 2, AT + 100 * GF_NS_PER_S, refused), 1);
    assert_int_equal(refused[0].user, 65001);
    assert_int_equal(gf_penalties_wait_s(&penalties, 0, 1, AT + 100 * GF_NS_PER_S), 0);
    gf_penalties_add(&penalties, 0, 1, AT + 200 * GF_NS_PER_S);
    assert_int_equal(gf_penalties_wait_s(&penalties, 0, 2, AT + 200 * GF_NS_PER_S), 0);
    for (uint32_t i = 0; i < GF_PENALTIES_KEPT; i++)
        gf_penalties_add(&penalties, 70000 + i, 1, AT + 300 * GF_NS_PER_S);
    assert_int_equal(gf_penalties_list(&penalties, 1, AT + 300 * GF_NS_PER_S, refused), GF_PENALTIES_KEPT);
    assert_int_equal(gf_penalties_list(&penalties, 1, AT + 900 * GF_NS_PER_S, refused), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits_who_did_nothing),
        cmocka_unit_test(who_ended_too_many_waits_until_they_are_old),
        cmocka_unit_test(the_oldest_are_forgotten_first),
        cmocka_unit_test(who_is_refused_is_listed_until_forgiven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
