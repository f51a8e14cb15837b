/* SPDX-License-Identifier: MIT */
/* A nap ends when something arrives or when its time is over. It is left out if the last wait was short. */
#include "protocol/base/keep_awake.h"

#include <unistd.h>

#include "protocol/base/clock.h"
#include "tests/unit/unit.h"

static struct pollfd open_pipe(int fds[2])
{
    assert_int_equal(pipe(fds), 0);
    return (struct pollfd){.fd = fds[0], .events = POLLIN};
}

static void close_pipe(const int fds[2])
{
    close(fds[0]);
    close(fds[1]);
}

static void naps_see_what_has_come(void **state)
{
    UNUSED(state);
    int fds[2];
    struct pollfd p = open_pipe(fds);
    assert_int_equal(write(fds[1], "a", 1), 1);
    assert_true(gf_keep_awake_poll(&p, 1, GF_SHORT_NS, INT64_MAX));
    assert_int_equal(p.revents, POLLIN);
    close_pipe(fds);
}

static void nobody_naps_in_a_short_wait(void **state)
{
    UNUSED(state);
    int fds[2];
    struct pollfd p = open_pipe(fds);
    assert_int_equal(write(fds[1], "a", 1), 1);
    assert_false(gf_keep_awake_poll(&p, 1, GF_SHORT_NS - 1, INT64_MAX)); /* not even looked at */
    assert_false(gf_keep_awake_poll(&p, 1, GF_SHORT_NS, GF_KEEP_AWAKE_PERIOD_NS));
    assert_int_equal(p.revents, 0);
    close_pipe(fds);
}

static void naps_end_with_the_time(void **state)
{
    UNUSED(state);
    int fds[2];
    struct pollfd p = open_pipe(fds);
    uint64_t start = gf_now_ns();
    assert_false(gf_keep_awake_poll(&p, 1, INT64_MAX, INT64_MAX));
    assert_true(gf_now_ns() - start >= (uint64_t)GF_KEEP_AWAKE_MAX_NS / 4); /* many of them */
    close_pipe(fds);
}

static void one_short_wait_is_forgotten(void **state)
{
    UNUSED(state);
    assert_int_equal(gf_keep_awake_expect(0, 400000), 400000);
    assert_int_equal(gf_keep_awake_expect(400000, 10000), 300000);
    assert_int_equal(gf_keep_awake_expect(300000, 500000), 500000);
    assert_int_equal(gf_keep_awake_expect(400000, GF_KEEP_AWAKE_MAX_NS + 1), 300000);
    int64_t expected = GF_KEEP_AWAKE_MAX_NS;
    for (int i = 0; i < 40; i++)
        expected = gf_keep_awake_expect(expected, 10000);
    assert_true(expected >= 10000 && expected < GF_SHORT_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(naps_see_what_has_come),
        cmocka_unit_test(nobody_naps_in_a_short_wait),
        cmocka_unit_test(naps_end_with_the_time),
        cmocka_unit_test(one_short_wait_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
