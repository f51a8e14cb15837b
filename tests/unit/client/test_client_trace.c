/* SPDX-License-Identifier: MIT */
/* client/trace: spans of this process and of the daemon in one row, on one clock. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "client/include/gpufilter/client.h"
#include "fake_server.h"
#include "protocol/base/clock.h"
#include "protocol/wire/trace_context.h"

#define N_OWN 5
#define CAPACITY 16
#define TRACE_A "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN_A "00f067aa0ba902b7"
#define TRACE_B "0af7651916cd43dd8448eb211c80319c"
#define SPAN_B "b7ad6b7169203331"

struct fixture {
    struct fake_server *server;
    gpufilter_client *client;
    gpufilter_span spans[CAPACITY];
    uint32_t n;
    uint64_t begun, ended;
};

static struct fixture *start(int64_t clock_ns)
{
    struct fixture *f = calloc(1, sizeof(*f));
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    f->server = fake_server_new();
    f->server->clock_ns = clock_ns;
    fake_server_start(f->server);
    options.socket = f->server->path;
    assert_int_equal(gpufilter_open(&options, &f->client, NULL), GPUFILTER_OK);
    return f;
}

static void stop(struct fixture *f)
{
    gpufilter_close(f->client);
    fake_server_stop(f->server);
    fake_server_free(f->server);
    free(f);
}

static int run_call(struct fixture *f, gpufilter_call call, gpufilter_error *err)
{
    uint8_t src[4] = {1, 2, 3, 4}, dst[4];
    gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    result.view = in;
    result.view.data = dst;
    return gpufilter_run_text(f->client, "box", &in, 1, &result, 1, &call, err);
}

/* A run, and its spans. */
static void run(struct fixture *f, uint32_t flags)
{
    gpufilter_call call = GPUFILTER_CALL_INIT;
    call.flags = flags;
    f->begun = gf_now_ns();
    assert_int_equal(run_call(f, call, NULL), GPUFILTER_OK);
    f->ended = gf_now_ns();
    f->n = 99;
    assert_int_equal(gpufilter_last_spans(f->client, f->spans, sizeof(f->spans[0]), CAPACITY, &f->n, NULL),
                     GPUFILTER_OK);
}

/* The context of the server's latest request. */
static struct gf_trace_context sent(const struct fixture *f)
{
    struct gf_trace_context c;
    gf_trace_context_decode(f->server->body, sizeof(f->server->body), &c);
    return c;
}

static int run_in(struct fixture *f, const char *traceparent, gpufilter_error *err)
{
    gpufilter_call call = GPUFILTER_CALL_INIT;
    call.traceparent = traceparent;
    return run_call(f, call, err);
}

static uint64_t end_of(const gpufilter_span *s)
{
    return s->begin_ns + s->length_ns;
}

/* Checks the row of a run on the fake server, whatever the server's clock. */
static void spans_are_in_order(const struct fixture *f)
{
    static const uint32_t own[N_OWN] = {GPUFILTER_STAGE_PREPARE, GPUFILTER_STAGE_SEND, GPUFILTER_STAGE_WAIT,
                                        GPUFILTER_STAGE_RECEIVE, GPUFILTER_STAGE_DELIVER};
    const gpufilter_span *s = f->spans, *queue = &s[N_OWN], *kernel = &s[N_OWN + 1];
    assert_int_equal(f->n, N_OWN + 2); /* what this library does not know is left out */
    assert_true(s[0].begin_ns >= f->begun && end_of(&s[N_OWN - 1]) <= f->ended);
    for (int i = 0; i < N_OWN; i++) {
        assert_int_equal(s[i].stage, own[i]);
        assert_int_equal(s[i].step, 0);
        if (i > 0)
            assert_true(s[i].begin_ns == end_of(&s[i - 1]));
    }
    assert_int_equal(queue->stage, GPUFILTER_STAGE_QUEUE);
    assert_int_equal(queue->step, 0);
    assert_int_equal(kernel->stage, GPUFILTER_STAGE_KERNEL);
    assert_int_equal(kernel->step, 1);
    assert_true(queue->length_ns == 1 && kernel->length_ns == 3);
    assert_true(queue->begin_ns >= s[1].begin_ns && kernel->begin_ns == queue->begin_ns + 1);
    assert_true(end_of(kernel) <= s[4].begin_ns);
}

static void runs_keep_spans_where_asked_to(void **state)
{
    UNUSED(state);
    struct fixture *f = start(0);
    run(f, 0);
    assert_int_equal(f->n, 0);
    assert_false(f->server->program.trace);
    for (int i = 0; i < 3; i++) {
        run(f, GPUFILTER_CALL_TRACE);
        spans_are_in_order(f);
    }
    run(f, 0);
    assert_int_equal(f->n, 0);
    stop(f);
}

static void steps_are_fused_unless_forbidden(void **state)
{
    UNUSED(state);
    struct fixture *f = start(0);
    run(f, 0);
    assert_false(f->server->program.unfused);
    run(f, GPUFILTER_CALL_UNFUSED);
    assert_true(f->server->program.unfused);
    assert_false(f->server->program.trace);
    run(f, GPUFILTER_CALL_TRACE);
    assert_false(f->server->program.unfused);
    run(f, GPUFILTER_CALL_UNFUSED | GPUFILTER_CALL_TRACE);
    assert_true(f->server->program.unfused);
    spans_are_in_order(f);
    stop(f);
}

static void a_clock_of_another_machine_is_moved(void **state)
{
    UNUSED(state);
    static const int64_t clocks[] = {1000000000000, -1000000000};
    for (size_t i = 0; i < 2; i++) {
        struct fixture *f = start(clocks[i]);
        run(f, GPUFILTER_CALL_TRACE);
        spans_are_in_order(f);
        stop(f);
    }
}

static void little_room_and_old_callers_are_served(void **state)
{
    UNUSED(state);
    struct fixture *f = start(0);
    gpufilter_error err;
    uint32_t stages[3] = {0}, n = 0;
    run(f, GPUFILTER_CALL_TRACE);
    assert_int_equal(gpufilter_last_spans(f->client, (gpufilter_span *)(void *)stages, sizeof(stages[0]), 2, &n, NULL),
                     GPUFILTER_OK);
    assert_int_equal(n, N_OWN + 2);
    assert_int_equal(stages[0], GPUFILTER_STAGE_PREPARE);
    assert_int_equal(stages[1], GPUFILTER_STAGE_SEND);
    assert_int_equal(stages[2], 0);
    assert_int_equal(gpufilter_last_spans(f->client, NULL, 1, 1, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_last_spans(NULL, NULL, 0, 0, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
    stop(f);
}

static void a_call_carries_the_callers_span(void **state)
{
    UNUSED(state);
    gpufilter_error err;
    setenv("TRACEPARENT", "00-" TRACE_A "-" SPAN_A "-00", 1);
    struct fixture *f = start(0);
    unsetenv("TRACEPARENT"); /* it counts when the client is opened */
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(run_in(f, NULL, NULL), GPUFILTER_OK);
        assert_true(sent(f).trace[0] == 0x4b && sent(f).trace[15] == 0x36 && sent(f).span[7] == 0xb7);
        assert_int_equal(run_in(f, "00-" TRACE_B "-" SPAN_B "-01", NULL), GPUFILTER_OK);
        assert_true(sent(f).trace[0] == 0x0a && sent(f).trace[15] == 0x9c && sent(f).span[7] == 0x31);
    }
    unsigned before = f->server->n_runs;
    assert_int_equal(run_in(f, "00-" TRACE_B "-" SPAN_B, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_call has traceparent=00-" TRACE_B "-" SPAN_B
                                  "; allowed: 00-TRACE-SPAN-FLAGS of 32, 16 and 2 lower-case hexadecimal digits, no id "
                                  "only zeros");
    assert_int_equal(f->server->n_runs, before);
    stop(f);
    setenv("TRACEPARENT", "00-" TRACE_A "-" SPAN_A, 1); /* of another program, so it ends none */
    f = start(0);
    unsetenv("TRACEPARENT");
    assert_int_equal(run_in(f, NULL, NULL), GPUFILTER_OK);
    const struct gf_trace_context none = sent(f);
    assert_false(gf_trace_context_valid(&none));
    stop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_keep_spans_where_asked_to),         cmocka_unit_test(steps_are_fused_unless_forbidden),
        cmocka_unit_test(a_call_carries_the_callers_span),        cmocka_unit_test(a_clock_of_another_machine_is_moved),
        cmocka_unit_test(little_room_and_old_callers_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
