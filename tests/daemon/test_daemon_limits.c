/* SPDX-License-Identifier: MIT */
/* Limits of a connection and of its user: which requests wait, which are refused, and which clients are unaffected. */
#include <string.h>

#include "harness.h"
#include "tests/unit/unit.h"

/* A daemon with one worker that holds its jobs. */
static struct fake start(struct daemon *d, const char *const *args)
{
    daemon_init(d, true);
    daemon_spawn(d, "fake", args);
    struct fake cpu = fake_accept(d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(d);
    return cpu;
}

static void stop(struct daemon *d, struct fake *cpu)
{
    close(cpu->fd);
    assert_int_equal(daemon_stop(d), 0);
}

static void ping(int fd)
{
    send_simple(fd, GF_FRAME_PING, 99);
    expect_kind(fd, GF_FRAME_PONG, 99);
}

static void over_in_flight_a_connection_is_not_read(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start(&d, (const char *[]){"--devices", "cpu", "--in-flight", "3", NULL});
    int fd = client_open(&d), other = client_open(&d);
    for (uint64_t id = 2; id < 7; id++)
        run_send(fd, id, 3);
    send_simple(fd, GF_FRAME_PING, 99); /* queued behind requests that are not read yet */
    uint64_t last = 0;
    for (int i = 0; i < 3; i++)
        last = fake_expect(&cpu, "job");
    ping(other);
    run_send(other, 2, 4);
    assert_int_equal(fake_expect(&cpu, "job"), last + 1); /* not the first one's fourth */
    fake_tell(&cpu, 'A');
    for (uint64_t id = 2; id < 4; id++)
        assert_int_equal(result_expect(fd, 3), id);
    uint32_t results = 0, pongs = 0;
    static struct reply reply;
    while (results + pongs < 4) {
        assert_true(receive(fd, &reply));
        free(reply.payload);
        results += reply.h.kind == GF_FRAME_RESULT;
        pongs += reply.h.kind == GF_FRAME_PONG;
    }
    assert_int_equal(results, 3);
    assert_int_equal(result_expect(other, 4), 2);
    close(fd);
    close(other);
    stop(&d, &cpu);
}

/* A request needs 4352 bytes: a page for operands and 256 bytes of results. */
static void over_staging_only_the_connection_waits(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start(&d, (const char *[]){"--devices", "cpu", "--staging", "9000", NULL});
    int fd = client_open(&d), other = client_open(&d);
    for (uint64_t id = 2; id < 6; id++)
        run_send(fd, id, 3);
    fake_expect(&cpu, "job");
    uint64_t last = fake_expect(&cpu, "job");
    run_send(other, 2, 4);
    uint64_t next = fake_expect(&cpu, "job");
    assert_true(next > last);
    fake_tell(&cpu, 'a');
    fake_tell(&cpu, 'a');
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(other, 4), 2);
    fake_tell(&cpu, 'A');
    for (uint64_t id = 2; id < 6; id++)
        assert_int_equal(result_expect(fd, 3), id);
    /* What could never be taken is refused. */
    static struct request r;
    request_init(&r, 128, 64, "auto");
    request_send(&r, fd, 20, 1);
    expect_error(fd, 20, GF_E_QUOTA, "inline data of 16384 bytes; the limit is 9000 (staging, user-staging)");
    close(fd);
    close(other);
    stop(&d, &cpu);
}

static void make(int fd, struct fake *cpu, uint64_t id, uint32_t handle)
{
    handle_send(fd, id, INLINE, handle, "auto", 0);
    fake_expect(cpu, "job");
    fake_tell(cpu, 'a');
    expect_kind(fd, GF_FRAME_RESULT, id);
}

static void resident_bytes_and_handles_are_limited_twice(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu =
        start(&d, (const char *[]){"--devices", "cpu", "--resident-bytes", "512", "--user-handles", "3", NULL});
    int fd = client_open(&d), other = client_open(&d);
    make(fd, &cpu, 2, 5);
    make(fd, &cpu, 3, 6);
    handle_send(fd, 4, INLINE, 7, "auto", 0);
    expect_error(fd, 4, GF_E_QUOTA,
                 "the connection holds 512 bytes of resident buffers; 256 more would exceed the limit of 512 "
                 "(resident-bytes)");
    make(other, &cpu, 2, 5);
    handle_send(other, 3, INLINE, 6, "auto", 0);
    expect_error(other, 3, GF_E_QUOTA, "holds 3 handles; 1 more would exceed the limit of 3 (user-handles)");
    /* Leaving gives all back. */
    close(fd);
    fake_expect(&cpu, "free");
    fake_expect(&cpu, "free");
    make(other, &cpu, 4, 6);
    close(other);
    stop(&d, &cpu);
}

/* Other requests occupy the worker past the deadline: the request is answered, and no worker ever gets it. */
static void a_deadline_in_the_queue_costs_no_work(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    struct fake cpu = start(&d, (const char *[]){"--devices", "cpu", NULL});
    int fd = client_open(&d);
    for (uint64_t id = 2; id < 10; id++) {
        run_send(fd, id, 1);
        fake_expect(&cpu, "job");
    }
    request_init(&r, 16, 16, "cpu");
    r.program.deadline_ms = 30;
    request_send(&r, fd, 10, 2);
    expect_error(fd, 10, GF_E_DEADLINE, "the deadline passed");
    send_simple(fd, GF_FRAME_CANCEL, 10); /* the id is no longer known */
    fake_tell(&cpu, 'A');
    for (uint64_t id = 2; id < 10; id++)
        assert_int_equal(result_expect(fd, 1), id);
    run_send(fd, 11, 3);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'A');
    assert_int_equal(result_expect(fd, 3), 11); /* a job that the worker got earlier would be answered first */
    ping(fd);
    close(fd);
    stop(&d, &cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_in_flight_a_connection_is_not_read),
        cmocka_unit_test(over_staging_only_the_connection_waits),
        cmocka_unit_test(a_deadline_in_the_queue_costs_no_work),
        cmocka_unit_test(resident_bytes_and_handles_are_limited_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
