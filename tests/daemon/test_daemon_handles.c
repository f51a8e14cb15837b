/* SPDX-License-Identifier: MIT */
/* Handles: the order of requests that name one handle, handle numbers, freeing, and refusals. */
#include <signal.h>
#include <sys/socket.h>

#include "harness.h"
#include "protocol/ops/op_codec.h"
#include "protocol/wire/handle_entry.h"
#include "tests/unit/unit.h"

/* A daemon with one device that obeys, and a client. */
struct bench {
    struct daemon d;
    struct fake cpu;
    int fd;
};

static void bench_start(struct bench *b, const char *const *args)
{
    daemon_init(&b->d, true);
    daemon_spawn(&b->d, "fake", args ? args : (const char *[]){"--devices", "cpu", NULL});
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

/* Makes a handle whose bytes are `value` + 1 and waits for it; tells the worker to answer. */
static void make(struct bench *b, uint64_t id, uint32_t handle, uint8_t value)
{
    handle_send(b->fd, id, INLINE, handle, "auto", value);
    fake_expect(&b->cpu, "job");
    fake_tell(&b->cpu, 'a');
    expect_kind(b->fd, GF_FRAME_RESULT, id);
}

static void requests_on_a_handle_take_effect_in_order(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, NULL);
    handle_send(b.fd, 2, INLINE, 5, "auto", 10);
    handle_send(b.fd, 3, 5, 6, "auto", 0);
    handle_send(b.fd, 4, 6, INLINE, "auto", 0);
    run_send(b.fd, 5, 40); /* passes the waiting requests */
    fake_expect(&b.cpu, "job");
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    expect_kind(b.fd, GF_FRAME_RESULT, 2);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    assert_int_equal(result_expect(b.fd, 40), 5);
    fake_tell(&b.cpu, 'a');
    expect_kind(b.fd, GF_FRAME_RESULT, 3);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    assert_int_equal(result_expect(b.fd, 12), 4);
    /* Every request before the end of the stream is answered, including FREE. */
    handle_send(b.fd, 6, 6, INLINE, "auto", 0);
    free_send(b.fd, 7, 6);
    shutdown(b.fd, SHUT_WR);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    assert_int_equal(result_expect(b.fd, 12), 6);
    expect_kind(b.fd, GF_FRAME_DONE, 7);
    expect_end(b.fd);
    b.fd = -1;
    bench_stop(&b);
}

static void a_failed_maker_fails_those_that_need_it(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, NULL);
    handle_send(b.fd, 2, INLINE, 5, "auto", 10);
    handle_send(b.fd, 3, 5, 6, "auto", 0);
    handle_send(b.fd, 4, 6, INLINE, "auto", 0);
    send_simple(b.fd, GF_FRAME_PING, 99); /* the PONG proves that the requests before it are queued */
    expect_kind(b.fd, GF_FRAME_PONG, 99);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'e');
    expect_error(b.fd, 2, GF_E_BAD_PARAM, "the mask is not finite");
    expect_error(b.fd, 3, GF_E_DEPENDENCY, "the request that should have made handle 5 failed");
    expect_error(b.fd, 4, GF_E_DEPENDENCY, "the request that should have made handle 6 failed");
    handle_send(b.fd, 5, 6, INLINE, "auto", 0);
    expect_error(b.fd, 5, GF_E_DEPENDENCY, "the request that should have made handle 6 failed; free it");
    handle_send(b.fd, 6, INLINE, 5, "auto", 0);
    expect_error(b.fd, 6, GF_E_EXISTS, "handle 5 exists already; free it first");
    free_send(b.fd, 7, 5);
    expect_kind(b.fd, GF_FRAME_DONE, 7);
    make(&b, 8, 5, 20);
    handle_send(b.fd, 9, 5, INLINE, "auto", 0);
    fake_expect(&b.cpu, "job"); /* no "free" event: the failed handle never existed */
    fake_tell(&b.cpu, 'a');
    assert_int_equal(result_expect(b.fd, 21), 9);
    bench_stop(&b);
}

/* The request is not yet queued when the request that should make its operand fails. */
static void a_maker_may_fail_while_the_payload_comes(void **state)
{
    UNUSED(state);
    struct bench b;
    static struct request r;
    static const uint8_t payload[256];
    bench_start(&b, NULL);
    handle_send(b.fd, 2, INLINE, 5, "auto", 10);
    fake_expect(&b.cpu, "job");
    request_init(&r, 16, 16, "auto");
    r.program.n_operands = 2;
    r.program.operands[1] = r.program.operands[0];
    r.program.operands[0] = (struct gf_operand){.way = GF_WAY_HANDLE, .id = 5, .view = r.program.operands[1].view};
    r.program.steps[0].op = gf_op_by_name("combine");
    r.program.steps[0].in[1].index = 1;
    gf_op_params_default(r.program.steps[0].op, &r.program.steps[0].params);
    assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
    gf_writer_init(&r.w, r.frame, sizeof r.frame);
    gf_program_encode(&r.w, &r.program);
    assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 3, sizeof payload, 0));
    send_all(b.fd, r.w.data, r.w.size);
    send_all(b.fd, payload, 100);
    int other = client_open(&b.d); /* greeted after the server has read so far */
    fake_tell(&b.cpu, 'e');
    expect_error(b.fd, 2, GF_E_BAD_PARAM, "the mask is not finite");
    send_all(b.fd, payload, sizeof payload - 100);
    expect_error(b.fd, 3, GF_E_DEPENDENCY, "the request that should have made handle 5 failed");
    close(other);
    bench_stop(&b);
}

static void those_that_need_a_cancelled_request_fail_at_once(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, NULL);
    for (uint64_t id = 2; id < 10; id++)
        run_send(b.fd, id, 1);
    for (int i = 0; i < 8; i++)
        fake_expect(&b.cpu, "job"); /* no slot is left */
    handle_send(b.fd, 20, INLINE, 5, "auto", 10);
    handle_send(b.fd, 21, 5, 6, "auto", 0);
    handle_send(b.fd, 22, 6, INLINE, "auto", 0);
    send_simple(b.fd, GF_FRAME_CANCEL, 20);
    expect_error(b.fd, 20, GF_E_CANCELLED, "cancelled");
    expect_error(b.fd, 21, GF_E_DEPENDENCY, "handle 5");
    expect_error(b.fd, 22, GF_E_DEPENDENCY, "handle 6");
    fake_tell(&b.cpu, 'A');
    for (uint64_t id = 2; id < 10; id++)
        assert_int_equal(result_expect(b.fd, 1), id);
    bench_stop(&b);
}

static void numbers_belong_to_their_connection(void **state)
{
    UNUSED(state);
    struct bench b;
    static struct request r;
    bench_start(&b, NULL);
    handle_send(b.fd, 2, 5, INLINE, "auto", 0);
    expect_error(b.fd, 2, GF_E_NO_SUCH_HANDLE, "handle 5 does not exist on this connection");
    free_send(b.fd, 3, 5);
    expect_error(b.fd, 3, GF_E_NO_SUCH_HANDLE, "handle 5 does not exist on this connection");
    make(&b, 4, 5, 10);
    handle_send(b.fd, 5, INLINE, 5, "auto", 0);
    expect_error(b.fd, 5, GF_E_EXISTS, "handle 5 exists already");
    handle_send(b.fd, 6, 5, 5, "auto", 0);
    expect_error(b.fd, 6, GF_E_EXISTS, "handle 5 exists already");
    int other = client_open(&b.d);
    handle_send(other, 2, 5, INLINE, "auto", 0);
    expect_error(other, 2, GF_E_NO_SUCH_HANDLE, "handle 5");
    close(other);
    /* A refused request leaves nothing behind: id 6 is free after the second 6 was refused. */
    request_init(&r, 16, 16, "auto");
    r.program.n_results = 2;
    r.program.results[0] = r.program.results[1] = (struct gf_result){.way = GF_WAY_HANDLE, .id = 6};
    request_send(&r, b.fd, 7, 0);
    expect_error(b.fd, 7, GF_E_EXISTS, "handle 6 exists already");
    make(&b, 8, 6, 10);
    free_send(b.fd, 9, 5);
    expect_kind(b.fd, GF_FRAME_DONE, 9);
    fake_expect(&b.cpu, "free");
    handle_send(b.fd, 10, 5, INLINE, "auto", 0);
    expect_error(b.fd, 10, GF_E_NO_SUCH_HANDLE, "handle 5");
    bench_stop(&b);
}

static void free_waits_for_the_last_reader(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, NULL);
    make(&b, 2, 5, 10);
    handle_send(b.fd, 3, 5, INLINE, "auto", 0);
    fake_expect(&b.cpu, "job");
    free_send(b.fd, 4, 5);
    handle_send(b.fd, 6, INLINE, 5, "auto", 50); /* the number may be used at once */
    handle_send(b.fd, 7, 5, INLINE, "auto", 0);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    assert_int_equal(result_expect(b.fd, 11), 3);
    expect_kind(b.fd, GF_FRAME_DONE, 4);
    uint64_t first = fake_expect(&b.cpu, "free");
    fake_tell(&b.cpu, 'a');
    expect_kind(b.fd, GF_FRAME_RESULT, 6);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    assert_int_equal(result_expect(b.fd, 51), 7);
    /* One that is still being made. */
    handle_send(b.fd, 8, INLINE, 6, "auto", 0);
    free_send(b.fd, 9, 6);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    expect_kind(b.fd, GF_FRAME_RESULT, 8);
    expect_kind(b.fd, GF_FRAME_DONE, 9);
    assert_true(fake_expect(&b.cpu, "free") > first);
    bench_stop(&b);
}

static void the_id_of_a_waiting_free_is_in_use(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, NULL);
    make(&b, 2, 5, 10);
    handle_send(b.fd, 3, 5, INLINE, "auto", 0);
    fake_expect(&b.cpu, "job");
    free_send(b.fd, 4, 5);
    run_send(b.fd, 4, 0);
    expect_error(b.fd, 0, GF_E_DUPLICATE_ID, "request id 4 is in flight already");
    expect_end(b.fd);
    b.fd = -1;
    bench_stop(&b);
}

static void views_lie_inside_their_buffer(void **state)
{
    UNUSED(state);
    struct bench b;
    static struct request r;
    bench_start(&b, NULL);
    make(&b, 2, 5, 10);
    request_init(&r, 16, 16, "auto");
    r.program.operands[0].way = GF_WAY_HANDLE;
    r.program.operands[0].id = 5;
    r.program.operands[0].length = 0;
    r.program.operands[0].offset = 16;
    request_send(&r, b.fd, 3, 0);
    expect_error(b.fd, 3, GF_E_BAD_VIEW,
                 "a view of handle 5 of 16x16x1 u8 at byte 16 with pitch 16 does not lie in its 16x16x1 u8 with pitch "
                 "16");
    r.program.operands[0].offset = 0;
    r.program.operands[0].view = gf_view_tight(GF_U16, 8, 16, 1);
    request_send(&r, b.fd, 4, 0);
    expect_error(b.fd, 4, GF_E_BAD_DTYPE, "a view of handle 5 as u16, but the buffer is u8");
    r.program.operands[0].offset = 3 * 16 + 5;
    r.program.operands[0].view = (struct gf_view){.dtype = GF_U8, .channels = 1, .width = 8, .height = 4, .pitch = 16};
    r.program.results[0] = (struct gf_result){.way = GF_WAY_INLINE};
    request_send(&r, b.fd, 5, 0);
    fake_expect(&b.cpu, "job");
    fake_tell(&b.cpu, 'a');
    assert_int_equal(result_expect(b.fd, 11), 5);
    bench_stop(&b);
}

static void what_is_held_is_limited(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", "--user-resident-bytes", "512", "--handles", "3", NULL});
    make(&b, 2, 5, 10);
    make(&b, 3, 6, 10);
    handle_send(b.fd, 4, INLINE, 7, "auto", 0);
    expect_error(b.fd, 4, GF_E_QUOTA,
                 "holds 512 bytes of resident buffers; 256 more would exceed the limit of 512 "
                 "(user-resident-bytes)");
    free_send(b.fd, 5, 5);
    expect_kind(b.fd, GF_FRAME_DONE, 5);
    fake_expect(&b.cpu, "free");
    make(&b, 6, 7, 10);
    /* What failed is in the table, but not charged. */
    free_send(b.fd, 7, 7);
    expect_kind(b.fd, GF_FRAME_DONE, 7);
    fake_expect(&b.cpu, "free");
    for (uint32_t i = 0; i < 2; i++) {
        handle_send(b.fd, 8 + i, INLINE, 8 + i, "auto", 0);
        fake_expect(&b.cpu, "job");
        fake_tell(&b.cpu, 'e');
        expect_error(b.fd, 8 + i, GF_E_BAD_PARAM, "");
    }
    handle_send(b.fd, 10, INLINE, 10, "auto", 0);
    expect_error(b.fd, 10, GF_E_QUOTA, "the connection holds 3 handles; 1 more would exceed the limit of 3 (handles)");
    bench_stop(&b);
}

/* The last list that was asked for. */
static struct gf_handle_entry g_list[8];
static uint32_t g_n_list;

static void keep_entry(void *data, const struct gf_handle_entry *entry)
{
    UNUSED(data);
    assert_true(g_n_list < 8);
    g_list[g_n_list++] = *entry;
}

static void ask_list(int fd)
{
    static struct reply reply;
    uint8_t frame[GF_HEADER_SIZE + 64];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_HANDLES});
    send_frame(fd, &w, GF_FRAME_INFO, 90, NULL, 0, -1);
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_INFO_REPLY);
    g_n_list = 0;
    assert_int_equal(gf_handle_entries_decode(reply.body, reply.h.body_len, keep_entry, NULL, NULL), GF_OK);
}

static void the_list_says_what_is_there(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, NULL);
    ask_list(b.fd);
    assert_int_equal(g_n_list, 0);
    make(&b, 2, 7, 10);
    handle_send(b.fd, 3, 7, 8, "auto", 0);
    fake_expect(&b.cpu, "job");
    int other = client_open(&b.d);
    ask_list(other);
    assert_int_equal(g_n_list, 0); /* another's are not told */
    ask_list(b.fd);
    assert_int_equal(g_n_list, 2);
    assert_int_equal(g_list[0].id, 7);
    assert_int_equal(g_list[0].state, GF_HANDLE_READY);
    assert_int_equal(g_list[0].bytes, 256);
    assert_int_equal(g_list[0].view.width, 16);
    assert_int_equal(g_list[0].view.height, 16);
    assert_string_equal(g_list[0].device, "cpu");
    assert_int_equal(g_list[1].id, 8);
    assert_int_equal(g_list[1].state, GF_HANDLE_MAKING);
    fake_tell(&b.cpu, 'e');
    expect_error(b.fd, 3, GF_E_BAD_PARAM, "");
    free_send(b.fd, 4, 7);
    expect_kind(b.fd, GF_FRAME_DONE, 4);
    ask_list(b.fd);
    assert_int_equal(g_n_list, 1);
    assert_int_equal(g_list[0].id, 8);
    assert_int_equal(g_list[0].state, GF_HANDLE_FAILED);
    assert_int_equal(g_list[0].bytes, 0);
    close(other);
    bench_stop(&b);
}

static void a_server_without_handles_says_so(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, (const char *[]){"--devices", "cpu", "--handles", "0", NULL});
    handle_send(b.fd, 2, INLINE, 5, "auto", 0);
    expect_error(b.fd, 2, GF_E_UNSUPPORTED, "this server does not offer resident buffers");
    handle_send(b.fd, 3, 5, INLINE, "auto", 0);
    expect_error(b.fd, 3, GF_E_UNSUPPORTED, "this server does not offer resident buffers");
    free_send(b.fd, 4, 5);
    expect_error(b.fd, 4, GF_E_UNSUPPORTED, "this server does not offer resident buffers");
    bench_stop(&b);
}

static void masks_are_no_handles(void **state)
{
    UNUSED(state);
    struct bench b;
    static struct request r;
    bench_start(&b, NULL);
    request_init(&r, 16, 16, "auto");
    r.program.steps[0].op = gf_op_by_name("correlate");
    r.program.steps[0].in[1].index = 1;
    gf_op_params_default(r.program.steps[0].op, &r.program.steps[0].params);
    r.program.operands[1] = (struct gf_operand){.way = GF_WAY_INLINE, .view = gf_view_tight(GF_F32, 3, 3, 1)};
    r.program.operands[1].length = 36;
    r.program.n_operands = 2;
    assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
    r.program.operands[1].way = GF_WAY_HANDLE;
    r.program.operands[1].id = 5;
    r.program.operands[1].offset = r.program.operands[1].length = 0;
    gf_writer_init(&r.w, r.frame, sizeof r.frame);
    gf_program_encode(&r.w, &r.program);
    uint8_t payload[256] = {0};
    send_frame(b.fd, &r.w, GF_FRAME_RUN, 2, payload, sizeof payload, -1);
    expect_error(b.fd, 2, GF_E_UNSUPPORTED, "step 1 (correlate): mask is a handle; it must be inline or in an arena");
    bench_stop(&b);
}

static void what_waits_is_answered_before_the_end(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_start(&b, NULL);
    handle_send(b.fd, 2, INLINE, 5, "auto", 10);
    handle_send(b.fd, 3, 5, INLINE, "auto", 0);
    fake_expect(&b.cpu, "job");
    kill(b.d.pid, SIGTERM);
    expect_kind(b.fd, GF_FRAME_GOAWAY, 0);
    fake_tell(&b.cpu, 'A');
    expect_kind(b.fd, GF_FRAME_RESULT, 2);
    assert_int_equal(result_expect(b.fd, 11), 3);
    expect_end(b.fd);
    assert_int_equal(daemon_wait(&b.d), 0);
    b.fd = -1;
    bench_stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_on_a_handle_take_effect_in_order),
        cmocka_unit_test(a_failed_maker_fails_those_that_need_it),
        cmocka_unit_test(a_maker_may_fail_while_the_payload_comes),
        cmocka_unit_test(those_that_need_a_cancelled_request_fail_at_once),
        cmocka_unit_test(numbers_belong_to_their_connection),
        cmocka_unit_test(free_waits_for_the_last_reader),
        cmocka_unit_test(the_id_of_a_waiting_free_is_in_use),
        cmocka_unit_test(views_lie_inside_their_buffer),
        cmocka_unit_test(what_is_held_is_limited),
        cmocka_unit_test(the_list_says_what_is_there),
        cmocka_unit_test(a_server_without_handles_says_so),
        cmocka_unit_test(masks_are_no_handles),
        cmocka_unit_test(what_waits_is_answered_before_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
