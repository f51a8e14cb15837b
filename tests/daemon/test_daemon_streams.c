/* SPDX-License-Identifier: MIT */
/* Malformed bytes, slow clients, and clients that go away: each ends at most its own connection. */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "harness.h"
#include "protocol/base/clock.h"
#include "tests/unit/unit.h"

static struct daemon g_daemon;

static int start(void **state)
{
    UNUSED(state);
    daemon_start(&g_daemon, (const char *[]){"--devices", "cpu", "--frame-timeout", "120", NULL});
    return 0;
}

static int start_impatient(void **state)
{
    UNUSED(state);
    daemon_start(&g_daemon,
                 (const char *[]){"--devices", "cpu", "--frame-timeout", "0.2", "--reply-timeout", "0.2", NULL});
    return 0;
}

/* Checks that after a test the daemon serves others and has released everything that the test took. */
static void still_serves(void)
{
    int fd = client_open(&g_daemon);
    run_send(fd, 2, 3);
    assert_int_equal(result_expect(fd, 3), 2);
    shutdown(fd, SHUT_WR);
    expect_end(fd);
}

static int stop(void **state)
{
    UNUSED(state);
    still_serves();
    return daemon_stop(&g_daemon);
}

static void a_garbage_header_ends_the_connection(void **state)
{
    UNUSED(state);
    int fd = client_open(&g_daemon);
    uint8_t garbage[GF_HEADER_SIZE];
    memset(garbage, 0xA5, sizeof garbage);
    send_all(fd, garbage, sizeof garbage);
    expect_error(fd, 0, GF_E_BAD_FRAME, "");
    expect_end(fd);
    still_serves();
}

static void each_bad_header_field_ends_the_connection(void **state)
{
    UNUSED(state);
    static const struct {
        size_t at;
        uint8_t value;
        enum gf_status status;
    } cases[] = {
        {0, 'X', GF_E_BAD_FRAME}, {4, 99, GF_E_BAD_VERSION}, {8, 1, GF_E_BAD_FRAME},     {10, 9, GF_E_BAD_FRAME},
        {12, 4, GF_E_BAD_FRAME},  {14, 2, GF_E_BAD_FRAME},   {31, 0xFF, GF_E_BAD_FRAME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t head[GF_HEADER_SIZE];
        int fd = client_open(&g_daemon);
        gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_INFO, .id = 5}, head);
        head[cases[i].at] = cases[i].value;
        send_all(fd, head, sizeof head);
        expect_error(fd, 0, cases[i].status, "");
        expect_end(fd);
    }
    still_serves();
}

static void the_first_frame_must_be_hello(void **state)
{
    UNUSED(state);
    int fd = client_connect(&g_daemon);
    send_simple(fd, GF_FRAME_PING, 1);
    expect_error(fd, 0, GF_E_BAD_FRAME, "the first frame is PING; it must be HELLO");
    expect_end(fd);
}

static void id_zero_is_the_servers(void **state)
{
    UNUSED(state);
    int fd = client_open(&g_daemon);
    run_send(fd, 0, 1);
    expect_error(fd, 0, GF_E_BAD_FRAME, "request id 0");
    expect_end(fd);
}

static void cancel_is_a_header_alone(void **state)
{
    UNUSED(state);
    int fd = client_open(&g_daemon);
    uint8_t frame[128];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_ARENA, 1);
    send_frame(fd, &w, GF_FRAME_CANCEL, 2, NULL, 0, -1);
    expect_error(fd, 0, GF_E_BAD_FRAME, "CANCEL must be a header alone");
    expect_end(fd);
}

static void a_truncated_body_is_no_request(void **state)
{
    UNUSED(state);
    static struct request r;
    int fd = client_open(&g_daemon);
    run_send(fd, 2, 1);
    request_init(&r, 16, 16, "auto");
    assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
    gf_writer_init(&r.w, r.frame, sizeof r.frame);
    gf_program_encode(&r.w, &r.program);
    assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 3, r.program.payload_in, 0));
    send_all(fd, r.w.data, r.w.size - 8);
    shutdown(fd, SHUT_WR);
    assert_int_equal(result_expect(fd, 1), 2);
    expect_end(fd);
    still_serves();
}

static void a_malformed_body_is_answered(void **state)
{
    UNUSED(state);
    int fd = client_open(&g_daemon);
    uint8_t frame[128];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, 999, 1);
    send_frame(fd, &w, GF_FRAME_RUN, 2, NULL, 0, -1);
    expect_error(fd, 2, GF_E_BAD_REQUEST, "999");
    run_send(fd, 3, 4);
    assert_int_equal(result_expect(fd, 4), 3);
    close(fd);
}

static void half_close_is_no_disconnect(void **state)
{
    UNUSED(state);
    int fd = client_open(&g_daemon);
    for (uint64_t id = 2; id < 30; id++)
        run_send(fd, id, 8);
    shutdown(fd, SHUT_WR);
    for (uint64_t id = 2; id < 30; id++)
        assert_int_equal(result_expect(fd, 8), id);
    expect_end(fd);
}

/* Descriptors of gone clients are closed asynchronously, so the last ones may still be open. */
static void serve_until_closed(int before)
{
    const uint64_t end = gf_now_ns() + GF_WAIT_MS * GF_NS_PER_MS;
    while (fds_of(g_daemon.pid) > before + 1 && gf_now_ns() < end)
        still_serves();
    assert_in_range(fds_of(g_daemon.pid), 0, before + 1);
}

static void clients_that_vanish_leave_nothing(void **state)
{
    UNUSED(state);
    still_serves();
    int before = fds_of(g_daemon.pid);
    static struct request r;
    static uint8_t bytes[1 << 17];
    for (size_t cut = 0; cut < 12; cut++) {
        int fd = client_open(&g_daemon);
        request_init(&r, 200, 300, "auto");
        assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
        gf_writer_init(&r.w, r.frame, sizeof r.frame);
        gf_program_encode(&r.w, &r.program);
        assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 3, r.program.payload_in, 0));
        memcpy(bytes, r.w.data, r.w.size);
        size_t all = r.w.size + (size_t)r.program.payload_in;
        send_all(fd, bytes, all * cut / 11); /* in the header, the body, the payload, and whole */
        close(fd);
    }
    still_serves();
    serve_until_closed(before);
}

static void bytes_may_come_one_by_one(void **state)
{
    UNUSED(state);
    static struct request r;
    uint8_t payload[64 * 8];
    int fd = client_open(&g_daemon);
    request_init(&r, 64, 8, "auto");
    assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
    gf_writer_init(&r.w, r.frame, sizeof r.frame);
    gf_program_encode(&r.w, &r.program);
    assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 2, r.program.payload_in, 0));
    memset(payload, 6, sizeof payload);
    for (size_t i = 0; i < r.w.size; i++)
        send_all(fd, r.w.data + i, 1);
    for (size_t i = 0; i < sizeof payload; i++)
        send_all(fd, payload + i, 1);
    assert_int_equal(result_expect(fd, 6), 2);
    close(fd);
}

static void a_frame_must_be_complete_in_time(void **state)
{
    UNUSED(state);
    static struct request r;
    int a = client_open(&g_daemon), b = client_open(&g_daemon), idle = client_open(&g_daemon);
    send_all(a, "GFPW", 4);
    request_init(&r, 64, 8, "auto");
    assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
    gf_writer_init(&r.w, r.frame, sizeof r.frame);
    gf_program_encode(&r.w, &r.program);
    assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 2, r.program.payload_in, 0));
    send_all(b, r.w.data, r.w.size);
    send_all(b, "some of it", 10);
    expect_error(a, 0, GF_E_SLOW, "took longer than");
    expect_end(a);
    expect_error(b, 0, GF_E_SLOW, "took longer than");
    expect_end(b);
    run_send(idle, 2, 1); /* a connection between frames rests as long as it likes */
    assert_int_equal(result_expect(idle, 1), 2);
    close(idle);
}

static void answers_must_be_taken_in_time(void **state)
{
    UNUSED(state);
    static struct request r;
    int fd = client_open(&g_daemon);
    request_init(&r, 2000, 2000, "auto"); /* more than the socket holds */
    request_send(&r, fd, 2, 1);
    struct pollfd p = {.fd = fd}; /* hung up on */
    assert_int_equal(poll(&p, 1, GF_WAIT_MS), 1);
    assert_true(p.revents & POLLHUP);
    close(fd);
    still_serves();
}

static void a_descriptor_nobody_announced_ends_the_connection(void **state)
{
    UNUSED(state);
    still_serves();
    int before = fds_of(g_daemon.pid);
    int fd = client_open(&g_daemon), pass[3] = {0, 1, 2};
    uint8_t head[GF_HEADER_SIZE];
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_PING, .id = 5}, head);
    send_with_fds(fd, head, sizeof head, pass, 1);
    expect_kind(fd, GF_FRAME_PONG, 5);
    expect_error(fd, 0, GF_E_BAD_FRAME, "a descriptor came with a frame whose header announces none");
    expect_end(fd);
    still_serves();
    /* More than a frame may have, and far more. */
    for (size_t n = 3; n <= 16; n += 13) {
        int many[16];
        for (size_t i = 0; i < 16; i++)
            many[i] = pass[i % 3];
        fd = client_open(&g_daemon);
        gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_ARENA, .id = 5, .nfds = 1}, head);
        send_with_fds(fd, head, sizeof head, many, n);
        static struct reply reply;
        while (receive(fd, &reply))
            assert_int_equal(reply.h.kind, GF_FRAME_ERROR);
        close(fd);
        still_serves();
    }
    serve_until_closed(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_garbage_header_ends_the_connection),
        cmocka_unit_test(each_bad_header_field_ends_the_connection),
        cmocka_unit_test(the_first_frame_must_be_hello),
        cmocka_unit_test(id_zero_is_the_servers),
        cmocka_unit_test(cancel_is_a_header_alone),
        cmocka_unit_test(a_truncated_body_is_no_request),
        cmocka_unit_test(a_malformed_body_is_answered),
        cmocka_unit_test(half_close_is_no_disconnect),
        cmocka_unit_test(clients_that_vanish_leave_nothing),
        cmocka_unit_test(bytes_may_come_one_by_one),
        cmocka_unit_test(a_descriptor_nobody_announced_ends_the_connection),
    };
    const struct CMUnitTest late_tests[] = {
        cmocka_unit_test(a_frame_must_be_complete_in_time),
        cmocka_unit_test(answers_must_be_taken_in_time),
    };
    int failed = cmocka_run_group_tests(tests, start, stop);
    return failed + cmocka_run_group_tests(late_tests, start_impatient, stop);
}
