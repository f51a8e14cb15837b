/* SPDX-License-Identifier: MIT */
/* Requests are in flight when the connection, the daemon or the process goes: each still gets one answer. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "submit_fixture.h"

static void silence_ends_the_connection(void **state)
{
    struct submit_fixture *f = *state;
    f->server->misbehave = 3;
    submit_begin(f, submit_hold);
    submit_one(f, 0, 0);
    submit_one(f, 1, 1000);
    submit_one(f, 2, 0);
    submit_take(f, 3);
    assert_int_equal(f->jobs[1].status, GPUFILTER_E_TIMEOUT);
    assert_int_equal(f->jobs[0].status, GPUFILTER_OK); /* sent again */
    assert_int_equal(f->jobs[2].status, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 2);
}

static void what_is_here_already_is_not_too_late(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, NULL);
    submit_one(f, 0, 3600000);
    assert_true(submit_readable(f, SUBMIT_WAIT_MS));
    /* The program was away for hours. */
    struct gf_channel *ch = &f->client->channel;
    ch->sent.first->deadline = ch->next_deadline = ch->moved = 1;
    submit_take(f, 1);
    submit_expect(f, 1, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 1);
}

/* Answers the first ten, then ends the connection. */
static void hang_up_after_ten(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    if (s->n_runs <= 10)
        fake_run(s, h, NULL);
    *ret_close = s->n_runs > 10;
}

static void a_lost_connection_is_made_anew(void **state)
{
    struct submit_fixture *f = *state;
    int fd = -1;
    f->server->misbehave = 11;
    submit_begin(f, hang_up_after_ten);
    submit_many(f, MANY);
    submit_take(f, MANY);
    submit_expect(f, MANY, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 2);
    assert_true(f->server->n_runs > MANY);
    OK(gpufilter_fd(f->client, &fd, &g_err));
    assert_int_equal(fd, f->fd);
}

static void hang_up(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(s);
    UNUSED(h);
    *ret_close = true;
}

static void each_gets_one_answer_from_a_daemon_that_always_hangs_up(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, hang_up);
    submit_many(f, MANY);
    submit_take(f, MANY);
    submit_expect(f, MANY, GPUFILTER_E_CONNECTION_LOST);
    assert_int_equal(f->server->n_connections, 5);
}

static void cancelled_requests_are_not_sent_again(void **state)
{
    struct submit_fixture *f = *state;
    f->server->cancel = hang_up;
    f->server->misbehave = 2;
    submit_begin(f, submit_hold);
    submit_many(f, 2);
    OK(gpufilter_ping(f->client, NULL, &g_err));
    OK(gpufilter_cancel(f->client, f->jobs[0].id, &g_err));
    submit_take(f, 2);
    assert_int_equal(f->jobs[0].status, GPUFILTER_E_CONNECTION_LOST);
    assert_int_equal(f->jobs[1].status, GPUFILTER_OK);
    assert_int_equal(f->server->n_runs, 3);
}

static void without_a_daemon_that_is_the_answer(void **state)
{
    struct submit_fixture *f = *state;
    char path[sizeof(f->server->path) + 5];
    submit_begin(f, hang_up);
    snprintf(path, sizeof(path), "%s.away", f->server->path);
    assert_int_equal(rename(f->server->path, path), 0);
    submit_many(f, MANY);
    submit_take(f, MANY);
    submit_expect(f, MANY, GPUFILTER_E_NO_DAEMON);
    submit_one(f, 0, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[0].n_answers, 2);
    assert_int_equal(f->jobs[0].status, GPUFILTER_E_NO_DAEMON);
    assert_int_equal(rename(path, f->server->path), 0);
    f->server->run = NULL;
    submit_one(f, 0, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[0].status, GPUFILTER_OK);
}

static void bad_reply_to_one(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_hold(s, h);
    if (s->n_held == 5)
        fake_send(s, GF_FRAME_RESULT, 4711, NULL, NULL, 0);
}

static void a_daemon_that_cannot_be_understood_is_not_asked_again(void **state)
{
    struct submit_fixture *f = *state;
    f->server->misbehave = 5;
    submit_begin(f, bad_reply_to_one);
    submit_many(f, 5);
    submit_take(f, 5);
    submit_expect(f, 5, GPUFILTER_E_BAD_REPLY);
    assert_int_equal(f->server->n_runs, 5);
    submit_one(f, 5, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[5].status, GPUFILTER_OK);
}

/* Sends GOAWAY at the fourth request, then answers the requests before it. */
static void go_away(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    fake_hold(s, h);
    if (s->n_held < 4)
        return;
    fake_send(s, GF_FRAME_GOAWAY, 0, NULL, NULL, 0);
    while (s->n_held > 1)
        fake_answer_held(s, 0, GF_OK);
    fake_answer_held(s, 0, GF_E_SHUTDOWN);
    *ret_close = false;
}

static void goaway_moves_what_waits_to_a_new_connection(void **state)
{
    struct submit_fixture *f = *state;
    f->server->misbehave = 4;
    submit_begin(f, go_away);
    submit_many(f, 4);
    submit_take(f, 4);
    submit_many(f, 3);
    submit_take(f, 3);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(f->jobs[i].status, GPUFILTER_OK);
    assert_int_equal(f->server->n_runs, 4 + 1 + 3); /* the one that got SHUTDOWN came again */
    assert_int_equal(f->server->n_connections, 2);
}

static void a_client_can_be_closed_meanwhile(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, submit_hold);
    gpufilter_view src = gpufilter_tight_view(f->jobs[0].src, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_result here = GPUFILTER_RESULT_INIT, there = here;
    there.view.data = GPUFILTER_RESIDENT;
    OK(gpufilter_submit_text(f->client, "copy", &src, 1, &here, 1, NULL, NULL, NULL, &g_err));
    OK(gpufilter_submit_text(f->client, "copy", &src, 1, &there, 1, NULL, NULL, NULL, &g_err));
    OK(gpufilter_submit_text(f->client, "copy", &there.view, 1, &here, 1, NULL, NULL, NULL, &g_err));
    submit_many(f, MANY); /* teardown closes */
}

static void a_forked_child_can_only_close(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, NULL);
    submit_many(f, 5);
    pid_t child = fork();
    if (child == 0) {
        gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
        gpufilter_view src = gpufilter_tight_view(f->jobs[0].src, SIDE, SIDE, GPUFILTER_U8, 1);
        gpufilter_result result = GPUFILTER_RESULT_INIT;
        int fd = -1;
        bool ok =
            gpufilter_poll(f->client, &answer, NULL) == GPUFILTER_E_FORKED &&
            gpufilter_wait(f->client, 0, 0, &answer, NULL) == GPUFILTER_E_FORKED &&
            gpufilter_cancel(f->client, f->jobs[0].id, NULL) == GPUFILTER_E_FORKED &&
            gpufilter_fd(f->client, &fd, NULL) == GPUFILTER_E_FORKED &&
            gpufilter_submit_text(f->client, "copy", &src, 1, &result, 1, NULL, NULL, NULL, NULL) == GPUFILTER_E_FORKED;
        gpufilter_close(f->client);
        _exit(ok ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    submit_take(f, 5); /* by the descriptor, which the child has closed too */
    submit_one(f, 5, 0);
    submit_take(f, 1);
    submit_expect(f, 6, GPUFILTER_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, submit_setup, submit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(silence_ends_the_connection),
        TEST(what_is_here_already_is_not_too_late),
        TEST(a_lost_connection_is_made_anew),
        TEST(each_gets_one_answer_from_a_daemon_that_always_hangs_up),
        TEST(cancelled_requests_are_not_sent_again),
        TEST(without_a_daemon_that_is_the_answer),
        TEST(a_daemon_that_cannot_be_understood_is_not_asked_again),
        TEST(goaway_moves_what_waits_to_a_new_connection),
        TEST(a_client_can_be_closed_meanwhile),
        TEST(a_forked_child_can_only_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
