/* SPDX-License-Identifier: MIT */
/* kernels/cuda/cuda_trace: pieces of work in streams become spans. This file simulates events: a stream is a clock that
 * the test advances, and an event is the time at which its stream reached it. */
#include "kernels/cuda/device/cuda_trace.h"

#include <stdlib.h>

#include "kernels/cuda/device/cuda_optional.h"
#include "protocol/base/clock.h"
#include "tests/unit/unit.h"

#define N_STREAMS 3
#define IN ((cudaStream_t)(void *)&g_ms[0])
#define MAIN ((cudaStream_t)(void *)&g_ms[1])
#define OUT ((cudaStream_t)(void *)&g_ms[2])

static float g_ms[N_STREAMS]; /* how far each stream has come */
static int g_events;          /* that are there */

struct CUevent_st {
    float ms;
};

cudaError_t cudaEventCreate(cudaEvent_t *ret_event)
{
    *ret_event = calloc(1, sizeof(**ret_event));
    g_events++;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    g_events--;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    event->ms = *(float *)(void *)stream;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return event ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaEventElapsedTime(float *ret_ms, cudaEvent_t from, cudaEvent_t to)
{
    *ret_ms = to->ms - from->ms;
    return cudaSuccess;
}

bool gf_cuda_optional(cudaError_t error)
{
    return error == cudaSuccess;
}

static struct gf_cuda_trace trace;
static struct gf_spans spans;

static void begin(struct gf_spans *to)
{
    for (int i = 0; i < N_STREAMS; i++)
        g_ms[i] = 100;
    spans.n = 0;
    assert_int_equal(gf_cuda_trace_begin(&trace, to, MAIN), cudaSuccess);
}

/* A piece of work that its stream runs from `from_ms` to `to_ms`. */
static void work(enum gf_stage stage, uint32_t step, cudaStream_t stream, float from_ms, float to_ms)
{
    *(float *)(void *)stream = 100 + from_ms;
    assert_int_equal(gf_cuda_trace_enter(&trace, stage, step, stream), cudaSuccess);
    *(float *)(void *)stream = 100 + to_ms;
}

static void span_is(uint32_t i, enum gf_stage stage, uint32_t step, float from_ms, float to_ms)
{
    const struct gf_span *s = &spans.rows[i];
    assert_true(i < spans.n);
    assert_int_equal(s->stage, stage);
    assert_int_equal(s->step, step);
    assert_true(s->begin == trace.base_ns + (uint64_t)(from_ms * 1e6F));
    assert_true(s->length == (uint64_t)((to_ms - from_ms) * 1e6F));
}

static void copies_beside_kernels_overlap(void **state)
{
    UNUSED(state);
    uint64_t before = gf_now_ns();
    begin(&spans);
    for (uint32_t piece = 0; piece < 2; piece++) {
        float at = 2.0F * (float)piece;
        work(GF_STAGE_COPY_IN, 0, IN, at, at + 2);
        gf_cuda_trace_leave(&trace, GF_STAGE_COPY_IN);
        work(GF_STAGE_KERNEL, 0, MAIN, at + 2, at + 3);
        gf_cuda_trace_leave(&trace, GF_STAGE_KERNEL);
        work(GF_STAGE_COPY_OUT, 0, OUT, at + 3, at + 5);
        gf_cuda_trace_leave(&trace, GF_STAGE_COPY_OUT);
    }
    gf_cuda_trace_end(&trace);
    assert_true(trace.base_ns >= before && trace.base_ns <= gf_now_ns());
    assert_int_equal(spans.n, 6);
    span_is(0, GF_STAGE_COPY_IN, 0, 0, 2);
    span_is(1, GF_STAGE_KERNEL, 0, 2, 3);
    span_is(2, GF_STAGE_COPY_OUT, 0, 3, 5);
    span_is(3, GF_STAGE_COPY_IN, 0, 2, 4);
    span_is(4, GF_STAGE_KERNEL, 0, 4, 5);
    span_is(5, GF_STAGE_COPY_OUT, 0, 5, 7);
}

static void in_one_stream_a_stage_ends_the_one_before(void **state)
{
    UNUSED(state);
    begin(&spans);
    work(GF_STAGE_COPY_IN, 0, MAIN, 0, 1);
    work(GF_STAGE_KERNEL, 0, MAIN, 1, 2);
    work(GF_STAGE_KERNEL, 0, MAIN, 2, 3); /* goes on */
    work(GF_STAGE_COPY_OUT, 1, MAIN, 3, 4);
    assert_int_equal(gf_cuda_trace_leave(&trace, GF_STAGE_KERNEL), cudaSuccess); /* none is open */
    gf_cuda_trace_end(&trace);
    assert_int_equal(spans.n, 2); /* what has not ended is no span */
    span_is(0, GF_STAGE_COPY_IN, 0, 0, 1);
    span_is(1, GF_STAGE_KERNEL, 0, 1, 3);
}

static void nothing_is_made_where_nobody_wants_to_know(void **state)
{
    UNUSED(state);
    gf_cuda_trace_deinit(&trace);
    begin(NULL);
    work(GF_STAGE_KERNEL, 0, MAIN, 0, 1);
    gf_cuda_trace_leave(&trace, GF_STAGE_KERNEL);
    gf_cuda_trace_end(&trace);
    assert_int_equal(g_events, 0);
    assert_int_equal(spans.n, 0);
}

static void more_pieces_than_there_is_room_for_are_left_out(void **state)
{
    UNUSED(state);
    for (int round = 0; round < 2; round++) {
        begin(&spans);
        for (uint32_t i = 0; i < GF_MAX_SPANS + 10; i++) {
            work(GF_STAGE_KERNEL, i, MAIN, (float)i, (float)i + 1);
            gf_cuda_trace_leave(&trace, GF_STAGE_KERNEL);
        }
        gf_cuda_trace_end(&trace);
        assert_int_equal(spans.n, GF_MAX_SPANS);
        assert_int_equal(g_events, 2 * GF_MAX_SPANS + 1); /* kept from round to round */
        span_is(GF_MAX_SPANS - 1, GF_STAGE_KERNEL, GF_MAX_SPANS - 1, GF_MAX_SPANS - 1, GF_MAX_SPANS);
    }
    gf_cuda_trace_deinit(&trace);
    assert_int_equal(g_events, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_beside_kernels_overlap),
        cmocka_unit_test(in_one_stream_a_stage_ends_the_one_before),
        cmocka_unit_test(nothing_is_made_where_nobody_wants_to_know),
        cmocka_unit_test(more_pieces_than_there_is_room_for_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
