/* SPDX-License-Identifier: MIT */
/* Well-formed requests: each gets exactly one answer, and a refusal leaves the connection open. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"
#include "protocol/base/clock.h"
#include "server/front/base/options.h"
#include "tests/unit/unit.h"

static void hello_tells_limits_and_devices(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct gf_writer w;
    uint8_t frame[512];
    static struct reply reply;
    static struct gf_hello_reply hello;
    daemon_start(&d, (const char *[]){"--devices", "cpu,cuda:0", "--max-inline", "1M", "--in-flight", "7",
                                      "--node-name", "node-1.example_b", NULL});
    int fd = client_connect(&d);
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_encode(&w, &(struct gf_hello){GF_VERSION_MIN, GF_VERSION, "test", "auto"});
    send_frame(fd, &w, GF_FRAME_HELLO, 9, NULL, 0, -1);
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_HELLO_REPLY);
    assert_int_equal(gf_hello_reply_decode(reply.body, reply.h.body_len, &hello, NULL), GF_OK);
    assert_int_equal(hello.version, GF_VERSION);
    assert_string_equal(hello.node, "node-1.example_b");
    assert_int_equal(hello.connection, 1);
    assert_false(hello.fd_passing); /* none was sent */
    assert_int_equal(hello.limits[GF_LIMIT_MAX_INLINE], 1 << 20);
    assert_int_equal(hello.limits[GF_LIMIT_IN_FLIGHT], 7);
    assert_int_equal(hello.limits[GF_LIMIT_HANDLES], 256);
    assert_int_equal(hello.n_devices, 2);
    assert_string_equal(hello.devices[0].name, "cpu");
    assert_string_equal(hello.devices[1].name, "cuda:0");
    /* A second one is refused, and nothing ends. */
    send_frame(fd, &w, GF_FRAME_HELLO, 10, NULL, 0, -1);
    expect_error(fd, 10, GF_E_BAD_REQUEST, "HELLO was sent already");
    send_simple(fd, GF_FRAME_PING, 77);
    expect_kind(fd, GF_FRAME_PONG, 77);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void greet(int fd, struct gf_hello_reply *ret)
{
    struct gf_writer w;
    uint8_t frame[512];
    static struct reply reply;
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_encode(&w, &(struct gf_hello){GF_VERSION_MIN, GF_VERSION, "test", "auto"});
    send_frame(fd, &w, GF_FRAME_HELLO, 9, NULL, 0, -1);
    assert_true(receive(fd, &reply));
    assert_int_equal(gf_hello_reply_decode(reply.body, reply.h.body_len, ret, NULL), GF_OK);
}

static void connections_are_numbered_and_the_node_is_the_host(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct gf_hello_reply hello;
    char host[65] = {0};
    assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
    for (char *p = host + strspn(host, GF_NODE_NAME_CHARS); *p != '\0'; p += strspn(p, GF_NODE_NAME_CHARS))
        *p = '_';
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    for (uint64_t n = 1; n <= 3; n++) {
        int fd = client_connect(&d);
        greet(fd, &hello);
        assert_int_equal(hello.connection, n);
        assert_string_equal(hello.node, host);
        close(fd);
    }
    assert_int_equal(daemon_stop(&d), 0);
}

static void requests_may_follow_hello_at_once(void **state)
{
    UNUSED(state);
    struct daemon d;
    uint8_t frame[512];
    struct gf_writer w;
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    int fd = client_connect(&d);
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_encode(&w, &(struct gf_hello){GF_VERSION_MIN, GF_VERSION, "test", "auto"});
    send_frame(fd, &w, GF_FRAME_HELLO, 1, NULL, 0, -1);
    run_send(fd, 2, 5);
    expect_kind(fd, GF_FRAME_HELLO_REPLY, 1);
    assert_int_equal(result_expect(fd, 5), 2);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void pipelined_requests_are_answered_once_each(void **state)
{
    UNUSED(state);
    enum { N = 300, AHEAD = 100 }; /* more than may be in flight */
    struct daemon d;
    bool seen[N + 1] = {false};
    daemon_start(&d, (const char *[]){"--devices", "cpu", "--user-requests", "20", NULL});
    int fd = client_open(&d);
    for (uint64_t id = 2; id <= N + AHEAD; id++) {
        if (id <= N)
            run_send(fd, id, 7);
        if (id < 2 + AHEAD)
            continue;
        uint64_t got = result_expect(fd, 7);
        assert_in_range(got, 2, N);
        assert_false(seen[got]);
        seen[got] = true;
    }
    shutdown(fd, SHUT_WR);
    expect_end(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_real_worker_computes(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct reply reply;
    static struct request r;
    daemon_init(&d, false);
    daemon_spawn(&d, "real", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    request_init(&r, 320, 200, "cpu");
    request_send(&r, fd, 2, 201);
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_RESULT);
    assert_int_equal(reply.h.payload_len, 320 * 200);
    for (size_t i = 0; i < 320 * 200; i++)
        assert_int_equal(reply.payload[i], 201); /* the mean of equal samples */
    free(reply.payload);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* The daemon, its worker and this process read the same clock, so their times can be ordered. */
static void a_trace_says_when_what_was_done(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct reply reply;
    static struct request r;
    static struct gf_run_reply run;
    daemon_init(&d, false);
    daemon_spawn(&d, "real", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    for (int traced = 1; traced >= 0; traced--) {
        request_init(&r, 320, 200, "cpu");
        r.program.n_steps = 2;
        r.program.steps[1] = r.program.steps[0];
        r.program.steps[1].in[0].from = GF_FROM_STEP;
        r.program.results[0].step = 1;
        r.program.trace = traced == 1;
        uint64_t asked = gf_now_ns();
        request_send(&r, fd, 2, 201);
        assert_true(receive(fd, &reply));
        uint64_t answered = gf_now_ns();
        free(reply.payload);
        assert_int_equal(reply.h.kind, GF_FRAME_RESULT);
        assert_int_equal(gf_run_reply_decode(reply.body, reply.h.body_len, &run, NULL), GF_OK);
        assert_int_equal(run.n_spans > 0, traced);
        if (!traced)
            break;
        struct gf_span queue = gf_run_reply_span(&run, 0);
        assert_int_equal(queue.stage, GF_STAGE_QUEUE);
        assert_int_equal(queue.step, GF_NO_STEP);
        assert_true(queue.begin >= asked && queue.length == run.times.queue);
        uint64_t kernel_ns = 0, before = queue.begin + queue.length;
        for (uint32_t i = 1; i < run.n_spans; i++) {
            struct gf_span span = gf_run_reply_span(&run, i);
            assert_true(span.stage == GF_STAGE_KERNEL || span.stage == GF_STAGE_COPY_OUT);
            assert_int_equal(span.step, (i - 1) / 2);
            assert_true(span.begin >= before && span.begin + span.length <= answered);
            before = span.begin + span.length;
            kernel_ns += span.stage == GF_STAGE_KERNEL ? span.length : 0;
        }
        assert_true(kernel_ns == run.times.kernel);
    }
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_refused_payload_is_read_and_thrown_away(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    int fd = client_open(&d);
    request_init(&r, 2000, 1000, "cuda:7");
    request_send(&r, fd, 2, 1);
    run_send(fd, 3, 9);
    expect_error(fd, 2, GF_E_NO_DEVICE, "no device 'cuda:7'; allowed: cpu, auto");
    assert_int_equal(result_expect(fd, 9), 3);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_payload_over_the_limit_ends_the_connection(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_start(&d, (const char *[]){"--devices", "cpu", "--max-inline", "64K", NULL});
    int fd = client_open(&d);
    request_init(&r, 1000, 1000, "auto");
    assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
    gf_writer_init(&r.w, r.frame, sizeof r.frame);
    gf_program_encode(&r.w, &r.program);
    assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 2, r.program.payload_in, 0));
    send_all(fd, r.w.data, r.w.size);
    expect_error(fd, 2, GF_E_TOO_LARGE, "a payload of 1000000 bytes; the limit is 65536 (max-inline)");
    expect_end(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void frames_of_unknown_kinds_are_refused(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    int fd = client_open(&d);
    send_simple(fd, 40, 5);
    expect_error(fd, 5, GF_E_BAD_REQUEST, "kind 40");
    run_send(fd, 6, 1);
    assert_int_equal(result_expect(fd, 1), 6);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void health_tells_devices_apart(void **state)
{
    UNUSED(state);
    struct daemon d;
    uint8_t frame[256];
    struct gf_writer w;
    static struct reply reply;
    static struct gf_info_reply info;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu,cuda:0", NULL});
    struct fake one = fake_accept(&d), two = fake_accept(&d);
    struct fake *cpu = strcmp(one.device, "cpu") == 0 ? &one : &two, *gpu = cpu == &one ? &two : &one;
    fake_tell(cpu, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    static const uint32_t health[] = {GF_HEALTH_DEGRADED, GF_HEALTH_READY};
    static const uint32_t gpu_state[] = {GF_DEVICE_STARTING, GF_DEVICE_READY};
    for (int i = 0; i < 2; i++) {
        gf_writer_init(&w, frame, sizeof frame);
        gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_HEALTH});
        send_frame(fd, &w, GF_FRAME_INFO, 2, NULL, 0, -1);
        assert_true(receive(fd, &reply));
        assert_int_equal(gf_info_reply_decode(reply.body, reply.h.body_len, &info, NULL), GF_OK);
        assert_int_equal(info.health, health[i]);
        assert_int_equal(info.n_devices, 2);
        assert_int_equal(info.devices[1].state, gpu_state[i]);
        if (i == 1)
            break;
        /* A request for the device waits until the device is ready, so the answer proves that it is. */
        static struct request r;
        fake_tell(gpu, 'A');
        request_init(&r, 16, 16, "cuda:0");
        request_send(&r, fd, 3, 1);
        fake_tell(gpu, 'h');
        assert_int_equal(result_expect(fd, 1), 3);
    }
    close(fd);
    close(cpu->fd);
    close(gpu->fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void requests_can_be_cancelled(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    struct fake cpu = fake_accept(&d);
    int fd;
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    fd = client_open(&d);
    for (uint64_t id = 2; id < 12; id++)
        run_send(fd, id, 1);
    uint64_t first = fake_expect(&cpu, "job");
    for (int i = 1; i < 8; i++)
        fake_expect(&cpu, "job"); /* eight slots; two more requests wait */
    send_simple(fd, GF_FRAME_CANCEL, 11);
    expect_error(fd, 11, GF_E_CANCELLED, "cancelled");
    send_simple(fd, GF_FRAME_CANCEL, 2);
    assert_int_equal(fake_expect(&cpu, "cancel"), first);
    send_simple(fd, GF_FRAME_CANCEL, 99); /* unknown: nothing */
    fake_tell(&cpu, 'c');
    expect_error(fd, 2, GF_E_CANCELLED, "cancelled");
    fake_tell(&cpu, 'e');
    expect_error(fd, 3, GF_E_BAD_PARAM, "the mask is not finite");
    fake_tell(&cpu, 'A');
    for (uint64_t id = 4; id < 11; id++)
        assert_int_equal(result_expect(fd, 1), id);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void an_id_in_flight_ends_the_connection(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    run_send(fd, 2, 1);
    fake_expect(&cpu, "job");
    run_send(fd, 2, 1);
    expect_error(fd, 0, GF_E_DUPLICATE_ID, "request id 2 is in flight already");
    expect_end(fd);
    fake_expect(&cpu, "cancel");
    fake_tell(&cpu, 'A');
    fd = client_open(&d);
    for (int i = 0; i < 3; i++) { /* an id that was answered may come again */
        run_send(fd, 2, 1);
        assert_int_equal(result_expect(fd, 1), 2);
    }
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_deadline_ends_waiting(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu,cuda:0", NULL});
    struct fake one = fake_accept(&d), two = fake_accept(&d);
    fake_tell(strcmp(one.device, "cpu") == 0 ? &one : &two, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    request_init(&r, 16, 16, "cuda:0"); /* never ready */
    r.program.deadline_ms = 30;
    request_send(&r, fd, 2, 1);
    expect_error(fd, 2, GF_E_DEADLINE, "the deadline passed");
    close(fd);
    close(one.fd);
    close(two.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void inline_data_waits_for_room(void **state)
{
    UNUSED(state);
    enum { N = 8, FIT = 5 }; /* 200 kB each of a megabyte */
    struct daemon d;
    static struct request r;
    int fds[N];
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--staging-max", "1M", NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    request_init(&r, 100, 1000, "auto");
    for (int i = 0; i < N; i++) {
        fds[i] = client_open(&d);
        request_send(&r, fds[i], 2, (uint8_t)i);
        if (i < FIT)
            fake_expect(&cpu, "job");
    }
    for (int i = 0; i < N; i++) { /* each answer that the client reads makes room for the next request */
        fake_tell(&cpu, 'a');
        assert_int_equal(result_expect(fds[i], (uint8_t)i), 2);
        if (i + FIT < N)
            fake_expect(&cpu, "job");
    }
    request_init(&r, 600, 1000, "auto"); /* never fits */
    request_send(&r, fds[0], 9, 1);
    expect_error(fds[0], 9, GF_E_TOO_LARGE, "staging holds 1048576");
    for (int i = 0; i < N; i++)
        close(fds[i]);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_tells_limits_and_devices),
        cmocka_unit_test(connections_are_numbered_and_the_node_is_the_host),
        cmocka_unit_test(requests_may_follow_hello_at_once),
        cmocka_unit_test(pipelined_requests_are_answered_once_each),
        cmocka_unit_test(a_real_worker_computes),
        cmocka_unit_test(a_trace_says_when_what_was_done),
        cmocka_unit_test(a_refused_payload_is_read_and_thrown_away),
        cmocka_unit_test(a_payload_over_the_limit_ends_the_connection),
        cmocka_unit_test(frames_of_unknown_kinds_are_refused),
        cmocka_unit_test(health_tells_devices_apart),
        cmocka_unit_test(requests_can_be_cancelled),
        cmocka_unit_test(an_id_in_flight_ends_the_connection),
        cmocka_unit_test(a_deadline_ends_waiting),
        cmocka_unit_test(inline_data_waits_for_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
