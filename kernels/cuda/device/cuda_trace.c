/* SPDX-License-Identifier: MIT */
/* Spans from pairs of events. Called by cuda_clock.c. */
#include "cuda_trace.h"

#include "cuda_optional.h"
#include "protocol/base/clock.h"

static void event_destroy(cudaEvent_t event)
{
    if (event)
        (void)gf_cuda_optional(cudaEventDestroy(event));
}

void gf_cuda_trace_deinit(struct gf_cuda_trace *trace)
{
    event_destroy(trace->base);
    for (uint32_t i = 0; i < GF_MAX_SPANS; i++) {
        event_destroy(trace->intervals[i].begin);
        event_destroy(trace->intervals[i].end);
    }
    *trace = (struct gf_cuda_trace){.spans = NULL};
}

cudaError_t gf_cuda_trace_begin(struct gf_cuda_trace *trace, struct gf_spans *spans, cudaStream_t stream)
{
    trace->spans = spans;
    trace->n = 0;
    for (uint32_t i = 0; i < GF_CUDA_TRACKS; i++)
        trace->open[i] = NULL;
    if (!spans)
        return cudaSuccess;
    cudaError_t error = trace->base ? cudaSuccess : cudaEventCreate(&trace->base);
    if (error == cudaSuccess)
        error = cudaEventRecord(trace->base, stream);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(trace->base);
    trace->base_ns = gf_now_ns();
    return error;
}

static struct gf_cuda_trace_interval **slot_of(struct gf_cuda_trace *trace, enum gf_stage stage)
{
    return &trace->open[stage - GF_STAGE_COPY_IN];
}

cudaError_t gf_cuda_trace_leave(struct gf_cuda_trace *trace, enum gf_stage stage)
{
    struct gf_cuda_trace_interval **slot = slot_of(trace, stage), *interval = *slot;
    if (!interval)
        return cudaSuccess;
    *slot = NULL;
    interval->ended = true;
    return cudaEventRecord(interval->end, interval->stream);
}

/* Takes the next interval and creates its events where necessary. */
static cudaError_t take(struct gf_cuda_trace *trace, struct gf_cuda_trace_interval **ret_interval)
{
    struct gf_cuda_trace_interval *interval = &trace->intervals[trace->n];
    cudaError_t error = interval->begin ? cudaSuccess : cudaEventCreate(&interval->begin);
    if (error == cudaSuccess && !interval->end)
        error = cudaEventCreate(&interval->end);
    if (error != cudaSuccess)
        return error;
    trace->n++;
    *ret_interval = interval;
    return cudaSuccess;
}

cudaError_t gf_cuda_trace_enter(struct gf_cuda_trace *trace, enum gf_stage stage, uint32_t step, cudaStream_t stream)
{
    struct gf_cuda_trace_interval **slot = slot_of(trace, stage), *interval;
    if (!trace->spans || *slot || trace->n == GF_MAX_SPANS)
        return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (uint32_t i = 0; i < GF_CUDA_TRACKS && error == cudaSuccess; i++)
        if (trace->open[i] && trace->open[i]->stream == stream)
            error = gf_cuda_trace_leave(trace, trace->open[i]->stage);
    if (error == cudaSuccess)
        error = take(trace, &interval);
    if (error != cudaSuccess)
        return error;
    interval->stream = stream;
    interval->stage = stage;
    interval->step = step;
    interval->ended = false;
    *slot = interval;
    return cudaEventRecord(interval->begin, stream);
}

static uint64_t elapsed_ns(cudaEvent_t from, cudaEvent_t to)
{
    float ms = 0.0f;
    return gf_cuda_optional(cudaEventElapsedTime(&ms, from, to)) && ms > 0.0f ? (uint64_t)((double)ms * 1e6) : 0;
}

void gf_cuda_trace_end(struct gf_cuda_trace *trace)
{
    for (uint32_t i = 0; i < trace->n && trace->spans; i++) {
        const struct gf_cuda_trace_interval *interval = &trace->intervals[i];
        uint64_t begin = trace->base_ns + elapsed_ns(trace->base, interval->begin);
        if (interval->ended)
            gf_spans_add(trace->spans, interval->stage, interval->step, begin,
                         begin + elapsed_ns(interval->begin, interval->end));
    }
    trace->spans = NULL;
}
