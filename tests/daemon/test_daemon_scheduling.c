/* SPDX-License-Identifier: MIT */
/* The device that a request gets, the reason in its answer, and the order of requests. Fake workers hold their jobs. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/gaussian.h"
#include "tests/unit/unit.h"

/* A daemon with the CPU and one GPU, both ready and controlled. */
struct pair {
    struct daemon d;
    struct fake cpu, gpu;
    int fd;
};

static struct request r;

static void pair_start(struct pair *p)
{
    daemon_init(&p->d, true);
    daemon_spawn(&p->d, "fake", (const char *[]){"--devices", "cpu,cuda:0", NULL});
    struct fake one = fake_accept(&p->d), two = fake_accept(&p->d);
    bool first = strcmp(one.device, "cpu") == 0;
    p->cpu = first ? one : two;
    p->gpu = first ? two : one;
    fake_tell(&p->cpu, 'h');
    daemon_wait_ready(&p->d);
    fake_tell(&p->gpu, 'h');
    p->fd = client_open(&p->d);
    request_init(&r, 16, 16, "cuda:0"); /* which waits until it is ready */
    request_send(&r, p->fd, 1, 5);
    fake_expect(&p->gpu, "job");
    fake_tell(&p->gpu, 'a');
    assert_int_equal(result_expect(p->fd, 5), 1);
}

static void pair_stop(struct pair *p)
{
    close(p->fd);
    close(p->cpu.fd);
    close(p->gpu.fd);
    assert_int_equal(daemon_stop(&p->d), 0);
}

/* Sends a small picture with half a billion taps: long for the CPU, short for a GPU. */
static void send_long(int fd, uint64_t id, const char *device)
{
    request_init(&r, 256, 256, device);
    r.program.steps[0].op = gf_op_by_name("gaussian");
    gf_op_params_default(r.program.steps[0].op, &r.program.steps[0].params);
    GF_SET_PARAM(&r.program.steps[0].params, gaussian, sigma, (struct gf_f32v){.n = 1, .v = {2047}});
    GF_SET_PARAM(&r.program.steps[0].params, gaussian, truncate, 1);
    request_send(&r, fd, id, 5);
}

static void send_short(int fd, uint64_t id, const char *device)
{
    request_init(&r, 16, 16, device);
    request_send(&r, fd, id, 5);
}

/* All that was sent has been read. */
static void await(int fd)
{
    send_simple(fd, GF_FRAME_PING, 99);
    expect_kind(fd, GF_FRAME_PONG, 99);
}

/* Receives a RESULT with the id, checks its device and copies the reason for the device to `why`. */
static void expect_why(int fd, uint64_t id, const char *device, char why[GF_MAX_WHY + 1])
{
    static struct reply reply;
    static struct gf_run_reply run;
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_RESULT);
    assert_true(reply.h.id == id);
    assert_int_equal(gf_run_reply_decode(reply.body, reply.h.body_len, &run, NULL), GF_OK);
    free(reply.payload);
    assert_string_equal(run.device, device);
    memcpy(why, run.why, sizeof run.why);
}

static void auto_takes_the_device_that_is_done_first(void **state)
{
    UNUSED(state);
    struct pair p;
    char why[GF_MAX_WHY + 1];
    double cpu, gpu;
    pair_start(&p);
    send_short(p.fd, 2, "auto");
    fake_expect(&p.cpu, "job");
    fake_tell(&p.cpu, 'a');
    expect_why(p.fd, 2, "cpu", why);
    assert_int_equal(sscanf(why, "cpu %lf ms, cuda:0 %lf ms", &cpu, &gpu), 2);
    assert_true(cpu < gpu);
    send_long(p.fd, 3, "auto");
    fake_expect(&p.gpu, "job");
    fake_tell(&p.gpu, 'a');
    expect_why(p.fd, 3, "cuda:0", why);
    assert_int_equal(sscanf(why, "cuda:0 %lf ms, cpu %lf ms", &gpu, &cpu), 2);
    assert_true(gpu < cpu);
    /* Without a choice there is nothing to compare. */
    send_long(p.fd, 4, "cpu");
    fake_expect(&p.cpu, "job");
    fake_tell(&p.cpu, 'a');
    expect_why(p.fd, 4, "cpu", why);
    assert_non_null(strstr(why, " ms (as requested)"));
    handle_send(p.fd, 5, INLINE, 1, "cuda:0", 5);
    fake_expect(&p.gpu, "job");
    fake_tell(&p.gpu, 'a');
    expect_why(p.fd, 5, "cuda:0", why);
    assert_non_null(strstr(why, " ms (where its buffers are)"));
    pair_stop(&p);
}

static void what_does_not_fit_a_gpu_runs_on_the_cpu(void **state)
{
    UNUSED(state);
    struct pair p;
    char why[GF_MAX_WHY + 1];
    pair_start(&p);
    send_long(p.fd, 2, "auto");
    fake_expect(&p.gpu, "job");
    fake_tell(&p.gpu, 'm');
    fake_expect(&p.cpu, "job");
    fake_tell(&p.cpu, 'a');
    expect_why(p.fd, 2, "cpu", why);
    assert_non_null(strstr(why, " ms (too large for a GPU's memory)"));
    send_long(p.fd, 3, "cuda:0"); /* who asks for it gets its answer */
    fake_expect(&p.gpu, "job");
    fake_tell(&p.gpu, 'm');
    expect_error(p.fd, 3, GF_E_NO_DEVICE_MEMORY, "64 GiB are needed");
    pair_stop(&p);
}

static void what_a_device_has_counts(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    /* The CPU is best for these requests until it has so many that the GPU would finish first. */
    for (uint64_t id = 2; id < 10; id++)
        send_short(p.fd, id, "auto");
    fake_expect(&p.cpu, "job");
    fake_expect(&p.gpu, "job");
    fake_tell(&p.cpu, 'A');
    fake_tell(&p.gpu, 'A');
    for (uint64_t id = 2; id < 10; id++)
        result_expect(p.fd, 5);
    pair_stop(&p);
}

static void a_short_request_passes_a_flood_of_long_ones(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    for (uint64_t id = 2; id < 22; id++)
        send_long(p.fd, id, "cpu");
    uint64_t first = fake_expect(&p.cpu, "job"), second = fake_expect(&p.cpu, "job");
    assert_int_equal(second, first + 1);
    await(p.fd);
    /* Another client is next in turn, but its request is too long to join the worker's jobs. */
    int second_hog = client_open(&p.d);
    send_long(second_hog, 2, "cpu");
    await(second_hog);
    int light = client_open(&p.d);
    for (uint64_t id = 30; id < 33; id++) {
        send_short(light, id, "cpu");
        assert_true(fake_expect(&p.cpu, "job") > first + 20); /* no long request came first */
    }
    fake_tell(&p.cpu, 'A');
    for (uint64_t id = 30; id < 33; id++)
        assert_int_equal(result_expect(light, 5), id);
    for (uint64_t id = 2; id < 22; id++)
        assert_int_equal(result_expect(p.fd, 5), id);
    assert_int_equal(result_expect(second_hog, 5), 2);
    close(second_hog);
    close(light);
    pair_stop(&p);
}

static void a_long_request_is_not_passed_for_ever(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    for (uint64_t id = 2; id < 42; id++)
        send_short(p.fd, id, "cpu");
    uint64_t last = 0;
    for (uint64_t k = 0; k < 8; k++)
        last = fake_expect(&p.cpu, "job");
    await(p.fd);
    int other = client_open(&p.d);
    send_long(other, 50, "cpu");
    send_short(other, 51, "cpu");
    await(other);
    /* It is next. */
    fake_tell(&p.cpu, 'a');
    assert_int_equal(result_expect(p.fd, 5), 2);
    assert_int_equal(fake_expect(&p.cpu, "job"), last + 33);
    fake_tell(&p.cpu, 'A');
    for (uint64_t id = 3; id < 42; id++)
        assert_int_equal(result_expect(p.fd, 5), id);
    assert_int_equal(result_expect(other, 5), 50);
    assert_int_equal(result_expect(other, 5), 51);
    close(other);
    pair_stop(&p);
}

/* A request that was cancelled is charged what the worker says that it took, not how long the worker had it. */
static void a_cancelled_request_is_charged_what_it_took(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    int a = client_open(&p.d), b = client_open(&p.d);
    send_long(a, 2, "cpu");
    fake_expect(&p.cpu, "job");
    send_simple(a, GF_FRAME_CANCEL, 2);
    fake_expect(&p.cpu, "cancel");
    fake_tell(&p.cpu, 'C'); /* it took 10 s */
    expect_error(a, 2, GF_E_CANCELLED, "cancelled");
    send_long(b, 2, "cpu");
    fake_expect(&p.cpu, "job");
    fake_tell(&p.cpu, 'L'); /* 5 s */
    assert_int_equal(result_expect(b, 5), 2);
    send_long(p.fd, 2, "cpu");
    send_long(p.fd, 3, "cpu");
    fake_expect(&p.cpu, "job");
    uint64_t last = fake_expect(&p.cpu, "job");
    send_long(a, 3, "cpu");
    await(a);
    send_long(b, 3, "cpu");
    await(b);
    fake_tell(&p.cpu, 'a');
    assert_int_equal(fake_expect(&p.cpu, "job"), last + 2); /* b's passes a's */
    fake_tell(&p.cpu, 'A');
    assert_int_equal(result_expect(a, 5), 3);
    assert_int_equal(result_expect(b, 5), 3);
    close(a);
    close(b);
    pair_stop(&p);
}

static void a_flood_for_one_device_leaves_the_others_alone(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    for (uint64_t id = 2; id < 60; id++) /* which are all better off waiting for the GPU */
        send_long(p.fd, id, "auto");
    for (int i = 0; i < 8; i++)
        fake_expect(&p.gpu, "job");
    await(p.fd);
    int light = client_open(&p.d);
    send_short(light, 2, "auto");
    fake_expect(&p.cpu, "job");
    fake_tell(&p.cpu, 'a');
    assert_int_equal(result_expect(light, 5), 2);
    fake_tell(&p.gpu, 'A');
    fake_tell(&p.cpu, 'A');
    for (uint64_t id = 2; id < 60; id++)
        result_expect(p.fd, 5);
    close(light);
    pair_stop(&p);
}

static void connections_spread_their_buffers(void **state)
{
    UNUSED(state);
    struct daemon d;
    bool seen[2] = {false, false};
    char why[GF_MAX_WHY + 1];
    static struct reply reply;
    static struct gf_run_reply run;
    daemon_start(&d, (const char *[]){"--devices", "cpu,cuda:0,cuda:1", NULL});
    int fds[3];
    for (int i = 0; i < 3; i++)
        fds[i] = client_open(&d);
    static const char *const devices[] = {"cuda:0", "cuda:1"};
    for (int i = 0; i < 2; i++) { /* both are ready then */
        send_short(fds[2], 2, devices[i]);
        expect_why(fds[2], 2, devices[i], why);
    }
    for (int i = 0; i < 2; i++) {
        handle_send(fds[i], 2, INLINE, 1, "auto", 5);
        assert_true(receive(fds[i], &reply));
        assert_int_equal(gf_run_reply_decode(reply.body, reply.h.body_len, &run, NULL), GF_OK);
        free(reply.payload);
        assert_int_equal(strncmp(run.device, "cuda:", 5), 0);
        seen[run.device[5] - '0'] = true;
    }
    assert_true(seen[0] && seen[1]);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_the_device_that_is_done_first),
        cmocka_unit_test(what_does_not_fit_a_gpu_runs_on_the_cpu),
        cmocka_unit_test(what_a_device_has_counts),
        cmocka_unit_test(a_short_request_passes_a_flood_of_long_ones),
        cmocka_unit_test(a_long_request_is_not_passed_for_ever),
        cmocka_unit_test(a_cancelled_request_is_charged_what_it_took),
        cmocka_unit_test(a_flood_for_one_device_leaves_the_others_alone),
        cmocka_unit_test(connections_spread_their_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
