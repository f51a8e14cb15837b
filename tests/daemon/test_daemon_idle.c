/* SPDX-License-Identifier: MIT */
/* Idle GPUs release their memory and come back for the next request. */
#include <string.h>

#include "harness.h"
#include "tests/unit/unit.h"

#define GPUS 2u

/* A CPU that answers everything and two GPUs that were ready and have become idle. */
struct three {
    struct daemon d;
    struct fake cpu, gpu[GPUS];
    int fd;
};

static struct fake *place_of(struct three *t, const struct fake *f)
{
    return strcmp(f->device, "cpu") == 0 ? &t->cpu : &t->gpu[f->device[strlen("cuda:")] - '0'];
}

/* Accepts the next worker that starts; it says hello and then answers everything. */
static struct fake *bring_up(struct three *t)
{
    struct fake f = fake_accept(&t->d), *place = place_of(t, &f);
    *place = f;
    fake_tell(place, 'A');
    fake_tell(place, 'h');
    return place;
}

/* Its process ends. */
static void expect_rest(struct fake *f)
{
    char rest;
    while (read(f->fd, &rest, 1) == 1)
        ;
    close(f->fd);
    f->fd = -1;
}

static void three_start(struct three *t)
{
    daemon_init(&t->d, true);
    daemon_spawn(&t->d, "fake", (const char *[]){"--devices", "cpu,cuda:0,cuda:1", "--idle-release", "0.01", NULL});
    for (uint32_t i = 0; i < 1 + GPUS; i++)
        bring_up(t);
    daemon_wait_ready(&t->d);
    t->fd = client_open(&t->d);
    expect_rest(&t->gpu[0]);
    expect_rest(&t->gpu[1]);
    health_await(t->fd, GF_HEALTH_READY, "cpu is ready, cuda:0 is idle, cuda:1 is idle");
}

static void three_stop(struct three *t)
{
    close(t->fd);
    close(t->cpu.fd);
    assert_int_equal(daemon_stop(&t->d), 0);
}

/* Asks for work on a device. */
static void ask(struct three *t, const char *device, uint64_t id, uint8_t value)
{
    static struct request r;
    request_init(&r, 16, 16, device);
    request_send(&r, t->fd, id, value);
}

static void gpus_without_work_rest_until_they_are_asked(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    ask(&t, "cuda:1", 2, 40);
    assert_ptr_equal(bring_up(&t), &t.gpu[1]);
    assert_int_equal(result_expect(t.fd, 40), 2);
    expect_rest(&t.gpu[1]);
    health_await(t.fd, GF_HEALTH_READY, "cuda:0 is idle, cuda:1 is idle");
    three_stop(&t);
}

static void a_request_for_any_device_is_not_kept_waiting(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    ask(&t, "auto", 2, 40);
    assert_int_equal(result_expect(t.fd, 40), 2); /* on the CPU, while one GPU starts */
    struct fake one = fake_accept(&t.d);
    assert_string_equal(one.device, "cuda:0");
    ask(&t, "auto", 3, 50);
    assert_int_equal(result_expect(t.fd, 50), 3);
    health_await(t.fd, GF_HEALTH_DEGRADED, "cuda:0 is starting, cuda:1 is idle");
    /* All of them are needed for this. */
    ask(&t, "cuda:all", 4, 60);
    fake_tell(&one, 'A');
    fake_tell(&one, 'h');
    t.gpu[0] = one;
    assert_ptr_equal(bring_up(&t), &t.gpu[1]);
    assert_int_equal(result_expect(t.fd, 60), 4);
    expect_rest(&t.gpu[0]);
    expect_rest(&t.gpu[1]);
    three_stop(&t);
}

static void a_buffer_keeps_its_gpu(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    handle_send(t.fd, 2, INLINE, 5, "cuda:0", 10);
    bring_up(&t);
    expect_kind(t.fd, GF_FRAME_RESULT, 2);
    ask(&t, "cuda:1", 3, 40);
    bring_up(&t);
    assert_int_equal(result_expect(t.fd, 40), 3);
    expect_rest(&t.gpu[1]); /* and the first one does not */
    handle_send(t.fd, 4, 5, INLINE, "auto", 0);
    assert_int_equal(result_expect(t.fd, 11), 4);
    free_send(t.fd, 5, 5);
    expect_kind(t.fd, GF_FRAME_DONE, 5);
    expect_rest(&t.gpu[0]);
    /* A new buffer is made on an empty device, although its worker must start first. */
    handle_send(t.fd, 6, INLINE, 6, "auto", 20);
    struct fake *home = bring_up(&t);
    expect_kind(t.fd, GF_FRAME_RESULT, 6);
    handle_send(t.fd, 7, 6, INLINE, "auto", 0);
    assert_int_equal(result_expect(t.fd, 21), 7);
    assert_ptr_equal(home, &t.gpu[0]);
    close(t.gpu[0].fd);
    three_stop(&t);
}

/* A GPU's worker needs time to end. A request meanwhile is served by the next worker. */
static void a_request_while_it_ends_is_answered(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    ask(&t, "cuda:0", 2, 30);
    t.gpu[0] = fake_accept(&t.d);
    fake_tell(&t.gpu[0], 's');
    fake_tell(&t.gpu[0], 'h');
    fake_expect(&t.gpu[0], "job");
    fake_tell(&t.gpu[0], 'a');
    assert_int_equal(result_expect(t.fd, 30), 2);
    fake_expect(&t.gpu[0], "gone");
    health_await(t.fd, GF_HEALTH_READY, "cuda:0 is idle");
    ask(&t, "cuda:0", 3, 40);
    fake_tell(&t.gpu[0], 'k');
    close(t.gpu[0].fd);
    assert_ptr_equal(bring_up(&t), &t.gpu[0]);
    assert_int_equal(result_expect(t.fd, 40), 3);
    close(t.gpu[0].fd);
    three_stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_without_work_rest_until_they_are_asked),
        cmocka_unit_test(a_request_for_any_device_is_not_kept_waiting),
        cmocka_unit_test(a_buffer_keeps_its_gpu),
        cmocka_unit_test(a_request_while_it_ends_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
