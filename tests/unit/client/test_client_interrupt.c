/* SPDX-License-Identifier: MIT */
/* gpufilter_interrupt: whom it ends, what stays pending, and what becomes of the connection. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "submit_fixture.h"

/* Runs a copy of four bytes, which the server adds 1 to. */
static int run(gpufilter_client *client, uint8_t dst[4])
{
    uint8_t src[4] = {1, 2, 3, 4};
    const gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1);
    gpufilter_result result = {.view = gpufilter_tight_view(dst, 2, 2, GPUFILTER_U8, 1)};
    return gpufilter_run_text(client, "copy", &in, 1, &result, 1, NULL, &g_err);
}

static void assert_runs(gpufilter_client *client)
{
    uint8_t dst[4] = {0};
    OK(run(client, dst));
    assert_memory_equal(dst, ((uint8_t[]){2, 3, 4, 5}), 4);
}

static void assert_interrupted(int status)
{
    assert_int_equal(status, GPUFILTER_E_INTERRUPTED);
    assert_int_equal(g_err.status, GPUFILTER_E_INTERRUPTED);
    assert_string_equal(g_err.text, "the call was ended by gpufilter_interrupt");
}

/* As answers to CANCEL: the request is cancelled, or was too far for that. */
static void end_held(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(h);
    UNUSED(ret_close);
    fake_answer_held(s, 0, GF_E_CANCELLED);
}

static void finish_held(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(h);
    UNUSED(ret_close);
    fake_answer_held(s, 0, GF_OK);
}

/* A thread of the caller that interrupts the run of another thread once the server has it. */
static void *interrupt_run(void *context)
{
    struct submit_fixture *f = context;
    while (f->server->n_runs < 1)
        sched_yield();
    return gpufilter_interrupt(f->client) == GPUFILTER_OK ? NULL : f;
}

static int run_interrupted(struct submit_fixture *f, uint8_t dst[4])
{
    pthread_t thread;
    void *failed = f;
    f->server->n_runs = 0;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_run, f), 0);
    int status = run(f->client, dst);
    pthread_join(thread, &failed);
    assert_null(failed);
    return status;
}

static void a_silent_daemon_is_left(void **state)
{
    struct submit_fixture *f = *state;
    uint8_t dst[4] = {9, 9, 9, 9};
    submit_begin(f, submit_hold);
    assert_interrupted(run_interrupted(f, dst));
    assert_memory_equal(dst, ((uint8_t[]){9, 9, 9, 9}), 4);
    f->server->run = NULL;
    assert_runs(f->client);
    assert_int_equal(f->server->n_cancels, 1);
    assert_int_equal(f->server->n_connections, 2);
}

static void a_daemon_that_answers_stays_connected(void **state)
{
    struct submit_fixture *f = *state;
    uint8_t src[4] = {5, 6, 7, 8}, dst[4];
    const gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1);
    gpufilter_view kept = {.data = GPUFILTER_RESIDENT}, out = gpufilter_tight_view(dst, 2, 2, GPUFILTER_U8, 1);
    submit_begin(f, NULL);
    OK(gpufilter_copy(f->client, &in, &kept, NULL, NULL, &g_err));
    f->server->run = submit_hold;
    f->server->cancel = end_held;
    assert_interrupted(run_interrupted(f, dst));
    assert_int_equal(f->server->n_cancels, 1);
    f->server->run = NULL;
    OK(gpufilter_copy(f->client, &kept, &out, NULL, NULL, &g_err));
    assert_memory_equal(dst, ((uint8_t[]){7, 8, 9, 10}), 4);
    assert_int_equal(f->server->n_connections, 1);
    OK(gpufilter_free(f->client, kept.data));
}

static void what_is_done_already_succeeds(void **state)
{
    struct submit_fixture *f = *state;
    uint8_t dst[4] = {0};
    submit_begin(f, submit_hold);
    f->server->cancel = finish_held;
    OK(run_interrupted(f, dst));
    assert_memory_equal(dst, ((uint8_t[]){2, 3, 4, 5}), 4);
    f->server->run = NULL;
    assert_runs(f->client); /* nothing is left of the interruption */
    assert_int_equal(f->server->n_connections, 1);
}

static gpufilter_client *volatile g_client;
static volatile sig_atomic_t g_status;

static void on_signal(int signal)
{
    UNUSED(signal);
    g_status = gpufilter_interrupt(g_client);
}

struct target {
    struct submit_fixture *f;
    pthread_t thread;
};

static void *signal_run(void *context)
{
    const struct target *t = context;
    while (t->f->server->n_runs < 1)
        sched_yield();
    pthread_kill(t->thread, SIGUSR1);
    return NULL;
}

static void a_signal_handler_may_interrupt(void **state)
{
    struct submit_fixture *f = *state;
    struct target target = {f, pthread_self()};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
    uint8_t dst[4];
    pthread_t thread;
    submit_begin(f, submit_hold);
    f->server->cancel = end_held;
    g_client = f->client;
    g_status = -1;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, signal_run, &target), 0);
    assert_interrupted(run(f->client, dst));
    pthread_join(thread, NULL);
    sigaction(SIGUSR1, &before, NULL);
    assert_int_equal(g_status, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 1);
}

/* Without a call that waits, the next one that would is ended, and only that one. */
static void the_next_wait_is_ended_once(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    uint8_t dst[4];
    void *data = NULL;
    submit_begin(f, submit_hold);
    f->server->cancel = end_held;
    OK(gpufilter_interrupt(f->client));
    assert_int_equal(eventfd_write(f->client->interrupts, UINT64_MAX - 2), 0); /* as often as can be counted */
    errno = 77;
    OK(gpufilter_interrupt(f->client)); /* still once */
    assert_int_equal(errno, 77);        /* of what a signal handler has interrupted */
    OK(gpufilter_alloc(f->client, 4096, &data, &g_err));
    OK(gpufilter_free(f->client, data));
    OK(gpufilter_poll(f->client, &answer, &g_err));
    OK(gpufilter_wait(f->client, 0, -1, &answer, &g_err)); /* nothing is pending */
    assert_interrupted(run(f->client, dst));
    f->server->run = NULL;
    assert_runs(f->client);
    OK(gpufilter_ping(f->client, NULL, &g_err));
    OK(gpufilter_interrupt(f->client));
    if (gpufilter_ping(f->client, NULL, &g_err) == GPUFILTER_OK) { /* it did not have to wait */
        f->server->run = submit_hold;
        assert_interrupted(run(f->client, dst));
    } else {
        assert_int_equal(g_err.status, GPUFILTER_E_INTERRUPTED);
    }
    assert_int_equal(f->server->n_connections, 1);
}

static void a_submitted_request_stays_pending(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    submit_begin(f, submit_hold);
    submit_one(f, 0, 0);
    OK(gpufilter_interrupt(f->client));
    assert_interrupted(gpufilter_wait(f->client, f->jobs[0].id, -1, &answer, &g_err));
    assert_int_equal(answer.id, 0);
    OK(gpufilter_interrupt(f->client));
    assert_interrupted(gpufilter_wait(f->client, 0, 1 << 30, &answer, &g_err));
    assert_int_equal(f->server->n_cancels, 0);
    f->server->before = finish_held;
    OK(gpufilter_ping(f->client, NULL, &g_err));
    f->server->before = NULL;
    OK(gpufilter_interrupt(f->client));
    OK(gpufilter_wait(f->client, f->jobs[0].id, -1, &answer, &g_err)); /* it need not wait */
    submit_note(f, &answer);
    submit_expect(f, 1, GPUFILTER_OK);
    f->server->run = submit_hold;
    submit_one(f, 1, 0);
    assert_interrupted(gpufilter_wait(f->client, 0, -1, &answer, &g_err)); /* the interruption was kept for this */
    assert_int_equal(f->server->n_connections, 1);
}

static void *interrupt_now(void *context)
{
    struct submit_fixture *f = context;
    return gpufilter_interrupt(f->client) == GPUFILTER_OK ? NULL : f;
}

static void waiting_for_an_absent_daemon_is_ended(void **state)
{
    struct submit_fixture *f = *state;
    char away[200];
    uint8_t dst[4];
    pthread_t thread;
    void *failed = f;
    f->wait_ms = SUBMIT_WAIT_MS;
    submit_begin(f, NULL);
    snprintf(away, sizeof(away), "%s.away", f->server->path);
    assert_int_equal(rename(f->server->path, away), 0);
    gf_channel_lose(&f->client->channel, &(struct gf_error){.status = GF_E_CONNECTION_LOST});
    OK(gpufilter_interrupt(f->client));
    assert_interrupted(gpufilter_ping(f->client, NULL, &g_err));
    assert_int_equal(pthread_create(&thread, NULL, interrupt_now, f), 0);
    assert_interrupted(run(f->client, dst));
    pthread_join(thread, &failed);
    assert_null(failed);
    assert_int_equal(f->server->n_runs, 0);
    assert_int_equal(rename(away, f->server->path), 0);
    assert_runs(f->client);
    assert_int_equal(f->server->n_connections, 2);
    assert_int_equal(f->server->n_runs, 1); /* what was interrupted is not sent later */
}

static void wrong_clients_are_told(void **state)
{
    struct submit_fixture *f = *state;
    int status = 0;
    submit_begin(f, NULL);
    assert_int_equal(gpufilter_interrupt(NULL), GPUFILTER_E_BAD_ARGUMENT);
    pid_t child = fork();
    if (child == 0)
        _exit(gpufilter_interrupt(f->client) == GPUFILTER_E_FORKED ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_runs(f->client); /* the child has not interrupted it */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, submit_setup, submit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_silent_daemon_is_left),
        TEST(a_daemon_that_answers_stays_connected),
        TEST(what_is_done_already_succeeds),
        TEST(a_signal_handler_may_interrupt),
        TEST(the_next_wait_is_ended_once),
        TEST(a_submitted_request_stays_pending),
        TEST(waiting_for_an_absent_daemon_is_ended),
        TEST(wrong_clients_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
