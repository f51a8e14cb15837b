/* SPDX-License-Identifier: MIT */
/* Submits, waits by the descriptor, and counts answers; see submit_fixture.h. */
#include "submit_fixture.h"

#include <poll.h>
#include <string.h>

#include "tests/support/resources.h"
#include "tests/unit/unit.h"

gpufilter_error g_err;

int submit_setup(void **state)
{
    struct submit_fixture *f = calloc(1, sizeof(*f));
    f->fds = gf_fd_count();
    f->server = fake_server_new();
    *state = f;
    return 0;
}

int submit_teardown(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_close(f->client);
    fake_server_stop(f->server);
    fake_server_free(f->server);
    assert_int_equal(gf_fd_count(), f->fds);
    free(f);
    return 0;
}

void submit_begin(struct submit_fixture *f, fake_answer *run)
{
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = f->server->path;
    options.wait_ms = f->wait_ms;
    f->server->run = run;
    fake_server_start(f->server);
    OK(gpufilter_open(&options, &f->client, &g_err));
    OK(gpufilter_fd(f->client, &f->fd, &g_err));
}

void submit_one(struct submit_fixture *f, unsigned i, uint32_t deadline_ms)
{
    struct job *job = &f->jobs[i];
    const gpufilter_copy_params params = GPUFILTER_COPY_INIT;
    const gpufilter_step step = {.params = &params};
    gpufilter_call call = GPUFILTER_CALL_INIT;
    call.deadline_ms = deadline_ms;
    for (unsigned k = 0; k < PIXELS; k++)
        job->src[k] = (uint8_t)(i + 3 * k);
    gpufilter_view src = gpufilter_tight_view(job->src, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_result result = {gpufilter_tight_view(job->dst, SIDE, SIDE, GPUFILTER_U8, 1), NULL};
    OK(gpufilter_submit(f->client, &step, 1, &src, 1, &result, 1, &call, job, &job->id, &g_err));
}

void submit_many(struct submit_fixture *f, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        submit_one(f, i, 0);
}

bool submit_readable(const struct submit_fixture *f, int ms)
{
    struct pollfd p = {.fd = f->fd, .events = POLLIN};
    return poll(&p, 1, ms) == 1;
}

void submit_note(struct submit_fixture *f, const gpufilter_answer *answer)
{
    struct job *job = answer->context;
    assert_true(job >= f->jobs && job < f->jobs + MANY);
    assert_int_equal(answer->id, job->id);
    assert_int_equal(answer->error.status, answer->status);
    job->n_answers++;
    job->status = answer->status;
    for (unsigned k = 0; k < PIXELS && answer->status == GPUFILTER_OK; k++)
        assert_int_equal(job->dst[k], (uint8_t)(job->src[k] + 1));
}

void submit_take(struct submit_fixture *f, unsigned n)
{
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    while ((int)n > 0) {
        assert_true(submit_readable(f, SUBMIT_WAIT_MS));
        do {
            OK(gpufilter_poll(f->client, &answer, &g_err));
            if (answer.id == 0)
                break;
            submit_note(f, &answer);
            n--;
        } while (true);
    }
    assert_int_equal(n, 0);
}

void submit_expect(const struct submit_fixture *f, unsigned n, int32_t status)
{
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(f->jobs[i].n_answers, 1);
        assert_int_equal(f->jobs[i].status, status);
    }
}

void submit_hold(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_hold(s, h);
}
