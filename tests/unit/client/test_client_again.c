/* SPDX-License-Identifier: MIT */
/* Requests that are sent again, how often and in which order, and requests that are not sent again. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "submit_fixture.h"

static gpufilter_error g_run_err;

/* A run that the server answers with each byte and 1. */
static int run(struct submit_fixture *f)
{
    uint8_t src[4] = {1, 2, 3, 4}, dst[4] = {0};
    gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(dst, 2, 2, GPUFILTER_U8, 1);
    const int status = gpufilter_copy(f->client, &in, &out, NULL, NULL, &g_run_err);
    if (status == GPUFILTER_OK)
        assert_memory_equal(dst, ((uint8_t[]){2, 3, 4, 5}), 4);
    return status;
}

static void say_shutdown(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_send_error(s, h->id, GF_E_SHUTDOWN, "the server is shutting down", 0, 250);
}

static void say_shutdown_to_all(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(h);
    fake_send_error(s, 0, GF_E_SHUTDOWN, "the server is shutting down", 0, 250);
    *ret_close = true;
}

static void say_shutdown_and_goaway(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    say_shutdown(s, h, ret_close);
    fake_send(s, GF_FRAME_GOAWAY, 0, NULL, NULL, 0);
}

static void a_greeting_in_shutdown_is_tried_again(void **state)
{
    struct submit_fixture *f = *state;
    f->server->hello = say_shutdown;
    f->server->misbehave = 2;
    submit_begin(f, NULL);
    assert_int_equal(f->server->n_hellos, 3);
    assert_int_equal(f->server->n_connections, 3);
    f->client = gpufilter_close(f->client);
    f->server->hello = say_shutdown_to_all;
    f->server->misbehave = f->server->n_hellos + 2;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = f->server->path;
    OK(gpufilter_open(&options, &f->client, &g_err));
    assert_int_equal(f->server->n_hellos, 6);
}

static void shutdown_is_told_where_it_stays(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_client *client = NULL;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = f->server->path;
    options.connect_timeout_ms = 1000; /* room for a second attempt on a slow machine */
    f->server->hello = say_shutdown;
    fake_server_start(f->server);
    while (gpufilter_open(&options, &client, &g_err) == GPUFILTER_E_TIMEOUT)
        ; /* of a slow machine */
    assert_int_equal(g_err.status, GPUFILTER_E_SHUTDOWN);
    assert_int_equal(g_err.retry_ms, 250);
    assert_true(f->server->n_hellos > 1);
}

static void a_run_goes_again_after_shutdown(void **state)
{
    struct submit_fixture *f = *state;
    fake_answer *const ways[] = {say_shutdown, say_shutdown_to_all, say_shutdown_and_goaway};
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    submit_begin(f, NULL);
    for (unsigned i = 0; i < GF_ARRAY_LEN(ways); i++) {
        unsigned n_runs = f->server->n_runs, n_connections = f->server->n_connections;
        f->server->run = ways[i];
        f->server->misbehave = n_runs + 4;
        assert_int_equal(run(f), GPUFILTER_OK);
        assert_int_equal(f->server->n_runs, n_runs + 5);
        assert_int_equal(f->server->n_connections, n_connections + 4);
        OK(gpufilter_last_times(f->client, &times, &g_err));
        assert_int_equal(times.attempts, 5);
    }
    assert_int_equal(run(f), GPUFILTER_OK);
    OK(gpufilter_last_times(f->client, &times, &g_err));
    assert_int_equal(times.attempts, 1);
}

static void shutdown_is_told_after_four_times(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, say_shutdown);
    assert_int_equal(run(f), GPUFILTER_E_SHUTDOWN);
    assert_string_equal(g_run_err.text, "the server is shutting down");
    assert_int_equal(g_run_err.retry_ms, 250);
    assert_int_equal(f->server->n_runs, 5);
    assert_int_equal(f->server->n_connections, 5);
    f->server->run = NULL;
    assert_int_equal(run(f), GPUFILTER_OK);
}

static enum gf_status g_status;

static void say_status(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_send_error(s, h->id, g_status, "as the test wants", 0, 250);
}

static void other_statuses_are_told_at_once(void **state)
{
    static const enum gf_status told[] = {GF_E_REQUEST_POISON, GF_E_DEVICE_LOST, GF_E_BUSY,      GF_E_QUOTA,
                                          GF_E_NO_DEVICE,      GF_E_DEADLINE,    GF_E_CANCELLED, GF_E_INTERNAL};
    struct submit_fixture *f = *state;
    submit_begin(f, say_status);
    for (unsigned i = 0; i < GF_ARRAY_LEN(told); i++) {
        g_status = told[i];
        assert_int_equal(run(f), told[i]);
        submit_one(f, i, 0);
        submit_take(f, 1);
        assert_int_equal(f->jobs[i].status, told[i]);
        assert_int_equal(f->server->n_runs, 2 * (i + 1));
    }
    assert_int_equal(f->server->n_connections, 1);
}

static void requests_are_named_by_where_they_were_sent_last(void **state)
{
    struct submit_fixture *f = *state;
    char wanted[64];
    f->server->node = "node7";
    submit_begin(f, NULL);
    assert_string_equal(gpufilter_node(f->client), "node7");
    assert_string_equal(gpufilter_last_request(f->client), "");
    submit_one(f, 0, 0);
    submit_take(f, 1);
    snprintf(wanted, sizeof(wanted), "node7/1/%" PRIu64, f->jobs[0].id);
    assert_string_equal(gpufilter_last_request(f->client), wanted);
    g_status = GF_E_QUOTA;
    f->server->run = say_status; /* a failed one has a name, too */
    submit_one(f, 1, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[1].status, GPUFILTER_E_QUOTA);
    snprintf(wanted, sizeof(wanted), "node7/1/%" PRIu64, f->jobs[1].id);
    assert_string_equal(gpufilter_last_request(f->client), wanted);
    f->server->run = say_shutdown;
    f->server->misbehave = f->server->n_runs + 2;
    submit_one(f, 2, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[2].status, GPUFILTER_OK);
    snprintf(wanted, sizeof(wanted), "node7/3/%" PRIu64, f->jobs[2].id);
    assert_string_equal(gpufilter_last_request(f->client), wanted);
    assert_int_equal(gpufilter_run_text(f->client, "blur sigma=-1", NULL, 0, NULL, 0, NULL, NULL),
                     GPUFILTER_E_BAD_PARAM);
    assert_string_equal(gpufilter_last_request(f->client), "");
}

static void a_daemon_without_a_name_gives_requests_none(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, NULL);
    assert_int_equal(run(f), GPUFILTER_OK);
    assert_string_equal(gpufilter_node(f->client), "");
    assert_string_equal(gpufilter_last_request(f->client), "");
}

static _Atomic uint64_t g_ids[16]; /* of the RUNs of the second connection */
static _Atomic unsigned g_n_ids;

/* Of six requests on the first connection, answers two with SHUTDOWN, the later one first, answers one, and hangs up.
 */
static void scatter(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    if (s->n_connections > 1) {
        g_ids[g_n_ids++] = h->id;
        fake_run(s, h, NULL);
        return;
    }
    fake_hold(s, h);
    if (s->n_held < 6)
        return;
    fake_answer_held(s, 4, GF_E_SHUTDOWN);
    fake_answer_held(s, 1, GF_E_SHUTDOWN);
    fake_answer_held(s, 1, GF_OK); /* the third one */
    *ret_close = true;
}

static void requests_keep_their_order(void **state)
{
    struct submit_fixture *f = *state;
    g_n_ids = 0;
    submit_begin(f, scatter);
    submit_many(f, 6);
    submit_take(f, 6);
    submit_expect(f, 6, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 2);
    static const unsigned again[] = {0, 1, 3, 4, 5};
    assert_int_equal(g_n_ids, GF_ARRAY_LEN(again));
    for (unsigned i = 0; i < GF_ARRAY_LEN(again); i++)
        assert_int_equal(g_ids[i], f->jobs[again[i]].id);
}

/* Answers the first of two requests with SHUTDOWN and keeps the other. */
static void refuse_and_hold(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_hold(s, h);
    if (s->n_held == 2)
        fake_answer_held(s, 0, GF_E_SHUTDOWN);
}

static void what_waits_to_go_again_can_be_cancelled(void **state)
{
    struct submit_fixture *f = *state;
    f->server->misbehave = 2;
    submit_begin(f, refuse_and_hold);
    submit_many(f, 2);
    while (gf_channel_find(&f->client->channel, f->jobs[0].id)->state != GF_EXCHANGE_QUEUED) {
        gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
        assert_true(submit_readable(f, SUBMIT_WAIT_MS));
        OK(gpufilter_poll(f->client, &answer, &g_err));
        assert_int_equal(answer.id, 0);
    }
    OK(gpufilter_cancel(f->client, f->jobs[0].id, &g_err));
    submit_take(f, 1);
    assert_int_equal(f->jobs[0].status, GPUFILTER_E_CANCELLED);
    assert_int_equal(f->server->n_runs, 2);
    assert_int_equal(f->server->n_connections, 1); /* the other one is still asked for there */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, submit_setup, submit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_greeting_in_shutdown_is_tried_again),
        TEST(shutdown_is_told_where_it_stays),
        TEST(a_run_goes_again_after_shutdown),
        TEST(shutdown_is_told_after_four_times),
        TEST(other_statuses_are_told_at_once),
        TEST(requests_keep_their_order),
        TEST(requests_are_named_by_where_they_were_sent_last),
        TEST(requests_keep_their_order),
        TEST(a_daemon_without_a_name_gives_requests_none),
        TEST(requests_keep_their_order),
        TEST(what_waits_to_go_again_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
