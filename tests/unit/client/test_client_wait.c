/* SPDX-License-Identifier: MIT */
/* An absent daemon: waiting for it, and the cost of calls that do not wait. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "submit_fixture.h"
#include "tests/support/resources.h"

#define LONG_MS 60000
#define MS ((int64_t)GF_NS_PER_MS)

static char g_away[200];

static void hide(struct submit_fixture *f)
{
    snprintf(g_away, sizeof(g_away), "%s.away", f->server->path);
    assert_int_equal(rename(f->server->path, g_away), 0);
}

static void show(const struct submit_fixture *f)
{
    assert_int_equal(rename(g_away, f->server->path), 0);
}

static void hang_up(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(s);
    UNUSED(h);
    *ret_close = true;
}

/* Lets the client ask until several attempts have found no daemon. */
static void ask_some_times(struct submit_fixture *f)
{
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    while (f->client->retry.pause < 40 * MS) {
        assert_true(submit_readable(f, SUBMIT_WAIT_MS));
        OK(gpufilter_poll(f->client, &answer, &g_err));
        assert_int_equal(answer.id, 0);
    }
}

static void requests_wait_for_a_daemon_that_comes_back(void **state)
{
    struct submit_fixture *f = *state;
    f->wait_ms = LONG_MS;
    f->server->misbehave = 1;
    submit_begin(f, hang_up);
    hide(f);
    submit_many(f, MANY);
    ask_some_times(f);
    show(f);
    submit_take(f, MANY);
    submit_expect(f, MANY, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 2);
    assert_int_equal(f->server->n_hellos, 2);
}

static void *show_now(void *context)
{
    show(context);
    return NULL;
}

static void a_run_waits_for_a_daemon_that_comes_back(void **state)
{
    struct submit_fixture *f = *state;
    uint8_t src[4] = {1, 2, 3, 4}, dst[4];
    gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(dst, 2, 2, GPUFILTER_U8, 1);
    pthread_t thread;
    f->wait_ms = LONG_MS;
    f->server->misbehave = 1;
    submit_begin(f, hang_up);
    hide(f);
    submit_one(f, 0, 0);
    ask_some_times(f);
    assert_int_equal(pthread_create(&thread, NULL, show_now, f), 0);
    OK(gpufilter_copy(f->client, &in, &out, NULL, NULL, &g_err));
    assert_memory_equal(dst, ((uint8_t[]){2, 3, 4, 5}), 4);
    pthread_join(thread, NULL);
    submit_take(f, 1);
    submit_expect(f, 1, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 2);
}

static void opening_waits_too(void **state)
{
    struct submit_fixture *f = *state;
    pthread_t thread;
    f->wait_ms = LONG_MS;
    hide(f);
    assert_int_equal(pthread_create(&thread, NULL, show_now, f), 0);
    submit_begin(f, NULL);
    pthread_join(thread, NULL);
    submit_one(f, 0, 0);
    submit_take(f, 1);
    submit_expect(f, 1, GPUFILTER_OK);
}

static void a_wait_has_an_end(void **state)
{
    struct submit_fixture *f = *state;
    f->wait_ms = 500; /* room for a second attempt on a slow machine */
    submit_begin(f, hang_up);
    hide(f);
    submit_many(f, 3);
    submit_take(f, 3);
    submit_expect(f, 3, GPUFILTER_E_NO_DAEMON);
    assert_true(f->client->retry.pause >= 10 * MS); /* it was asked more than once */
    assert_int_equal(f->server->n_connections, 1);
}

static void a_deadline_ends_a_wait(void **state)
{
    struct submit_fixture *f = *state;
    f->wait_ms = LONG_MS;
    submit_begin(f, hang_up);
    hide(f);
    submit_one(f, 0, 30);
    submit_take(f, 1);
    assert_int_equal(f->jobs[0].status, GPUFILTER_E_DEADLINE);
}

static void a_ping_waits_longer_than_connecting_may_take(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = f->server->path;
    options.connect_timeout_ms = 20;
    options.wait_ms = 60;
    fake_server_start(f->server);
    while (gpufilter_open(&options, &f->client, &g_err) != GPUFILTER_OK)
        assert_int_equal(g_err.status, GPUFILTER_E_TIMEOUT); /* of a slow machine */
    hide(f);
    gf_channel_lose(&f->client->channel, &(struct gf_error){.status = GF_E_CONNECTION_LOST});
    while (gpufilter_ping(f->client, NULL, &g_err) != GPUFILTER_E_NO_DAEMON)
        assert_int_equal(g_err.status, GPUFILTER_E_TIMEOUT); /* of a slow machine */
}

/* Calls in a loop, as a program makes them that ignores the error. */
static void a_loop_of_calls_does_not_spin(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, hang_up);
    hide(f);
    submit_one(f, 0, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[0].status, GPUFILTER_E_NO_DAEMON);
    int64_t pause = f->client->retry.pause, due = f->client->retry.at;
    for (unsigned i = 0; i < 2; i++) {
        assert_true(pause >= 5 * MS);
        assert_int_equal(gpufilter_ping(f->client, NULL, &g_err), GPUFILTER_E_NO_DAEMON);
        assert_true(gf_now() >= due); /* it slept what was left of the pause */
        assert_true(f->client->retry.at > due);
        assert_true(f->client->retry.pause > pause);
        pause = f->client->retry.pause;
        due = f->client->retry.at;
    }
    show(f);
    f->server->run = NULL;
    submit_one(f, 0, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[0].status, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 2);
}

/* The environment of a caller. A program that must not be started stands in for the daemon. */
static void who_waits_starts_no_daemon(void **state)
{
    struct submit_fixture *f = *state;
    char program[200];
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_client *client = NULL;
    snprintf(program, sizeof(program), "%s/daemon", f->server->dir);
    FILE *script = fopen(program, "we");
    assert_non_null(script);
    fputs("#!/bin/sh\necho started >&3\n", script);
    fclose(script);
    assert_int_equal(chmod(program, 0700), 0);
    fake_server_start(f->server);
    setenv("XDG_RUNTIME_DIR", f->server->dir, 1);
    options.daemon = program;
    options.autostart = options.only_private = 1;
    assert_int_equal(gpufilter_open(&options, &client, &g_err), GPUFILTER_E_START_FAILED);
    assert_non_null(strstr(g_err.text, "did not start: started"));
    options.wait_ms = 1;
    assert_int_equal(gpufilter_open(&options, &client, &g_err), GPUFILTER_E_NO_DAEMON);
    options.wait_ms = 0;
    setenv("GPUFILTER_WAIT", "0.001", 1);
    assert_int_equal(gpufilter_open(&options, &client, &g_err), GPUFILTER_E_NO_DAEMON);
    setenv("GPUFILTER_WAIT", "soon", 1);
    assert_int_equal(gpufilter_open(&options, &client, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(g_err.text, "GPUFILTER_WAIT=soon; allowed: 0..86400 seconds");
    options.wait_ms = 1; /* comes before the variable */
    assert_int_equal(gpufilter_open(&options, &client, &g_err), GPUFILTER_E_NO_DAEMON);
    unsetenv("GPUFILTER_WAIT");
    /* A caller that names a socket, here or in the environment, starts no daemon either. */
    options.wait_ms = 0;
    options.only_private = 0;
    setenv("GPUFILTER_SOCKET", "/none/socket", 1);
    assert_int_equal(gpufilter_open(&options, &client, &g_err), GPUFILTER_E_NO_DAEMON);
    assert_string_equal(g_err.text, "no daemon: /none/socket: No such file or directory");
    unsetenv("GPUFILTER_SOCKET");
    unsetenv("XDG_RUNTIME_DIR");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, submit_setup, submit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requests_wait_for_a_daemon_that_comes_back),
        TEST(a_run_waits_for_a_daemon_that_comes_back),
        TEST(opening_waits_too),
        TEST(a_wait_has_an_end),
        TEST(a_deadline_ends_a_wait),
        TEST(a_ping_waits_longer_than_connecting_may_take),
        TEST(a_loop_of_calls_does_not_spin),
        TEST(who_waits_starts_no_daemon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
