/* SPDX-License-Identifier: MIT */
/* One request runs on all GPUs: each computes its rows, and whatever happens to a part, there is one answer. */
#include <string.h>

#include "harness.h"
#include "tests/unit/unit.h"

/* A daemon with the CPU and two GPUs, all ready and controlled. */
struct three {
    struct daemon d;
    struct fake cpu, gpu[2];
    int fd;
};

static struct request r;

static void run_on(int fd, uint64_t id, const char *device)
{
    request_init(&r, 16, 16, device);
    request_send(&r, fd, id, 5);
}

static void three_start(struct three *t)
{
    daemon_init(&t->d, true);
    daemon_spawn(&t->d, "fake", (const char *[]){"--devices", "cpu,cuda:0,cuda:1", NULL});
    for (int i = 0; i < 3; i++) {
        struct fake f = fake_accept(&t->d);
        fake_tell(&f, 'h');
        *(strcmp(f.device, "cpu") == 0 ? &t->cpu : &t->gpu[f.device[5] - '0']) = f;
    }
    daemon_wait_ready(&t->d);
    t->fd = client_open(&t->d);
}

static void three_stop(struct three *t)
{
    close(t->fd);
    close(t->cpu.fd);
    close(t->gpu[0].fd);
    close(t->gpu[1].fd);
    assert_int_equal(daemon_stop(&t->d), 0);
}

/* A request that both GPUs have a part of. */
static void begin(struct three *t, uint64_t id)
{
    run_on(t->fd, id, "cuda:all");
    fake_expect(&t->gpu[0], "job");
    fake_expect(&t->gpu[1], "job");
}

/* No answer has come: that of a ping comes first. */
static void nothing_yet(int fd)
{
    send_simple(fd, GF_FRAME_PING, 99);
    expect_kind(fd, GF_FRAME_PONG, 99);
}

static void every_gpu_makes_its_rows(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    for (int first = 0; first < 2; first++) {
        begin(&t, 1);
        fake_tell(&t.gpu[first], 'a');
        nothing_yet(t.fd);
        fake_tell(&t.gpu[!first], 'a');
        struct reply reply;
        struct gf_run_reply run;
        assert_true(receive(t.fd, &reply));
        assert_int_equal(gf_run_reply_decode(reply.body, reply.h.body_len, &run, NULL), GF_OK);
        assert_string_equal(run.device, "cuda:all");
        assert_string_equal(run.why, "a slab of rows on each of cuda:0 cuda:1");
        assert_int_equal(run.times.kernel, 1000); /* beside each other */
        for (size_t i = 0; i < 256; i++)
            assert_int_equal(reply.payload[i], 6);
        free(reply.payload);
    }
    three_stop(&t);
}

static void a_part_that_fails_stops_the_others(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    begin(&t, 1);
    fake_tell(&t.gpu[1], 'e');
    fake_expect(&t.gpu[0], "cancel");
    nothing_yet(t.fd);
    fake_tell(&t.gpu[0], 'c');
    expect_error(t.fd, 1, GF_E_BAD_PARAM, "not finite");
    three_stop(&t);
}

static void a_part_of_a_gpu_that_dies_runs_on_the_cpu(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    begin(&t, 1);
    fake_tell(&t.gpu[0], 'k');
    fake_expect(&t.cpu, "job");
    fake_tell(&t.gpu[1], 'a');
    fake_tell(&t.cpu, 'a');
    assert_int_equal(result_expect(t.fd, 5), 1);
    three_stop(&t);
}

static void cancel_reaches_all_parts(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    begin(&t, 1);
    send_simple(t.fd, GF_FRAME_CANCEL, 1);
    fake_expect(&t.gpu[0], "cancel");
    fake_expect(&t.gpu[1], "cancel");
    fake_tell(&t.gpu[0], 'c');
    fake_tell(&t.gpu[1], 'c');
    expect_error(t.fd, 1, GF_E_CANCELLED, "cancelled");
    three_stop(&t);
}

/* The part of a fully busy GPU is still queued when the client goes or cancels. */
static void parts_that_wait_are_cancelled_too(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    for (uint64_t i = 0; i < 8; i++) {
        run_on(t.fd, 10 + i, "cuda:0");
        fake_expect(&t.gpu[0], "job");
    }
    for (int leaves = 0; leaves < 2; leaves++) {
        int other = client_open(&t.d);
        run_on(other, 1, "cuda:all");
        fake_expect(&t.gpu[1], "job");
        if (leaves)
            close(other);
        else
            send_simple(other, GF_FRAME_CANCEL, 1);
        fake_expect(&t.gpu[1], "cancel");
        fake_tell(&t.gpu[1], 'c');
        if (leaves)
            continue;
        expect_error(other, 1, GF_E_CANCELLED, "cancelled");
        close(other);
    }
    for (uint64_t i = 0; i < 8; i++) {
        fake_tell(&t.gpu[0], 'a');
        result_expect(t.fd, 5);
    }
    run_on(t.fd, 3, "cuda:1"); /* all is as it was */
    fake_expect(&t.gpu[1], "job");
    fake_tell(&t.gpu[1], 'a');
    assert_int_equal(result_expect(t.fd, 5), 3);
    three_stop(&t);
}

static void what_cannot_be_split_is_refused(void **state)
{
    UNUSED(state);
    struct three t;
    three_start(&t);
    handle_send(t.fd, 1, INLINE, 7, "cuda:all", 5);
    expect_error(t.fd, 1, GF_E_UNSUPPORTED, "resident buffers are on one device");
    request_init(&r, 16, 16, "cuda:0");
    r.program.part = 1;
    r.program.n_parts = 2;
    request_send(&r, t.fd, 2, 5);
    expect_error(t.fd, 2, GF_E_BAD_REQUEST, "PART is for workers");
    three_stop(&t);
}

static void without_a_gpu_there_is_none(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    int fd = client_open(&d);
    run_on(fd, 1, "cuda:all");
    expect_error(fd, 1, GF_E_NO_DEVICE, "no GPU is present");
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gpu_makes_its_rows),
        cmocka_unit_test(a_part_that_fails_stops_the_others),
        cmocka_unit_test(a_part_of_a_gpu_that_dies_runs_on_the_cpu),
        cmocka_unit_test(cancel_reaches_all_parts),
        cmocka_unit_test(parts_that_wait_are_cancelled_too),
        cmocka_unit_test(what_cannot_be_split_is_refused),
        cmocka_unit_test(without_a_gpu_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
