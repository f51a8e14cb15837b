/* SPDX-License-Identifier: MIT */
/* Submitted requests, against a daemon that answers at any time and in any order. */
#include "tests/unit/unit.h"

#include <sched.h>
#include <semaphore.h>
#include <string.h>

#include "submit_fixture.h"

/* Answers twenty at a time, the last one first. */
static void answer_backwards(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_hold(s, h);
    while (s->n_runs % 20 == 0 && s->n_held > 0)
        fake_answer_held(s, s->n_held - 1, GF_OK);
}

static void answers_come_in_any_order(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, answer_backwards);
    submit_many(f, MANY);
    submit_take(f, MANY);
    submit_expect(f, MANY, GPUFILTER_OK);
    assert_int_equal(f->server->n_runs, MANY);
    assert_int_equal(f->server->n_connections, 1);
    assert_false(submit_readable(f, 0));
}

static void any_answer_can_be_waited_for(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    submit_begin(f, answer_backwards);
    submit_many(f, 40);
    OK(gpufilter_wait(f->client, f->jobs[30].id, -1, &answer, &g_err));
    submit_note(f, &answer);
    assert_int_equal(answer.id, f->jobs[30].id);
    assert_true(submit_readable(f, 0)); /* others came meanwhile */
    for (unsigned i = 0; i < 39; i++) {
        OK(gpufilter_wait(f->client, 0, -1, &answer, &g_err));
        submit_note(f, &answer);
    }
    submit_expect(f, 40, GPUFILTER_OK);
    OK(gpufilter_wait(f->client, 0, -1, &answer, &g_err)); /* nothing is on its way */
    assert_int_equal(answer.id, 0);
    assert_int_equal(gpufilter_wait(f->client, f->jobs[30].id, -1, &answer, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_non_null(strstr(g_err.text, "was taken"));
}

static void what_the_daemon_does_not_take_waits_here(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    submit_begin(f, submit_hold);
    submit_many(f, 100);
    OK(gpufilter_ping(f->client, NULL, &g_err)); /* is heard all the same */
    assert_int_equal(f->server->n_runs, WINDOW);
    OK(gpufilter_wait(f->client, 0, 1, &answer, &g_err));
    assert_int_equal(answer.id, 0);
}

static void cancelled(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    for (unsigned i = 0; i < s->n_held; i++)
        if (fake_held_id(s, i) == h->id) {
            fake_answer_held(s, i, GF_E_CANCELLED);
            return;
        }
}

/* Answers all requests that it holds. */
static void answer_all(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(h);
    UNUSED(ret_close);
    while (s->n_held > 0)
        fake_answer_held(s, 0, GF_OK);
}

static void requests_can_be_cancelled(void **state)
{
    struct submit_fixture *f = *state;
    f->server->cancel = cancelled;
    submit_begin(f, submit_hold);
    submit_many(f, 80);
    /* A request that is still queued in the client is answered at once and not sent. */
    OK(gpufilter_cancel(f->client, f->jobs[79].id, &g_err));
    assert_true(submit_readable(f, 0));
    OK(gpufilter_cancel(f->client, f->jobs[79].id, &g_err)); /* is answered */
    submit_take(f, 1);
    assert_int_equal(f->jobs[79].status, GPUFILTER_E_CANCELLED);
    assert_int_equal(gpufilter_cancel(f->client, f->jobs[79].id, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_cancel(f->client, 12345678, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_cancel(f->client, 0, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(f->server->n_cancels, 0);
    /* A request that the daemon has is answered by the daemon. A second cancel has no effect. */
    OK(gpufilter_cancel(f->client, f->jobs[10].id, &g_err));
    OK(gpufilter_cancel(f->client, f->jobs[10].id, &g_err));
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    OK(gpufilter_wait(f->client, f->jobs[10].id, -1, &answer, &g_err));
    assert_int_equal(answer.status, GPUFILTER_E_CANCELLED);
    assert_int_equal(f->server->n_cancels, 1);
    OK(gpufilter_ping(f->client, NULL, &g_err));
    assert_int_equal(f->server->n_runs, WINDOW + 1); /* the next one took its place */
}

/* Has the server answer what it holds, once it has n requests; the answer to this one is OK. */
static void take_ok(struct submit_fixture *f, unsigned n, uint64_t id)
{
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    while (f->server->n_runs < n)
        OK(gpufilter_ping(f->client, NULL, &g_err));
    f->server->before = answer_all;
    OK(gpufilter_ping(f->client, NULL, &g_err));
    f->server->before = NULL;
    OK(gpufilter_wait(f->client, id, -1, &answer, &g_err));
    assert_int_equal(answer.status, GPUFILTER_OK);
}

static void memory_that_is_freed_serves_its_request(void **state)
{
    struct submit_fixture *f = *state;
    void *src = NULL, *dst = NULL, *other = NULL;
    uint64_t id;
    submit_begin(f, submit_hold);
    OK(gpufilter_alloc(f->client, PIXELS, &src, &g_err));
    OK(gpufilter_alloc(f->client, PIXELS, &dst, &g_err));
    memset(src, 50, PIXELS);
    gpufilter_view in = gpufilter_tight_view(src, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_result result = {gpufilter_tight_view(dst, SIDE, SIDE, GPUFILTER_U8, 1), NULL};
    OK(gpufilter_submit_text(f->client, "copy", &in, 1, &result, 1, NULL, NULL, &id, &g_err));
    take_ok(f, 1, id);
    assert_int_equal(f->server->arena_operands, 1);
    /* Both are freed while the daemon may read and write them. */
    OK(gpufilter_submit_text(f->client, "copy", &in, 1, &result, 1, NULL, NULL, &id, &g_err));
    gpufilter_free(f->client, src);
    gpufilter_free(f->client, dst);
    gpufilter_free(f->client, dst); /* has no effect */
    OK(gpufilter_alloc(f->client, PIXELS, &other, &g_err));
    assert_ptr_not_equal(other, src);
    assert_ptr_not_equal(other, dst);
    memset(other, 200, PIXELS);
    assert_int_equal(gpufilter_submit_text(f->client, "copy", &in, 1, &result, 1, NULL, NULL, NULL, &g_err),
                     GPUFILTER_E_BAD_ARGUMENT);
    take_ok(f, 2, id);
    for (unsigned i = 0; i < PIXELS; i++) {
        assert_int_equal(((uint8_t *)dst)[i], 51); /* the block is free, and nothing has used it since */
        assert_int_equal(((uint8_t *)other)[i], 200);
    }
    OK(gpufilter_alloc(f->client, PIXELS, &other, &g_err));
    assert_ptr_equal(other, src);
}

/* The usual clean-up: cancel, free, take the answer. Whether the cancel comes too late is up to the daemon. */
static void memory_is_freed_after_a_cancel(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_view in = gpufilter_tight_view(f->jobs[0].src, SIDE, SIDE, GPUFILTER_U8, 1);
    submit_begin(f, submit_hold);
    for (unsigned i = 0; i < 3; i++) {
        gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
        gpufilter_result result = GPUFILTER_RESULT_INIT;
        uint64_t id;
        f->server->cancel = i == 0 ? cancelled : NULL;
        f->server->before = i == 1 ? answer_all : NULL;
        if (i == 2) /* the request stays in the queue */
            submit_many(f, WINDOW);
        OK(gpufilter_submit_text(f->client, "copy", &in, 1, &result, 1, NULL, NULL, &id, &g_err));
        void *data = result.view.data;
        OK(gpufilter_cancel(f->client, id, &g_err));
        gpufilter_free(f->client, data);
        OK(gpufilter_ping(f->client, NULL, &g_err));
        OK(gpufilter_wait(f->client, id, -1, &answer, &g_err));
        assert_int_equal(answer.status, i == 1 ? GPUFILTER_OK : GPUFILTER_E_CANCELLED);
        assert_null(gf_memory_find(&f->client->memory, data));
    }
}

static void deadlines_pass_in_the_queue(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, submit_hold);
    submit_many(f, WINDOW);
    submit_one(f, WINDOW, 1);
    submit_one(f, WINDOW + 1, 0);
    submit_take(f, 1);
    assert_int_equal(f->jobs[WINDOW].status, GPUFILTER_E_DEADLINE);
    assert_false(submit_readable(f, 0));
    OK(gpufilter_ping(f->client, NULL, &g_err));
    assert_int_equal(f->server->n_runs, WINDOW);
}

static void blocking_calls_go_on_meanwhile(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, NULL);
    uint8_t src[4] = {1, 2, 3, 4}, dst[4];
    gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(dst, 2, 2, GPUFILTER_U8, 1);
    submit_many(f, MANY);
    OK(gpufilter_copy(f->client, &in, &out, NULL, NULL, &g_err));
    assert_memory_equal(dst, ((uint8_t[]){2, 3, 4, 5}), 4);
    submit_take(f, MANY);
    submit_expect(f, MANY, GPUFILTER_OK);
}

/* A question to the daemon. */
static int ask(gpufilter_client *client, unsigned which)
{
    static gpufilter_metric metrics[2];
    gpufilter_device devices[2];
    gpufilter_resident residents[2];
    gpufilter_health_info health = GPUFILTER_HEALTH_INFO_INIT;
    uint32_t n;
    switch (which) {
    case 0:
        return gpufilter_devices(client, devices, sizeof(devices[0]), 2, &n, &g_err);
    case 1:
        return gpufilter_metrics(client, metrics, sizeof(metrics[0]), 2, &n, &g_err);
    case 2:
        return gpufilter_residents(client, residents, sizeof(residents[0]), 2, &n, &g_err);
    case 3:
        return gpufilter_health(client, &health, &g_err);
    default:
        return gpufilter_ping(client, NULL, &g_err);
    }
}

static void answers_read_by_a_question_make_the_descriptor_readable(void **state)
{
    struct submit_fixture *f = *state;
    f->server->before = answer_all;
    submit_begin(f, submit_hold);
    for (unsigned which = 0; which < 5; which++) {
        submit_many(f, 8);
        assert_false(submit_readable(f, 0));
        OK(ask(f->client, which)); /* reads the answers that come before its own */
        assert_true(submit_readable(f, 0));
        submit_take(f, 8);
        assert_false(submit_readable(f, 0));
    }
}

static sem_t g_go;

static void answer_when_told(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    while (sem_wait(&g_go) < 0)
        continue;
    fake_run(s, h, NULL);
}

/* A call that waits for an answer, as job 0. */
static void *call(void *context)
{
    struct submit_fixture *f = context;
    gpufilter_view in = gpufilter_tight_view(f->jobs[0].src, SIDE, SIDE, GPUFILTER_U8, 1), out = in;
    out.data = f->jobs[0].dst;
    f->jobs[0].status = gpufilter_copy(f->client, &in, &out, NULL, NULL, NULL);
    return NULL;
}

static void a_second_thread_is_refused(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    gpufilter_span span;
    pthread_t thread;
    void *data = NULL, *other = NULL;
    uint32_t n;
    int fd;
    sem_init(&g_go, 0, 0);
    submit_begin(f, answer_when_told);
    OK(gpufilter_alloc(f->client, 4096, &data, &g_err));
    assert_int_equal(pthread_create(&thread, NULL, call, f), 0);
    while (f->server->n_runs < 1)
        sched_yield();
    g_err.text[0] = '\0';
    assert_int_equal(gpufilter_ping(f->client, NULL, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(g_err.text,
                        "another thread is in a call on this client; give each thread its own client, or a lock");
    for (unsigned which = 0; which < 5; which++)
        assert_int_equal(ask(f->client, which), GPUFILTER_E_BAD_ARGUMENT);
    gpufilter_view in = gpufilter_tight_view(f->jobs[1].src, SIDE, SIDE, GPUFILTER_U8, 1), out = {.data = NULL};
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_submit_text(f->client, "copy", &in, 1, &result, 1, NULL, NULL, NULL, NULL),
                     GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_poll(f->client, &answer, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_wait(f->client, 0, -1, &answer, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_cancel(f->client, 1, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_fd(f->client, &fd, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_alloc(f->client, 4096, &other, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_free(f->client, data), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_last_times(f->client, &times, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_last_spans(f->client, &span, sizeof(span), 1, &n, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_ptr_equal(gpufilter_close(f->client), f->client);
    sem_post(&g_go);
    pthread_join(thread, NULL);
    assert_int_equal(f->jobs[0].status, GPUFILTER_OK);
    assert_int_equal(f->jobs[0].dst[7], (uint8_t)(f->jobs[0].src[7] + 1));
    OK(gpufilter_ping(f->client, NULL, &g_err));
    assert_int_equal(gpufilter_free(f->client, data), GPUFILTER_OK);
    assert_int_equal(gpufilter_free(f->client, data), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_free(f->client, NULL), GPUFILTER_OK);
    assert_int_equal(gpufilter_free(NULL, NULL), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(f->server->n_runs, 1);
    sem_destroy(&g_go);
}

static void *call_often(void *context)
{
    struct submit_fixture *f = context;
    for (unsigned i = 0; i < 200; i++) {
        int status = gpufilter_ping(f->client, NULL, NULL);
        if (status != GPUFILTER_OK && status != GPUFILTER_E_BAD_ARGUMENT)
            return f;
    }
    return NULL;
}

static void threads_that_collide_harm_nothing(void **state)
{
    struct submit_fixture *f = *state;
    pthread_t threads[4];
    void *failed = NULL;
    submit_begin(f, NULL);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, f), 0);
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    submit_many(f, 8);
    submit_take(f, 8);
    submit_expect(f, 8, GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 1);
}

static void there_is_a_bound(void **state)
{
    struct submit_fixture *f = *state;
    submit_begin(f, NULL);
    for (unsigned i = 0; i < GPUFILTER_MAX_REQUESTS; i++)
        submit_one(f, i % MANY, 0);
    gpufilter_view src = gpufilter_tight_view(f->jobs[0].src, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    uint64_t id = 77;
    assert_int_equal(gpufilter_submit_text(f->client, "copy", &src, 1, &result, 1, NULL, NULL, &id, &g_err),
                     GPUFILTER_E_BUSY);
    assert_int_equal(id, 77);
    assert_null(result.view.data);
    OK(gpufilter_run_text(f->client, "copy", &src, 1, &result, 1, NULL, &g_err));
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    for (unsigned i = 0; i < GPUFILTER_MAX_REQUESTS; i++) {
        OK(gpufilter_wait(f->client, 0, -1, &answer, &g_err));
        assert_int_equal(answer.status, GPUFILTER_OK);
    }
    OK(gpufilter_poll(f->client, &answer, &g_err));
    assert_int_equal(answer.id, 0);
}

static void is_busy(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)ret_close;
    fake_send_error(s, h->id, GF_E_BUSY, "as the test wants", 0, 250);
}

static void faults_of_the_program_come_at_once(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT, old = {.struct_size = 16, .context = f};
    submit_begin(f, NULL);
    gpufilter_view src = gpufilter_tight_view(f->jobs[0].src, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_submit_text(f->client, "copi", &src, 1, &result, 1, NULL, NULL, NULL, &g_err),
                     GPUFILTER_E_UNKNOWN_OP);
    assert_int_equal(gpufilter_submit(f->client, NULL, 1, &src, 1, &result, 1, NULL, NULL, NULL, &g_err),
                     GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_submit_text(NULL, "copy", &src, 1, &result, 1, NULL, NULL, NULL, &g_err),
                     GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_poll(f->client, NULL, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_poll(f->client, &(gpufilter_answer){.id = 3}, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_fd(f->client, NULL, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    /* An old caller knows less of an answer. */
    OK(gpufilter_submit_text(f->client, "copy", &src, 1, &result, 1, NULL, NULL, NULL, &g_err));
    OK(gpufilter_wait(f->client, 0, -1, &old, &g_err));
    assert_true(old.id != 0);
    assert_ptr_equal(old.context, f);
    gpufilter_free(f->client, result.view.data);
    /* What a daemon has to say comes as the answer. */
    result.view = src;
    f->server->run = is_busy;
    OK(gpufilter_submit_text(f->client, "copy", &src, 1, &result, 1, NULL, NULL, NULL, &g_err));
    OK(gpufilter_wait(f->client, 0, -1, &answer, &g_err));
    assert_int_equal(answer.status, GPUFILTER_E_BUSY);
    assert_int_equal(answer.error.status, GPUFILTER_E_BUSY);
}

static void times_are_those_of_the_answer_taken_last(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    submit_begin(f, NULL);
    submit_many(f, 2);
    assert_int_equal(gpufilter_last_times(f->client, &times, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    submit_take(f, 2);
    OK(gpufilter_last_times(f->client, &times, &g_err));
    assert_int_equal(times.n_copied, 2);
    assert_int_equal(times.total_ns, 5);
    assert_true(times.round_trip_ns > 0);
    assert_string_equal(times.device, "cpu");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, submit_setup, submit_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(answers_come_in_any_order),
        TEST(any_answer_can_be_waited_for),
        TEST(what_the_daemon_does_not_take_waits_here),
        TEST(requests_can_be_cancelled),
        TEST(memory_that_is_freed_serves_its_request),
        TEST(memory_is_freed_after_a_cancel),
        TEST(deadlines_pass_in_the_queue),
        TEST(blocking_calls_go_on_meanwhile),
        TEST(answers_read_by_a_question_make_the_descriptor_readable),
        TEST(a_second_thread_is_refused),
        TEST(threads_that_collide_harm_nothing),
        TEST(there_is_a_bound),
        TEST(faults_of_the_program_come_at_once),
        TEST(times_are_those_of_the_answer_taken_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
