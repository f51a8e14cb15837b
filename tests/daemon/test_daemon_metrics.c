/* SPDX-License-Identifier: MIT */
/* The daemon's metrics equal counts made by hand. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "protocol/wire/metric.h"
#include "tests/unit/unit.h"

#define ABSENT (-1.0)

/* A daemon with one device that obeys, and a client. */
struct bench {
    struct daemon d;
    struct fake cpu;
    int fd;
};

static void bench_start(struct bench *b, const char *const *args)
{
    daemon_init(&b->d, true);
    daemon_spawn(&b->d, "fake", args);
    b->cpu = fake_accept(&b->d);
    fake_tell(&b->cpu, 'h');
    daemon_wait_ready(&b->d);
    b->fd = client_open(&b->d);
}

static void bench_stop(struct bench *b)
{
    close(b->fd);
    close(b->cpu.fd);
    assert_int_equal(daemon_stop(&b->d), 0);
}

/* What is looked for, and what was found. */
struct search {
    const char *name;
    char labels[GF_MAX_METRIC_TEXT + 1];
    struct gf_metric found;
};

static void look_at(void *data, const struct gf_metric *metric)
{
    struct search *s = data;
    if (strcmp(metric->name, s->name) == 0 && strcmp(metric->labels, s->labels) == 0)
        s->found = *metric;
}

/* Asks for all metrics and returns the one with this name and these labels. UID in `labels` stands for this user. */
static struct gf_metric ask(int fd, const char *name, const char *labels)
{
    static struct reply reply;
    struct gf_writer w;
    uint8_t frame[128];
    struct search s = {.name = name, .found = {.value = ABSENT}};
    const char *uid = strstr(labels, "UID");
    if (uid)
        snprintf(s.labels, sizeof s.labels, "%.*s%u%s", (int)(uid - labels), labels, (unsigned)getuid(), uid + 3);
    else
        snprintf(s.labels, sizeof s.labels, "%s", labels);
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_STATS});
    send_frame(fd, &w, GF_FRAME_INFO, 900, NULL, 0, -1);
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_INFO_REPLY);
    assert_int_equal(gf_metrics_decode(reply.body, reply.h.body_len, look_at, &s, NULL), GF_OK);
    return s.found;
}

static void expect(int fd, const char *name, const char *labels, double value)
{
    double got = ask(fd, name, labels).value;
    if (got != value)
        fail_msg("%s{%s} is %g, not %g", name, labels, got, value);
}

/* How many a histogram counted. */
static double counted(int fd, const char *name, const char *labels)
{
    struct gf_metric m = ask(fd, name, labels);
    double n = 0;
    assert_int_equal(m.kind, GF_METRIC_HISTOGRAM);
    for (uint32_t i = 0; i < m.n_bins; i++)
        n += m.bins[i];
    return n;
}

/* Sends a 16x16 request; when the worker has it, gives the worker the command `letter`. */
static void give(struct bench *b, uint64_t id, char letter)
{
    run_send(b->fd, id, 5);
    fake_expect(&b->cpu, "job");
    fake_tell(&b->cpu, letter);
}

static void answers_are_counted_by_device_and_user(void **state)
{
    UNUSED(state);
    struct bench b;
    static struct request r;
    bench_start(&b, (const char *[]){"--devices", "cpu", NULL});
    for (uint64_t id = 2; id < 5; id++) {
        give(&b, id, 'a');
        assert_int_equal(result_expect(b.fd, 5), id);
    }
    give(&b, 5, 'e');
    expect_kind(b.fd, GF_FRAME_ERROR, 5);
    run_send(b.fd, 6, 5);
    fake_expect(&b.cpu, "job");
    send_simple(b.fd, GF_FRAME_CANCEL, 6);
    fake_expect(&b.cpu, "cancel");
    fake_tell(&b.cpu, 'c');
    expect_error(b.fd, 6, GF_E_CANCELLED, "");
    request_init(&r, 16, 16, "cuda:7");
    request_send(&r, b.fd, 7, 5);
    expect_error(b.fd, 7, GF_E_NO_DEVICE, "no device");
    handle_send(b.fd, 8, INLINE, 1, "auto", 5);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    expect_kind(b.fd, GF_FRAME_RESULT, 8);

    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"OK\"", 4);
    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"CANCELLED\"", 1);
    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"BAD_PARAM\"", 1);
    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"NO_DEVICE\"", ABSENT);
    /* Counters with an alert are there before the first count: an increase is only seen from a value to another. */
    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"INTERNAL\"", 0);
    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"DEVICE_LOST\"", 0);
    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"REQUEST_POISON\"", 0);
    expect(b.fd, "gpufilter_device_bytes_total", "device=\"cpu\",direction=\"in\"", 4 * 256);
    expect(b.fd, "gpufilter_device_bytes_total", "device=\"cpu\",direction=\"out\"", 4 * 256);
    expect(b.fd, "gpufilter_device_stage_seconds_total", "device=\"cpu\",stage=\"kernel\"", 4 * 1e-6);
    expect(b.fd, "gpufilter_device_state", "device=\"cpu\"", GF_DEVICE_READY);
    expect(b.fd, "gpufilter_device_jobs", "device=\"cpu\"", 0);
    assert_true(counted(b.fd, "gpufilter_request_seconds", "device=\"cpu\"") == 4);
    assert_true(counted(b.fd, "gpufilter_request_queue_seconds", "device=\"cpu\"") == 4);
    assert_true(ask(b.fd, "gpufilter_request_device_seconds", "device=\"cpu\"").bins[0] == 4); /* 1 us each */

    expect(b.fd, "gpufilter_user_accepted_total", "uid=\"UID\"", 6);
    expect(b.fd, "gpufilter_user_answers_total", "uid=\"UID\",status=\"OK\"", 4);
    expect(b.fd, "gpufilter_user_answers_total", "uid=\"UID\",status=\"CANCELLED\"", 1);
    expect(b.fd, "gpufilter_user_refused_total", "uid=\"UID\",status=\"NO_DEVICE\"", 1);
    expect(b.fd, "gpufilter_user_bytes_total", "uid=\"UID\",way=\"inline\",direction=\"in\"", 4 * 256);
    expect(b.fd, "gpufilter_user_bytes_total", "uid=\"UID\",way=\"inline\",direction=\"out\"", 3 * 256);
    expect(b.fd, "gpufilter_user_bytes_total", "uid=\"UID\",way=\"resident\",direction=\"out\"", 256);
    expect(b.fd, "gpufilter_user_held", "uid=\"UID\",resource=\"resident_bytes\"", 256);
    expect(b.fd, "gpufilter_metrics_left_out", "", 0);
    bench_stop(&b);
}

static void turns_of_the_front_are_counted(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", NULL});
    double before = counted(b.fd, "gpufilter_front_turn_seconds", "");
    double turns = ask(b.fd, "gpufilter_front_turn_seconds", "").value;
    assert_true(counted(b.fd, "gpufilter_front_turn_seconds", "") > before + 1); /* each answer took one */
    assert_true(turns > 0);
    assert_true(turns < ask(b.fd, "gpufilter_front_cpu_seconds_total", "").value);
    bench_stop(&b);
}

static void what_is_held_now_is_told(void **state)
{
    UNUSED(state);
    enum { N = 20, AHEAD = 8, CAPACITY = 8192, CHARGED = 4096 + 256 }; /* of a request in staging */
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", "--user-requests", "33", NULL});
    for (uint64_t id = 2; id < 2 + N; id++)
        run_send(b.fd, id, 3);
    for (int i = 0; i < AHEAD; i++)
        fake_expect(&b.cpu, "job");
    expect(b.fd, "gpufilter_device_jobs", "device=\"cpu\"", AHEAD);
    expect(b.fd, "gpufilter_requests_queued", "", N - AHEAD);
    expect(b.fd, "gpufilter_staging_used_bytes", "", N * CAPACITY);
    expect(b.fd, "gpufilter_user_held", "uid=\"UID\",resource=\"requests\"", N);
    expect(b.fd, "gpufilter_user_held", "uid=\"UID\",resource=\"connections\"", 1);
    expect(b.fd, "gpufilter_limit", "resource=\"requests\"", 33);
    int second = client_open(&b.d); /* which has less than the first, and is not added to it */
    run_send(second, 2, 3);
    send_simple(second, GF_FRAME_PING, 3);
    expect_kind(second, GF_FRAME_PONG, 3);
    expect(b.fd, "gpufilter_user_held", "uid=\"UID\",resource=\"requests\"", N + 1);
    expect(b.fd, "gpufilter_user_connection_held", "uid=\"UID\",resource=\"requests\"", N);
    expect(b.fd, "gpufilter_user_connection_held", "uid=\"UID\",resource=\"inline_bytes\"", N * CHARGED);
    expect(b.fd, "gpufilter_user_connection_held", "uid=\"UID\",resource=\"connections\"", ABSENT);
    expect(b.fd, "gpufilter_user_answers_total", "uid=\"UID\",status=\"OK\"", ABSENT);
    assert_true(ask(b.fd, "gpufilter_device_load_seconds", "device=\"cpu\"").value > 0);
    assert_true(ask(b.fd, "gpufilter_uptime_seconds", "").value > 0);
    fake_tell(&b.cpu, 'A');
    for (int i = 0; i < N; i++)
        result_expect(b.fd, 3);
    assert_int_equal(result_expect(second, 3), 2);
    expect(b.fd, "gpufilter_requests_queued", "", 0);
    expect(b.fd, "gpufilter_user_accepted_total", "uid=\"UID\"", N + 1);
    expect(b.fd, "gpufilter_user_connection_held", "uid=\"UID\",resource=\"requests\"", 0);
    close(second);
    bench_stop(&b);
}

static void deaths_and_restarts_are_counted(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", NULL});
    expect(b.fd, "gpufilter_device_restarts_total", "device=\"cpu\"", 0);
    run_send(b.fd, 2, 5);
    fake_expect(&b.cpu, "job");
    kill(b.cpu.pid, SIGKILL);
    close(b.cpu.fd);
    b.cpu = fake_accept(&b.d);
    expect(b.fd, "gpufilter_device_deaths_total", "device=\"cpu\"", 1);
    expect(b.fd, "gpufilter_device_restarts_total", "device=\"cpu\"", 0);
    fake_tell(&b.cpu, 'A');
    fake_tell(&b.cpu, 'h');
    assert_int_equal(result_expect(b.fd, 5), 2);
    expect(b.fd, "gpufilter_device_deaths_total", "device=\"cpu\"", 1);
    expect(b.fd, "gpufilter_device_restarts_total", "device=\"cpu\"", 1);
    expect(b.fd, "gpufilter_device_answers_total", "device=\"cpu\",status=\"OK\"", 1);
    expect(b.fd, "gpufilter_user_accepted_total", "uid=\"UID\"", 1);
    bench_stop(&b);
}

/* What a worker counts comes with its answers to PINGs. */
static void expect_soon(int fd, const char *name, const char *labels, double value)
{
    while (ask(fd, name, labels).value != value) /* ctest has a limit of time */
        ;
}

static void expressions_are_counted(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", "--worker-timeout", "4", NULL});
    expect(b.fd, "gpufilter_device_expressions_total", "device=\"cpu\",how=\"compiled\"", ABSENT);
    fake_tell(&b.cpu, 'x');
    fake_tell(&b.cpu, 'x');
    expect_soon(b.fd, "gpufilter_device_expressions_total", "device=\"cpu\",how=\"compiled\"", 2);
    expect(b.fd, "gpufilter_device_expressions_total", "device=\"cpu\",how=\"interpreted\"", 0);
    expect(b.fd, "gpufilter_device_kernels_loaded", "device=\"cpu\"", 1);
    kill(b.cpu.pid, SIGKILL);
    close(b.cpu.fd);
    b.cpu = fake_accept(&b.d);
    expect(b.fd, "gpufilter_device_expressions_total", "device=\"cpu\",how=\"compiled\"", 2);
    expect(b.fd, "gpufilter_device_kernels_loaded", "device=\"cpu\"", 0); /* of the one that is there */
    fake_tell(&b.cpu, 'h');
    fake_tell(&b.cpu, 'x');
    expect_soon(b.fd, "gpufilter_device_expressions_total", "device=\"cpu\",how=\"compiled\"", 3);
    expect(b.fd, "gpufilter_device_kernels_loaded", "device=\"cpu\"", 1);
    bench_stop(&b);
}

/* The worker learns whose job it runs, and tells for whom it compiled. */
static void compile_times_are_charged(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", "--worker-timeout", "4", NULL});
    give(&b, 2, 'a');
    assert_int_equal(result_expect(b.fd, 5), 2);
    expect(b.fd, "gpufilter_user_compile_seconds_total", "uid=\"UID\"", ABSENT);
    fake_tell(&b.cpu, 'x');
    fake_tell(&b.cpu, 'x');
    expect_soon(b.fd, "gpufilter_user_compile_seconds_total", "uid=\"UID\"", 0.5);
    fake_tell(&b.cpu, 'x');
    expect_soon(b.fd, "gpufilter_user_compile_seconds_total", "uid=\"UID\"", 0.75);
    bench_stop(&b);
}

/* The worker is asked when a client asks for figures, and has told before the client asks again and again. */
static void figures_of_the_gpu_are_told(void **state)
{
    UNUSED(state);
    struct bench b;
    daemon_init(&b.d, true);
    daemon_spawn(&b.d, "fake", (const char *[]){"--devices", "cpu", "--worker-timeout", "4", NULL});
    b.cpu = fake_accept(&b.d);
    fake_tell(&b.cpu, 'G');
    fake_tell(&b.cpu, 'y');
    fake_tell(&b.cpu, 'y');
    fake_tell(&b.cpu, 'H');
    daemon_wait_ready(&b.d);
    b.fd = client_open(&b.d);
    expect_soon(b.fd, "gpufilter_device_memory_used_bytes", "device=\"cpu\"", 12345);
    expect(b.fd, "gpufilter_device_throttled", "device=\"cpu\",reason=\"hw_slowdown\"", 1);
    expect(b.fd, "gpufilter_device_throttled", "device=\"cpu\",reason=\"sync_boost\"", ABSENT);
    expect(b.fd, "gpufilter_device_memory_total_bytes", "device=\"cpu\"", ABSENT);
    expect(b.fd, "gpufilter_device_gpu_info", "device=\"cpu\",uuid=\"GPU-1\",name=\"fake\"", 1);
    expect(b.fd, "gpufilter_device_xid_errors_total", "device=\"cpu\"", 2);
    expect(b.fd, "gpufilter_device_xid_last", "device=\"cpu\"", 79);
    kill(b.cpu.pid, SIGKILL);
    close(b.cpu.fd);
    b.cpu = fake_accept(&b.d);
    expect(b.fd, "gpufilter_device_memory_used_bytes", "device=\"cpu\"", ABSENT);
    expect(b.fd, "gpufilter_device_gpu_info", "device=\"cpu\",uuid=\"GPU-1\",name=\"fake\"", ABSENT);
    expect(b.fd, "gpufilter_device_xid_errors_total", "device=\"cpu\"", 2); /* of all its processes */
    fake_tell(&b.cpu, 'G');
    fake_tell(&b.cpu, 'y');
    fake_tell(&b.cpu, 'H');
    expect_soon(b.fd, "gpufilter_device_xid_errors_total", "device=\"cpu\"", 3);
    expect(b.fd, "gpufilter_device_memory_used_bytes", "device=\"cpu\"", 12345);
    bench_stop(&b);
}

static void operations_are_counted(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", NULL});
    give(&b, 2, 'a');
    assert_int_equal(result_expect(b.fd, 5), 2);
    give(&b, 3, 'a');
    assert_int_equal(result_expect(b.fd, 5), 3);
    give(&b, 4, 'e');
    expect_kind(b.fd, GF_FRAME_ERROR, 4);
    expect(b.fd, "gpufilter_operation_answers_total", "op=\"box\"", 2);
    expect(b.fd, "gpufilter_operation_seconds_total", "op=\"box\"", 2 * 1e-6);
    expect(b.fd, "gpufilter_operation_answers_total", "op=\"copy\"", ABSENT);
    bench_stop(&b);
}

static void connections_are_counted(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", "--max-connections", "2", NULL});
    expect(b.fd, "gpufilter_connections_refused_total", "status=\"BUSY\"", 0);
    expect(b.fd, "gpufilter_log_lost_total", "", 0);
    int second = client_open(&b.d), third = client_open(&b.d), fourth = client_connect(&b.d);
    expect_error(fourth, 0, GF_E_BUSY, "2 connections");
    expect(b.fd, "gpufilter_connections_open", "", 3); /* one of them looks on */
    expect(b.fd, "gpufilter_user_held", "uid=\"UID\",resource=\"connections\"", 2);
    expect(b.fd, "gpufilter_connections_total", "", 3);
    expect(b.fd, "gpufilter_connections_refused_total", "status=\"BUSY\"", 1);
    expect(b.fd, "gpufilter_refused_total", "resource=\"connections\"", 1); /* the one that looks on is none */
    expect(b.fd, "gpufilter_user_connections_total", "uid=\"UID\"", 3);
    close(second);
    close(third);
    close(fourth);
    bench_stop(&b);
}

/* A refusal counts under the resource whose limit was reached. A request that waits for memory is not refused. */
static void refusals_are_counted_by_resource(void **state)
{
    UNUSED(state);
    struct bench b;
    static struct request r;
    bench_start(&b, (const char *[]){"--devices", "cpu", "--user-handles", "1", "--staging", "9000", NULL});
    expect(b.fd, "gpufilter_refused_total", "resource=\"handles\"", 0);
    handle_send(b.fd, 2, INLINE, 1, "auto", 5);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    expect_kind(b.fd, GF_FRAME_RESULT, 2);
    handle_send(b.fd, 3, INLINE, 2, "auto", 5);
    expect_error(b.fd, 3, GF_E_QUOTA, "user-handles");
    expect(b.fd, "gpufilter_refused_total", "resource=\"handles\"", 1);
    request_init(&r, 128, 64, "auto");
    request_send(&r, b.fd, 4, 1);
    expect_error(b.fd, 4, GF_E_QUOTA, "inline data of 16384 bytes");
    for (uint64_t id = 5; id < 8; id++)
        run_send(b.fd, id, 3);
    for (int i = 0; i < 3; i++) {
        fake_expect(&b.cpu, "job");
        fake_tell(&b.cpu, 'a');
    }
    for (uint64_t id = 5; id < 8; id++)
        expect_kind(b.fd, GF_FRAME_RESULT, id);
    expect(b.fd, "gpufilter_refused_total", "resource=\"inline_bytes\"", 1);
    expect(b.fd, "gpufilter_refused_total", "resource=\"requests\"", 0);
    bench_stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_counted_by_device_and_user),
        cmocka_unit_test(turns_of_the_front_are_counted),
        cmocka_unit_test(what_is_held_now_is_told),
        cmocka_unit_test(deaths_and_restarts_are_counted),
        cmocka_unit_test(expressions_are_counted),
        cmocka_unit_test(compile_times_are_charged),
        cmocka_unit_test(figures_of_the_gpu_are_told),
        cmocka_unit_test(operations_are_counted),
        cmocka_unit_test(connections_are_counted),
        cmocka_unit_test(refusals_are_counted_by_resource),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
