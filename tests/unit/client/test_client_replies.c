/* SPDX-License-Identifier: MIT */
/* The client library against a misbehaving daemon: every invalid answer is reported, the connection ends, and the next
 * call works again. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "fake_server.h"
#include "tests/support/resources.h"

static struct fake_server *g_server;
static int g_fds;

static int setup(void **state)
{
    UNUSED(state);
    g_fds = gf_fd_count();
    g_server = fake_server_new();
    return 0;
}

static int teardown(void **state)
{
    UNUSED(state);
    fake_server_stop(g_server);
    fake_server_free(g_server);
    assert_int_equal(gf_fd_count(), g_fds);
    return 0;
}

/* Starts the server as set up and connects. */
static gpufilter_client *begin(uint32_t deadline_ms)
{
    gpufilter_client *client = NULL;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = g_server->path;
    options.deadline_ms = deadline_ms;
    fake_server_start(g_server);
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_OK);
    return client;
}

/* Runs box on 4 pixels. On success checks the result. */
static int run(gpufilter_client *client, gpufilter_error *err)
{
    uint8_t src[4] = {1, 2, 3, 255}, dst[4] = {0};
    gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(dst, 2, 2, GPUFILTER_U8, 1);
    int status = gpufilter_box(client, &in, &out, NULL, NULL, err);
    if (status == GPUFILTER_OK)
        assert_memory_equal(dst, ((uint8_t[]){2, 3, 4, 0}), 4);
    return status;
}

/* Changes of a RESULT that no client may believe. */
static void change_width(struct gf_run_reply *r)
{
    r->outputs[0].view.width = 1;
}
static void change_dtype(struct gf_run_reply *r)
{
    r->outputs[0].view.dtype = GF_I8;
}
static void change_pitch(struct gf_run_reply *r)
{
    r->outputs[0].view.pitch = 4;
}
static void change_offset(struct gf_run_reply *r)
{
    r->outputs[0].offset = 64;
}
static void change_length(struct gf_run_reply *r)
{
    r->outputs[0].length = 3;
}
static void change_count(struct gf_run_reply *r)
{
    r->n_outputs = 2;
    r->outputs[1] = r->outputs[0];
}
static void change_none(struct gf_run_reply *r)
{
    r->n_outputs = 0;
}

static void (*const g_changes[])(struct gf_run_reply *r) = {change_width,  change_dtype, change_pitch, change_offset,
                                                            change_length, change_count, change_none};
static size_t g_case;

static void answer_changed(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)ret_close;
    fake_run(s, h, g_changes[g_case]);
}

/* Frames that do not answer RUN. */
static void answer_frame(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    static const struct {
        uint16_t kind;
        uint64_t id_off, payload;
    } frames[] = {
        {GF_FRAME_DONE, 0, 0},   {GF_FRAME_PONG, 0, 0},          {GF_FRAME_RESULT, 1, 4},      {GF_FRAME_ERROR, 1, 0},
        {GF_FRAME_RESULT, 0, 5}, {GF_FRAME_RESULT, 0, 1u << 30}, {GF_FRAME_RESULT, 0, 0},      {GF_FRAME_RUN, 0, 0},
        {GF_FRAME_ERROR, 0, 0},  {GF_FRAME_GOAWAY, 0, 0},        {GF_FRAME_HELLO_REPLY, 0, 0}, {77, 0, 0},
    };
    uint8_t bytes[GF_HEADER_SIZE];
    (void)ret_close;
    if (g_case >= GF_ARRAY_LEN(frames)) {
        memset(bytes, 'x', sizeof(bytes));
        fake_send_bytes(s, bytes, sizeof(bytes));
        return;
    }
    const struct gf_header head = {.version = GF_VERSION,
                                   .kind = frames[g_case].kind,
                                   .id = h->id + frames[g_case].id_off,
                                   .payload_len = frames[g_case].payload};
    gf_header_encode(&head, bytes);
    fake_send_bytes(s, bytes, sizeof(bytes));
}

/* Bodies of RESULT and ERROR that are not attributes, and statuses that a server must not send. */
static void answer_body(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    uint8_t bytes[GF_HEADER_SIZE + 64];
    struct gf_writer w;
    gf_writer_init(&w, bytes, sizeof(bytes));
    (void)ret_close;
    if (g_case < 2) {
        memset(bytes + GF_HEADER_SIZE, 0xFF, 16);
        w.size += 16;
        fake_send(s, g_case == 0 ? GF_FRAME_RESULT : GF_FRAME_ERROR, h->id, &w, "abcd", g_case == 0 ? 4 : 0);
        return;
    }
    static const uint32_t statuses[] = {GF_OK, GF_STATUS_LOCAL, GF_E_TIMEOUT, 4000};
    gf_put_u32(&w, GF_ATTR_STATUS, statuses[g_case - 2]);
    gf_put_string(&w, GF_ATTR_TEXT, "no");
    fake_send(s, GF_FRAME_ERROR, h->id, &w, NULL, 0);
}

static void assert_bad_replies(fake_answer *answer, size_t n)
{
    g_server->run = answer;
    gpufilter_client *client = begin(0);
    for (g_case = 0; g_case < n; g_case++) {
        gpufilter_error err = {.text = ""};
        assert_int_equal(run(client, &err), GPUFILTER_E_BAD_REPLY);
        assert_int_equal(err.status, GPUFILTER_E_BAD_REPLY);
        assert_true(strlen(err.text) > 20);
        assert_int_equal(g_server->n_runs, g_case + 1); /* never asked again */
        assert_int_equal(gpufilter_ping(client, NULL, NULL), GPUFILTER_OK);
        assert_int_equal(g_server->n_connections, g_case + 2);
    }
    gpufilter_close(client);
}

static void results_unlike_what_was_asked_are_refused(void **state)
{
    UNUSED(state);
    assert_bad_replies(answer_changed, GF_ARRAY_LEN(g_changes));
}

static void frames_that_do_not_answer_are_refused(void **state)
{
    UNUSED(state);
    assert_bad_replies(answer_frame, 13);
}

static void broken_bodies_are_refused(void **state)
{
    UNUSED(state);
    assert_bad_replies(answer_body, 6);
}

static void answer_status(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)ret_close;
    fake_send_error(s, h->id, GF_E_QUOTA, "too much at once", 77, 250);
}

static void statuses_are_handed_on_and_never_asked_again(void **state)
{
    UNUSED(state);
    g_server->run = answer_status;
    g_server->misbehave = 1;
    gpufilter_client *client = begin(0);
    gpufilter_error err;
    assert_int_equal(run(client, &err), GPUFILTER_E_QUOTA);
    assert_string_equal(err.text, "too much at once");
    assert_int_equal(err.needed, 77);
    assert_int_equal(err.retry_ms, 250);
    assert_int_equal(g_server->n_runs, 1);
    assert_int_equal(run(client, &err), GPUFILTER_OK);
    assert_int_equal(g_server->n_connections, 1);
    gpufilter_close(client);
}

static void answer_last_words(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)h;
    fake_send_error(s, 0, GF_E_SLOW, "too slow", 0, 0);
    *ret_close = true;
}

static void last_frame_of_a_connection_is_a_status(void **state)
{
    UNUSED(state);
    g_server->run = answer_last_words;
    g_server->misbehave = 1;
    gpufilter_client *client = begin(0);
    gpufilter_error err;
    assert_int_equal(run(client, &err), GPUFILTER_E_SLOW);
    assert_string_equal(err.text, "too slow");
    assert_int_equal(g_server->n_runs, 1);
    assert_int_equal(run(client, NULL), GPUFILTER_OK);
    assert_int_equal(g_server->n_connections, 2);
    gpufilter_close(client);
}

static void answer_nothing(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)s, (void)h;
    *ret_close = true;
}

/* Ends the connection in the middle of its answer. */
static void answer_half(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    uint8_t bytes[GF_HEADER_SIZE];
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = GF_FRAME_RESULT, .id = h->id, .payload_len = 4},
                     bytes);
    fake_send_bytes(s, bytes, sizeof(bytes) - 1);
    *ret_close = true;
}

static void lost_connection_is_asked_again(void **state)
{
    UNUSED(state);
    g_server->run = answer_half;
    g_server->misbehave = 4;
    gpufilter_client *client = begin(0);
    assert_int_equal(run(client, NULL), GPUFILTER_OK);
    assert_int_equal(g_server->n_runs, 5);
    assert_int_equal(g_server->n_connections, 5);
    gpufilter_close(client);
}

static void connection_lost_five_times_is_told(void **state)
{
    UNUSED(state);
    g_server->run = answer_nothing;
    gpufilter_client *client = begin(0);
    gpufilter_error err;
    assert_int_equal(run(client, &err), GPUFILTER_E_CONNECTION_LOST);
    assert_int_equal(g_server->n_runs, 5);
    gpufilter_close(client);
}

static void arenas_outlive_a_lost_connection(void **state)
{
    UNUSED(state);
    g_server->run = answer_nothing;
    g_server->misbehave = 1;
    gpufilter_client *client = begin(0);
    void *src = NULL;
    assert_int_equal(gpufilter_alloc(client, 64, &src, NULL), GPUFILTER_OK);
    memset(src, 5, 64);
    gpufilter_view in = gpufilter_tight_view(src, 8, 8, GPUFILTER_U8, 1), out = {.data = NULL};
    assert_int_equal(gpufilter_box(client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(((uint8_t *)out.data)[63], 6);
    assert_int_equal(g_server->n_arenas, 2); /* declared on both connections */
    assert_int_equal(g_server->arena_operands, 1);
    gpufilter_close(client);
}

static void refuse_arena(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)ret_close;
    fake_send_error(s, h->id, GF_E_BAD_ARENA, "no", 0, 0);
}

static void refused_arena_makes_all_go_inline(void **state)
{
    UNUSED(state);
    g_server->arena = refuse_arena;
    gpufilter_client *client = begin(0);
    void *src = NULL;
    assert_int_equal(gpufilter_alloc(client, 64, &src, NULL), GPUFILTER_OK);
    memset(src, 5, 64);
    gpufilter_view in = gpufilter_tight_view(src, 8, 8, GPUFILTER_U8, 1), out = {.data = NULL};
    assert_int_equal(gpufilter_box(client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(((uint8_t *)out.data)[63], 6);
    assert_int_equal(g_server->inline_operands, 1);
    assert_int_equal(g_server->n_arenas, 1);
    gpufilter_close(client);
}

static void answer_late(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)s, (void)h, (void)ret_close;
}

static void deadline_ends_the_wait(void **state)
{
    UNUSED(state);
    g_server->run = answer_late;
    g_server->misbehave = 1;
    gpufilter_client *client = begin(1000);
    gpufilter_error err;
    assert_int_equal(run(client, &err), GPUFILTER_E_TIMEOUT);
    assert_int_equal(g_server->n_runs, 1);
    assert_int_equal(run(client, &err), GPUFILTER_OK);
    assert_int_equal(g_server->n_connections, 2);
    gpufilter_close(client);
}

static void connecting_ends_in_time(void **state)
{
    UNUSED(state);
    g_server->hello = answer_late;
    fake_server_start(g_server);
    gpufilter_client *client = NULL;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = g_server->path;
    options.connect_timeout_ms = 20;
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_TIMEOUT);
    assert_null(client);
}

static void answer_goaway_and_pings(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)ret_close;
    fake_send(s, GF_FRAME_PING, 0, NULL, NULL, 0);
    fake_send(s, GF_FRAME_PING, 0, NULL, NULL, 0);
    fake_send(s, GF_FRAME_GOAWAY, 0, NULL, NULL, 0);
    fake_run(s, h, NULL);
}

static void goaway_moves_the_next_request_to_a_new_connection(void **state)
{
    UNUSED(state);
    g_server->run = answer_goaway_and_pings;
    g_server->misbehave = 1;
    gpufilter_client *client = begin(0);
    assert_int_equal(run(client, NULL), GPUFILTER_OK);
    assert_int_equal(g_server->n_connections, 1);
    assert_int_equal(run(client, NULL), GPUFILTER_OK);
    assert_int_equal(g_server->n_connections, 2);
    assert_int_equal(g_server->n_runs, 2);
    gpufilter_close(client);
}

static void refuse_hello(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    fake_send_error(s, h->id, GF_E_BAD_VERSION, "spoken is 9", 0, 0);
    *ret_close = true;
}

static void refused_greeting_is_told(void **state)
{
    UNUSED(state);
    g_server->hello = refuse_hello;
    fake_server_start(g_server);
    gpufilter_client *client = NULL;
    gpufilter_error err;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = g_server->path;
    assert_int_equal(gpufilter_open(&options, &client, &err), GPUFILTER_E_BAD_VERSION);
    assert_string_equal(err.text, "spoken is 9");
}

static void daemon_that_ends_before_greeting_is_looked_for_again(void **state)
{
    UNUSED(state);
    g_server->hello = answer_nothing;
    g_server->misbehave = 4;
    gpufilter_client *client = begin(0);
    assert_int_equal(g_server->n_hellos, 5);
    assert_int_equal(g_server->n_connections, 5);
    gpufilter_close(client);
    g_server->misbehave = 0;
    client = NULL;
    gpufilter_error err;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = g_server->path;
    options.connect_timeout_ms = 1000; /* room for a second attempt on a slow machine */
    while (gpufilter_open(&options, &client, &err) == GPUFILTER_E_TIMEOUT)
        ; /* of a slow machine */
    assert_int_equal(err.status, GPUFILTER_E_CONNECTION_LOST);
    assert_string_equal(err.text, "the daemon ended the connection without an answer");
    assert_true(g_server->n_hellos > 6);
}

static void server_of_another_user_is_refused(void **state)
{
    UNUSED(state);
    fake_server_start(g_server);
    gpufilter_client *client = NULL;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = g_server->path;
    options.server_uid = (int64_t)getuid() + 1;
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_WRONG_SERVER);
    options.server_uid = (int64_t)getuid();
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_OK);
    gpufilter_close(client);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_unlike_what_was_asked_are_refused),
        TEST(frames_that_do_not_answer_are_refused),
        TEST(broken_bodies_are_refused),
        TEST(statuses_are_handed_on_and_never_asked_again),
        TEST(last_frame_of_a_connection_is_a_status),
        TEST(lost_connection_is_asked_again),
        TEST(connection_lost_five_times_is_told),
        TEST(arenas_outlive_a_lost_connection),
        TEST(refused_arena_makes_all_go_inline),
        TEST(deadline_ends_the_wait),
        TEST(connecting_ends_in_time),
        TEST(goaway_moves_the_next_request_to_a_new_connection),
        TEST(refused_greeting_is_told),
        TEST(daemon_that_ends_before_greeting_is_looked_for_again),
        TEST(server_of_another_user_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
