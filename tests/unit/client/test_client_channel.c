/* SPDX-License-Identifier: MIT */
/* The channel over a socket pair: frames that are sent in pieces, answers that arrive before their request is fully
 * sent, cancels, deadlines and silence. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "client/lib/transport/channel.h"
#include "protocol/wire/response.h"

#define LONG (1u << 20) /* bytes that no socket takes at once */
#define HOUR (3600 * (int64_t)GF_NS_PER_S)

struct fixture {
    struct gf_channel ch;
    int peer;
    uint8_t *data; /* LONG bytes */
    uint8_t frame[GF_HEADER_SIZE + 256];
    unsigned n_done;
};

static struct fixture *g_f;

static int setup(void **state)
{
    int pair[2];
    g_f = *state = calloc(1, sizeof(struct fixture));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    g_f->data = malloc(LONG);
    for (size_t i = 0; i < LONG; i++)
        g_f->data[i] = (uint8_t)(i * 13 + i / 777);
    gf_channel_init(&g_f->ch);
    gf_channel_attach(&g_f->ch, pair[0]);
    gf_channel_open(&g_f->ch, 2);
    g_f->peer = pair[1];
    return 0;
}

static int teardown(void **state)
{
    struct gf_error why;
    UNUSED(state);
    gf_error_set(&why, GF_E_CANCELLED, "over");
    gf_channel_lose(&g_f->ch, &why);
    gf_channel_fail(&g_f->ch, &why, 0);
    gf_closep(&g_f->peer);
    free(g_f->data);
    free(g_f);
    return 0;
}

static enum gf_prepared write_long(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                   struct gf_error *err)
{
    struct gf_view view = gf_view_tight(GF_U8, LONG, 1, 1);
    UNUSED(x);
    UNUSED(head);
    UNUSED(err);
    gf_stream_add(payload, 0, g_f->data, &view);
    gf_stream_end(payload, LONG);
    return GF_PREPARED;
}

static void count(struct gf_exchange *x)
{
    UNUSED(x);
    g_f->n_done++;
}

/* A request with a long payload or none. It is valid until the end of the test. */
static struct gf_exchange question(bool is_long)
{
    return (struct gf_exchange){.kind = GF_FRAME_RUN,
                                .answer_kind = GF_FRAME_RESULT,
                                .fd = -1,
                                .deadline = INT64_MAX,
                                .prepare = is_long ? write_long : NULL,
                                .done = count};
}

/* The peer answers by ERROR. */
static void refuse(uint64_t id, enum gf_status status)
{
    struct gf_error error;
    struct gf_writer w;
    gf_error_set(&error, status, "no");
    gf_writer_init(&w, g_f->frame, sizeof(g_f->frame));
    gf_error_encode(&w, &error, 0);
    gf_writer_finish(&w, GF_FRAME_ERROR, id, 0, 0);
    assert_int_equal(send(g_f->peer, w.data, w.size, 0), w.size);
}

/* The peer reads a frame while the channel runs. Checks the payload and returns the kind. */
static uint16_t expect_frame(uint64_t id)
{
    struct gf_header h = {.body_len = 0};
    uint8_t head[GF_HEADER_SIZE], bytes[4096];
    uint64_t at = 0;
    assert_int_equal(recv(g_f->peer, head, sizeof(head), MSG_DONTWAIT | MSG_WAITALL), sizeof(head));
    assert_int_equal(gf_header_decode(head, &h, NULL), GF_OK);
    assert_int_equal(h.id, id);
    assert_int_equal(h.body_len, 0);
    while (at < h.payload_len) {
        uint64_t left = h.payload_len - at;
        ssize_t n = recv(g_f->peer, bytes, left < sizeof(bytes) ? left : sizeof(bytes), MSG_DONTWAIT);
        if (n < 0) {
            assert_int_equal(errno, EAGAIN);
            assert_true(gf_channel_wants_out(&g_f->ch));
            assert_true(gf_channel_work(&g_f->ch));
            continue;
        }
        assert_memory_equal(bytes, g_f->data + at, (size_t)n);
        at += (uint64_t)n;
    }
    assert_true(gf_channel_work(&g_f->ch));
    return h.kind;
}

static void expect_nothing(void)
{
    uint8_t byte;
    assert_int_equal(recv(g_f->peer, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

static void an_early_answer_waits_for_the_end_of_its_question(void **state)
{
    UNUSED(state);
    static struct gf_exchange x, y;
    x = question(true);
    y = question(false);
    gf_channel_add(&g_f->ch, &x);
    gf_channel_add(&g_f->ch, &y);
    assert_true(gf_channel_work(&g_f->ch));
    refuse(x.id, GF_E_QUOTA);
    assert_true(gf_channel_work(&g_f->ch));
    assert_int_equal(x.state, GF_EXCHANGE_ANSWERED);
    assert_int_equal(g_f->n_done, 0); /* the payload still belongs to the channel */
    gf_channel_cancel(&g_f->ch, &x);  /* too late */
    assert_int_equal(expect_frame(x.id), GF_FRAME_RUN);
    assert_int_equal(x.state, GF_EXCHANGE_OVER);
    assert_int_equal(x.error.status, GF_E_QUOTA);
    assert_int_equal(g_f->n_done, 1);
    assert_int_equal(expect_frame(y.id), GF_FRAME_RUN); /* and no CANCEL before it */
    assert_false(gf_channel_wants_out(&g_f->ch));
    /* A second answer is one too many. */
    refuse(x.id, GF_E_QUOTA);
    assert_false(gf_channel_work(&g_f->ch));
    assert_int_equal(y.error.status, GF_E_BAD_REPLY);
}

static void no_frame_comes_within_another(void **state)
{
    UNUSED(state);
    static struct gf_exchange x, y, ping;
    x = question(true);
    y = question(false);
    ping = question(false);
    ping.kind = GF_FRAME_PING;
    ping.answer_kind = GF_FRAME_PONG;
    gf_channel_add(&g_f->ch, &x);
    gf_channel_add(&g_f->ch, &y);
    assert_true(gf_channel_work(&g_f->ch));
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_PING, .id = 99}, g_f->frame);
    assert_int_equal(send(g_f->peer, g_f->frame, GF_HEADER_SIZE, 0), GF_HEADER_SIZE);
    gf_channel_cancel(&g_f->ch, &x);
    gf_channel_add_first(&g_f->ch, &ping);
    assert_true(gf_channel_work(&g_f->ch));
    assert_int_equal(expect_frame(x.id), GF_FRAME_RUN);
    assert_int_equal(expect_frame(99), GF_FRAME_PONG);
    assert_int_equal(expect_frame(x.id), GF_FRAME_CANCEL);
    assert_int_equal(expect_frame(ping.id), GF_FRAME_PING);
    assert_int_equal(expect_frame(y.id), GF_FRAME_RUN);
    expect_nothing();
}

static void a_server_that_reads_no_more_may_have_answered(void **state)
{
    UNUSED(state);
    static struct gf_exchange x, y;
    x = question(true);
    y = question(false);
    gf_channel_add(&g_f->ch, &x);
    gf_channel_add(&g_f->ch, &y);
    assert_true(gf_channel_work(&g_f->ch));
    refuse(x.id, GF_E_TOO_LARGE);
    assert_int_equal(shutdown(g_f->peer, SHUT_RD), 0);
    assert_true(gf_channel_work(&g_f->ch));
    assert_int_equal(x.state, GF_EXCHANGE_OVER);
    assert_int_equal(x.error.status, GF_E_TOO_LARGE);
    assert_false(gf_channel_wants_out(&g_f->ch));
    gf_closep(&g_f->peer);
    g_f->peer = -1;
    assert_false(gf_channel_work(&g_f->ch));
    assert_int_equal(y.state, GF_EXCHANGE_QUEUED); /* for the next connection */
}

static void a_question_that_was_not_sent_has_no_answer(void **state)
{
    UNUSED(state);
    static struct gf_exchange x;
    x = question(true);
    gf_channel_add(&g_f->ch, &x);
    refuse(x.id, GF_E_TOO_LARGE);
    assert_false(gf_channel_work(&g_f->ch));
    assert_int_equal(x.state, GF_EXCHANGE_QUEUED);
}

static void a_greeting_ends_with_its_connection(void **state)
{
    UNUSED(state);
    static struct gf_exchange hello, x;
    hello = x = question(false);
    hello.kind = GF_FRAME_HELLO;
    g_f->ch.open = false;
    gf_channel_add(&g_f->ch, &x);
    gf_channel_add_first(&g_f->ch, &hello);
    refuse(0, GF_E_BUSY); /* before it was sent */
    assert_false(gf_channel_work(&g_f->ch));
    assert_int_equal(hello.state, GF_EXCHANGE_OVER);
    assert_int_equal(hello.error.status, GF_E_BUSY);
    assert_int_equal(x.state, GF_EXCHANGE_QUEUED);
    assert_ptr_equal(g_f->ch.queue.first, &x);
}

static void answers_before_the_end_count(void **state)
{
    UNUSED(state);
    static struct gf_exchange x;
    x = question(true);
    gf_channel_add(&g_f->ch, &x);
    assert_true(gf_channel_work(&g_f->ch));
    refuse(x.id, GF_E_TOO_LARGE);
    gf_closep(&g_f->peer);
    g_f->peer = -1;
    while (x.state != GF_EXCHANGE_OVER)
        gf_channel_work(&g_f->ch);
    assert_int_equal(x.error.status, GF_E_TOO_LARGE);
}

static void the_window_holds_back(void **state)
{
    UNUSED(state);
    static struct gf_exchange x[4];
    for (unsigned i = 0; i < 4; i++) {
        x[i] = question(false);
        gf_channel_add(&g_f->ch, &x[i]);
    }
    assert_true(gf_channel_work(&g_f->ch));
    expect_frame(x[0].id);
    expect_frame(x[1].id);
    expect_nothing();
    gf_channel_cancel(&g_f->ch, &x[2]);
    assert_int_equal(x[2].error.status, GF_E_CANCELLED);
    refuse(x[1].id, GF_E_BUSY);
    assert_true(gf_channel_work(&g_f->ch));
    expect_frame(x[3].id);
    assert_int_equal(g_f->n_done, 2);
}

static void giving_up_cancels_and_ends_silence(void **state)
{
    UNUSED(state);
    static struct gf_exchange x, y, ping;
    x = question(false);
    y = question(false);
    ping = question(false);
    ping.kind = GF_FRAME_PING;
    ping.answer_kind = GF_FRAME_PONG;
    ping.again = GF_RESENDS;
    gf_channel_add(&g_f->ch, &x);
    gf_channel_add(&g_f->ch, &ping);
    assert_true(gf_channel_work(&g_f->ch));
    expect_frame(x.id);
    expect_frame(ping.id);
    gf_channel_add(&g_f->ch, &y);
    gf_channel_give_up(&g_f->ch, &y, HOUR); /* nothing of it is sent */
    assert_int_equal(y.error.status, GF_E_CANCELLED);
    gf_channel_give_up(&g_f->ch, &x, HOUR);
    const int64_t since = x.deadline;
    assert_true(since <= gf_now());
    assert_true(gf_channel_work(&g_f->ch));
    assert_int_equal(expect_frame(x.id), GF_FRAME_CANCEL);
    while (gf_now() == since)
        ;
    gf_channel_give_up(&g_f->ch, &x, HOUR);
    assert_true(x.deadline == since); /* asking again gives no more time */
    assert_true(gf_channel_work(&g_f->ch));
    expect_nothing();
    assert_int_equal(x.state, GF_EXCHANGE_SENT);
    gf_channel_give_up(&g_f->ch, &ping, 0);
    assert_false(gf_channel_work(&g_f->ch));
    assert_int_equal(ping.error.status, GF_E_TIMEOUT);
    assert_int_equal(x.error.status, GF_E_CONNECTION_LOST);
    assert_int_equal(g_f->n_done, 3);
}

static void a_server_at_work_is_given_time(void **state)
{
    UNUSED(state);
    static struct gf_exchange x, y, z;
    x = question(false);
    y = question(false);
    z = question(false);
    x.deadline = gf_now() + HOUR;
    x.grace = HOUR;
    z.deadline = x.deadline;
    gf_channel_add(&g_f->ch, &x);
    gf_channel_add(&g_f->ch, &y);
    gf_channel_add(&g_f->ch, &z);
    assert_true(gf_channel_work(&g_f->ch));
    x.deadline = gf_now() - HOUR; /* it has passed, and the window keeps z back */
    z.deadline = x.deadline;
    g_f->ch.next_deadline = 0;
    gf_channel_expire(&g_f->ch);
    assert_int_equal(z.error.status, GF_E_DEADLINE);
    assert_int_equal(x.state, GF_EXCHANGE_SENT); /* something moved a moment ago */
    assert_true(g_f->ch.next_deadline > gf_now());
    g_f->ch.moved = gf_now() - HOUR - 1;
    g_f->ch.next_deadline = 0;
    assert_false(gf_channel_work(&g_f->ch));
    assert_int_equal(x.error.status, GF_E_TIMEOUT);
    assert_int_equal(y.error.status, GF_E_CONNECTION_LOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_early_answer_waits_for_the_end_of_its_question, setup, teardown),
        cmocka_unit_test_setup_teardown(no_frame_comes_within_another, setup, teardown),
        cmocka_unit_test_setup_teardown(a_server_that_reads_no_more_may_have_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(a_question_that_was_not_sent_has_no_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(a_greeting_ends_with_its_connection, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_before_the_end_count, setup, teardown),
        cmocka_unit_test_setup_teardown(the_window_holds_back, setup, teardown),
        cmocka_unit_test_setup_teardown(giving_up_cancels_and_ends_silence, setup, teardown),
        cmocka_unit_test_setup_teardown(a_server_at_work_is_given_time, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
