/* SPDX-License-Identifier: MIT */
/* The timer runs while an answer is expected soon, and no longer. */
#include "server/front/base/awake_timer.h"

#include <sys/timerfd.h>

#include "protocol/base/clock.h"
#include "protocol/base/keep_awake.h"
#include "tests/unit/unit.h"

static int setup(void **state)
{
    static uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    *state = &loop;
    return 0;
}

static int teardown(void **state)
{
    uv_run(*state, UV_RUN_DEFAULT);
    return uv_loop_close(*state);
}

static bool is_armed(const struct gf_awake_timer *n)
{
    struct itimerspec timer;
    assert_int_equal(timerfd_gettime(n->fd, &timer), 0);
    return timer.it_interval.tv_nsec != 0;
}

static void runs_until_the_answer_is_overdue(void **state)
{
    static struct gf_awake_timer n; /* closed by teardown */
    gf_awake_timer_init(&n, *state);
    assert_true(n.fd >= 0);
    assert_false(is_armed(&n));
    uint64_t now = gf_now_ns();
    gf_awake_timer_expect(&n, now, 200000);
    assert_true(is_armed(&n));
    assert_int_equal(n.until_ns, now + 400000);
    while (n.on)
        uv_run(*state, UV_RUN_ONCE);
    assert_true(gf_now_ns() >= now + 400000);
    assert_false(is_armed(&n));
    gf_awake_timer_close(&n);
}

static void long_and_short_work_is_waited_for_asleep(void **state)
{
    static struct gf_awake_timer n; /* closed by teardown */
    gf_awake_timer_init(&n, *state);
    gf_awake_timer_expect(&n, 1000, (uint64_t)GF_KEEP_AWAKE_PERIOD_NS - 1);
    assert_false(is_armed(&n));
    gf_awake_timer_expect(&n, 1000, (uint64_t)GF_KEEP_AWAKE_MAX_NS + 1);
    assert_false(is_armed(&n));
    gf_awake_timer_expect(&n, 1000, (uint64_t)GF_KEEP_AWAKE_MAX_NS);
    assert_true(is_armed(&n));
    gf_awake_timer_expect(&n, 2000, 300000); /* does not take back what was expected */
    assert_int_equal(n.until_ns, 1000 + 2 * (uint64_t)GF_KEEP_AWAKE_MAX_NS);
    gf_awake_timer_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs_until_the_answer_is_overdue, setup, teardown),
        cmocka_unit_test_setup_teardown(long_and_short_work_is_waited_for_asleep, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
