/* SPDX-License-Identifier: MIT */
/* The library submits requests and collects them later, with a real daemon: order, cancel, deadline, the daemon's
 * death. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "harness.h"
#include "tests/unit/unit.h"

#define MANY 200
#define SIDE 16
#define SLOTS 8   /* jobs that a fake worker takes at once */
#define WINDOW 63 /* requests that the library sends at once */

/* A request and what came of it. */
struct job {
    uint8_t src[SIDE * SIDE], dst[SIDE * SIDE];
    uint64_t id;
    unsigned n_answers;
    int32_t status;
};

static gpufilter_error g_err;
static struct job g_jobs[MANY];
static gpufilter_client *g_client;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != GPUFILTER_OK)                                                                                    \
            fail_msg("%s", g_err.text);                                                                                \
    } while (0)

static void open_client(const struct daemon *d)
{
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = d->socket;
    OK(gpufilter_open(&options, &g_client, &g_err));
    memset(g_jobs, 0, sizeof g_jobs);
}

/* A daemon with one controlled fake worker, and a client. */
static struct fake start_held(struct daemon *d)
{
    daemon_init(d, true);
    daemon_spawn(d, "fake", (const char *[]){"--devices", "cpu", NULL});
    struct fake cpu = fake_accept(d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(d);
    open_client(d);
    return cpu;
}

/* Submits a copy, to which fake workers add 1. */
static void submit(unsigned i, const char *device, uint32_t deadline_ms)
{
    struct job *job = &g_jobs[i];
    const gpufilter_copy_params params = GPUFILTER_COPY_INIT;
    const gpufilter_step step = {.params = &params};
    gpufilter_call call = GPUFILTER_CALL_INIT;
    call.device = device;
    call.deadline_ms = deadline_ms;
    memset(job->src, (int)i, sizeof job->src);
    gpufilter_view src = gpufilter_tight_view(job->src, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_result result = {gpufilter_tight_view(job->dst, SIDE, SIDE, GPUFILTER_U8, 1), NULL};
    OK(gpufilter_submit(g_client, &step, 1, &src, 1, &result, 1, &call, job, &job->id, &g_err));
}

/* Collects n answers through the descriptor. Returns the index of the last one. */
static unsigned take(unsigned n)
{
    struct job *job = g_jobs;
    int fd = -1;
    OK(gpufilter_fd(g_client, &fd, &g_err));
    while (n > 0) {
        gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, GF_WAIT_MS), 1);
        OK(gpufilter_poll(g_client, &answer, &g_err));
        if (answer.id == 0)
            continue;
        job = answer.context;
        assert_int_equal(answer.id, job->id);
        job->n_answers++;
        job->status = answer.status;
        for (unsigned k = 0; k < SIDE * SIDE && answer.status == GPUFILTER_OK; k++)
            assert_int_equal(job->dst[k], (uint8_t)(job->src[k] + 1));
        n--;
    }
    return (unsigned)(job - g_jobs);
}

static void expect(unsigned i, int32_t status)
{
    assert_int_equal(g_jobs[i].n_answers, 1);
    assert_string_equal(gpufilter_status_name(g_jobs[i].status), gpufilter_status_name(status));
}

static void answers_overtake_each_other(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu,cuda:0", NULL});
    struct fake one = fake_accept(&d), two = fake_accept(&d);
    struct fake *cpu = strcmp(one.device, "cpu") == 0 ? &one : &two, *gpu = cpu == &one ? &two : &one;
    fake_tell(cpu, 'h');
    fake_tell(gpu, 'h');
    daemon_wait_ready(&d);
    open_client(&d);
    for (unsigned i = 0; i < MANY; i++)
        submit(i, i % 10 == 0 ? "cpu" : "cuda:0", 0);
    fake_tell(gpu, 'A');
    /* Requests at or behind a busy worker do not delay other devices' requests that the daemon has read ahead. */
    for (unsigned i = 1; i < 10; i++)
        take(1);
    for (unsigned i = 1; i < 10; i++)
        expect(i, GPUFILTER_OK);
    assert_int_equal(g_jobs[0].n_answers, 0);
    fake_tell(cpu, 'A');
    take(MANY - 9);
    for (unsigned i = 0; i < MANY; i++)
        expect(i, GPUFILTER_OK);
    gpufilter_close(g_client);
    close(one.fd);
    close(two.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void requests_are_cancelled_wherever_they_are(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start_held(&d);
    for (unsigned i = 0; i < 100; i++)
        submit(i, NULL, 0);
    for (unsigned i = 0; i < SLOTS; i++)
        fake_expect(&cpu, "job");
    OK(gpufilter_cancel(g_client, g_jobs[99].id, &g_err)); /* not sent */
    assert_int_equal(take(1), 99);
    OK(gpufilter_cancel(g_client, g_jobs[20].id, &g_err)); /* waits in the daemon */
    assert_int_equal(take(1), 20);
    OK(gpufilter_cancel(g_client, g_jobs[0].id, &g_err)); /* runs */
    fake_expect(&cpu, "cancel");
    fake_tell(&cpu, 'c');
    assert_int_equal(take(1), 0);
    OK(gpufilter_cancel(g_client, g_jobs[1].id, &g_err)); /* runs to its end */
    fake_tell(&cpu, 'A');
    take(97);
    expect(99, GPUFILTER_E_CANCELLED);
    expect(20, GPUFILTER_E_CANCELLED);
    expect(0, GPUFILTER_E_CANCELLED);
    assert_int_equal(g_jobs[1].n_answers, 1);
    for (unsigned i = 2; i < 99; i++)
        expect(i, i == 20 ? GPUFILTER_E_CANCELLED : GPUFILTER_OK);
    assert_int_equal(gpufilter_cancel(g_client, g_jobs[0].id, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    gpufilter_close(g_client);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void deadlines_pass_in_the_daemon_and_here(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start_held(&d);
    for (unsigned i = 0; i < SLOTS; i++)
        submit(i, NULL, 0);
    for (unsigned i = 0; i < SLOTS; i++)
        fake_expect(&cpu, "job");
    submit(SLOTS, NULL, 300); /* waits in the daemon */
    assert_int_equal(take(1), SLOTS);
    for (unsigned i = SLOTS + 1; i < 80; i++)
        submit(i, NULL, 0);
    submit(80, NULL, 1); /* waits here */
    assert_int_equal(take(1), 80);
    expect(SLOTS, GPUFILTER_E_DEADLINE);
    expect(80, GPUFILTER_E_DEADLINE);
    fake_tell(&cpu, 'A');
    take(79);
    gpufilter_close(g_client);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_client_that_closes_takes_its_requests_with_it(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start_held(&d);
    for (unsigned i = 0; i < 100; i++)
        submit(i, NULL, 0);
    for (unsigned i = 0; i < SLOTS; i++)
        fake_expect(&cpu, "job");
    gpufilter_close(g_client);
    for (unsigned i = 0; i < SLOTS; i++)
        fake_expect(&cpu, "cancel");
    fake_tell(&cpu, 'A');
    open_client(&d);
    submit(0, NULL, 0);
    take(1);
    expect(0, GPUFILTER_OK);
    assert_int_equal(fake_expect(&cpu, "job"), WINDOW + 1); /* nothing else ran */
    gpufilter_close(g_client);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* Ends the daemon without a word while it has requests. */
static void kill_daemon(struct daemon *d, struct fake *cpu)
{
    for (unsigned i = 0; i < MANY; i++)
        submit(i, NULL, 0);
    for (unsigned i = 0; i < SLOTS; i++)
        fake_expect(cpu, "job");
    for (unsigned i = 0; i < 3; i++)
        fake_tell(cpu, 'a');
    take(3);
    kill(d->pid, SIGKILL);
    assert_int_equal(daemon_wait(d), 128 + SIGKILL);
    close(cpu->fd);
    gf_closep(&d->ready);
    gf_closep(&d->fakes);
    d->fakes = d->ready = -1;
}

static void a_daemon_that_dies_leaves_each_an_answer(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start_held(&d);
    kill_daemon(&d, &cpu);
    take(MANY - 3);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(g_jobs[i].n_answers, 1);
    expect(MANY - 1, GPUFILTER_E_NO_DAEMON);
    gpufilter_close(g_client);
    assert_int_equal(daemon_stop(&d), 0);
}

static void the_next_daemon_gets_what_the_last_one_left(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start_held(&d);
    kill_daemon(&d, &cpu);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&d);
    take(MANY - 3);
    for (unsigned i = 0; i < MANY; i++)
        expect(i, GPUFILTER_OK);
    gpufilter_close(g_client);
    assert_int_equal(daemon_stop(&d), 0);
}

#define WIDTH 640
#define HEIGHT 480
#define PICTURES 24

/* One picture is uploaded, processed and downloaded, without waiting in between. */
struct picture {
    uint8_t data[WIDTH * HEIGHT];
    gpufilter_view result, histogram;
};

static gpufilter_view submit_text(const char *text, const gpufilter_view *src, void *data)
{
    gpufilter_result result = {{.data = data}, NULL};
    OK(gpufilter_submit_text(g_client, text, src, 1, &result, 1, NULL, NULL, NULL, &g_err));
    return result.view;
}

static void start_picture(struct picture *p, unsigned i)
{
    for (unsigned k = 0; k < WIDTH * HEIGHT; k++)
        p->data[k] = (uint8_t)((k * (i + 7) * 2654435761u) >> 24);
    gpufilter_view src = gpufilter_tight_view(p->data, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    gpufilter_view on = submit_text("copy", &src, GPUFILTER_RESIDENT);
    gpufilter_view blurred = submit_text("gaussian sigma=2", &on, GPUFILTER_RESIDENT);
    gpufilter_free(g_client, on.data);
    p->histogram = submit_text("histogram bins=16", &blurred, NULL);
    p->result = submit_text("sobel", &blurred, NULL);
    gpufilter_free(g_client, blurred.data);
}

static void expect_same(const char *text, const struct picture *p, gpufilter_view *is)
{
    gpufilter_view src = gpufilter_const_view(p->data, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    OK(gpufilter_run_text(g_client, text, &src, 1, &result, 1, NULL, &g_err));
    assert_int_equal(result.view.pitch, is->pitch);
    assert_int_equal(result.view.height, is->height);
    assert_memory_equal(result.view.data, is->data, is->pitch * is->height);
    gpufilter_free(g_client, result.view.data);
    gpufilter_free(g_client, is->data);
}

static void pictures_go_up_and_down_at_once(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct picture *pictures = malloc(PICTURES * sizeof *pictures);
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    daemon_init(&d, false);
    daemon_spawn(&d, "real", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&d);
    open_client(&d);
    for (unsigned i = 0; i < PICTURES; i++)
        start_picture(&pictures[i], i);
    for (unsigned i = 0; i < 4 * PICTURES; i++) {
        OK(gpufilter_wait(g_client, 0, GF_WAIT_MS, &answer, &g_err));
        assert_true(answer.id != 0);
        if (answer.status != GPUFILTER_OK)
            fail_msg("%s", answer.error.text);
    }
    for (unsigned i = 0; i < PICTURES; i++) {
        expect_same("gaussian sigma=2 | histogram bins=16", &pictures[i], &pictures[i].histogram);
        expect_same("gaussian sigma=2 | sobel", &pictures[i], &pictures[i].result);
    }
    gpufilter_close(g_client);
    free(pictures);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_overtake_each_other),
        cmocka_unit_test(requests_are_cancelled_wherever_they_are),
        cmocka_unit_test(deadlines_pass_in_the_daemon_and_here),
        cmocka_unit_test(a_client_that_closes_takes_its_requests_with_it),
        cmocka_unit_test(a_daemon_that_dies_leaves_each_an_answer),
        cmocka_unit_test(the_next_daemon_gets_what_the_last_one_left),
        cmocka_unit_test(pictures_go_up_and_down_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
