/* SPDX-License-Identifier: MIT */
/* The pauses between attempts to reach a daemon, with the test's own clock. */
#include "tests/unit/unit.h"

#include "client/lib/discovery/retry.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"

#define MS ((int64_t)GF_NS_PER_MS)
#define START (1000 * MS)

static const int64_t g_pauses[] = {5, 10, 20, 40, 80, 160, 200, 200, 200};

/* Fails every attempt until the caller may not try again. Returns their number and stores the pauses between them. */
static unsigned fail_all(struct gf_retry *p, int64_t now, enum gf_attempt how, int64_t *ret_pauses, unsigned room)
{
    for (unsigned n = 1;; n++) {
        gf_retry_begin(p, now);
        if (!gf_retry_failed(p, now, how))
            return n;
        assert_true(n <= room);
        ret_pauses[n - 1] = (p->at - now) / MS;
        now = p->at;
    }
}

static void cut_connections_are_repeated_until_the_timeout(void **state)
{
    UNUSED(state);
    struct gf_retry p;
    int64_t pauses[9];
    gf_retry_init(&p, 1000, GF_PAUSE_MS);
    assert_int_equal(fail_all(&p, START, GF_ATTEMPT_CUT, pauses, 9), 10);
    assert_memory_equal(pauses, g_pauses, sizeof(pauses));
    assert_int_equal(p.at, START + 1115 * MS); /* the next one would be after the timeout */
}

static void absent_daemons_are_looked_for_twice(void **state)
{
    UNUSED(state);
    struct gf_retry p;
    int64_t pauses[2];
    gf_retry_init(&p, 1000, GF_PAUSE_MS);
    assert_int_equal(fail_all(&p, START, GF_ATTEMPT_ABSENT, pauses, 2), 2);
    assert_int_equal(pauses[0], 5);
    assert_int_equal(p.at, START + 15 * MS); /* who calls at once waits so long */
}

static void absent_daemons_are_waited_for(void **state)
{
    UNUSED(state);
    struct gf_retry p;
    int64_t pauses[10];
    gf_retry_init(&p, 1000, 1000);
    assert_int_equal(fail_all(&p, START, GF_ATTEMPT_ABSENT, pauses, 10), 11);
    assert_memory_equal(pauses, g_pauses, sizeof(g_pauses));
    assert_int_equal(pauses[9], 1000 - 915); /* the last attempt is at the end of the wait */
    assert_int_equal(p.at, START + 1200 * MS);
}

/* Successive failing calls: the pause grows to the longest one and starts again after an answer. */
static void a_loop_of_failing_calls_costs_a_pause_each(void **state)
{
    UNUSED(state);
    static const enum gf_attempt kinds[] = {GF_ATTEMPT_ABSENT, GF_ATTEMPT_CUT, GF_ATTEMPT_REFUSED};
    for (unsigned k = 0; k < GF_ARRAY_LEN(kinds); k++) {
        struct gf_retry p;
        int64_t pauses[9], now = START;
        gf_retry_init(&p, 20, GF_PAUSE_MS);
        for (unsigned i = 0; i < 20; i++) {
            fail_all(&p, now, kinds[k], pauses, 9);
            assert_true(p.at > now && p.at - now <= (200 + 20 + 5) * MS);
            now = p.at;
        }
        assert_int_equal(p.pause, 200 * MS);
        gf_retry_begin(&p, now);
        gf_retry_succeeded(&p);
        assert_true(gf_retry_ended(&p, now, true));
        assert_int_equal(p.at, 0);
        gf_retry_begin(&p, now);
        gf_retry_failed(&p, now, kinds[k]);
        assert_int_equal(p.at, now + 5 * MS);
    }
}

static void a_refusal_is_not_repeated(void **state)
{
    UNUSED(state);
    struct gf_retry p;
    gf_retry_init(&p, 1000, 1000);
    assert_int_equal(fail_all(&p, START, GF_ATTEMPT_REFUSED, NULL, 0), 1);
    assert_int_equal(p.at, START + 5 * MS);
}

static void the_timeout_counts_from_when_somebody_was_there(void **state)
{
    UNUSED(state);
    struct gf_retry p;
    int64_t now = START;
    gf_retry_init(&p, 1000, 60000);
    assert_int_equal(gf_retry_begin(&p, now), now + 1000 * MS);
    assert_true(gf_retry_failed(&p, now, GF_ATTEMPT_ABSENT));
    now = START + 30000 * MS;
    assert_true(gf_retry_failed(&p, now, GF_ATTEMPT_ABSENT));
    assert_int_equal(gf_retry_begin(&p, p.at), p.at + 1000 * MS);
    now = START + 59999 * MS; /* and a wait lasts as long as it was asked for */
    assert_true(gf_retry_failed(&p, now, GF_ATTEMPT_CUT));
    assert_int_equal(p.at, START + 60000 * MS);
    assert_false(gf_retry_failed(&p, p.at, GF_ATTEMPT_ABSENT));
}

static void a_caller_who_was_away_has_one_attempt(void **state)
{
    UNUSED(state);
    struct gf_retry p;
    gf_retry_init(&p, 1000, GF_PAUSE_MS);
    gf_retry_begin(&p, START);
    assert_true(gf_retry_failed(&p, START, GF_ATTEMPT_CUT));
    int64_t now = START + 3600000 * MS;
    assert_int_equal(gf_retry_begin(&p, now), now + 200 * MS);
    assert_false(gf_retry_failed(&p, now, GF_ATTEMPT_CUT));
    gf_retry_begin(&p, now);
    gf_retry_reset(&p); /* no caller waits any more */
    assert_int_equal(gf_retry_begin(&p, now + 1), now + 1 + 1000 * MS);
}

static void useless_connections_are_counted(void **state)
{
    UNUSED(state);
    struct gf_retry p;
    int64_t now = START;
    gf_retry_init(&p, 1000, GF_PAUSE_MS);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < GF_RETRY_MAX_USELESS; i++) {
            gf_retry_begin(&p, now);
            gf_retry_succeeded(&p); /* which alone proves nothing */
            assert_int_equal(gf_retry_ended(&p, now, false), i + 1 < GF_RETRY_MAX_USELESS);
            if (round == 0)
                assert_int_equal(p.at, now + g_pauses[i] * MS);
            now = p.at;
        }
    gf_retry_succeeded(&p);
    assert_true(gf_retry_ended(&p, now, true));
    assert_true(gf_retry_ended(&p, now, false));
    assert_int_equal(p.at, now + 5 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_connections_are_repeated_until_the_timeout),
        cmocka_unit_test(absent_daemons_are_looked_for_twice),
        cmocka_unit_test(absent_daemons_are_waited_for),
        cmocka_unit_test(a_loop_of_failing_calls_costs_a_pause_each),
        cmocka_unit_test(a_refusal_is_not_repeated),
        cmocka_unit_test(the_timeout_counts_from_when_somebody_was_there),
        cmocka_unit_test(a_caller_who_was_away_has_one_attempt),
        cmocka_unit_test(useless_connections_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
