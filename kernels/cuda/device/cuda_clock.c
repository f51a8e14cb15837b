/* SPDX-License-Identifier: MIT */
/* Stage times from events. Each execution context owns one clock; cuda_run.c starts and reads it. */
#include "cuda_clock.h"

#include "cuda_optional.h"
#include "cuda_status.h"

enum gf_status gf_cuda_clock_init(struct gf_cuda_clock *clock, struct gf_error *err)
{
    *clock = (struct gf_cuda_clock){0};
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < GF_CUDA_N_STAGES && error == cudaSuccess; i++) {
        error = cudaEventCreate(&clock->start[i]);
        if (error == cudaSuccess)
            error = cudaEventCreate(&clock->end[i]);
    }
    if (error != cudaSuccess)
        gf_cuda_clock_deinit(clock);
    return gf_cuda_status(error, "creating an event", err);
}

void gf_cuda_clock_deinit(struct gf_cuda_clock *clock)
{
    for (int i = 0; i < GF_CUDA_N_STAGES; i++) {
        if (clock->start[i])
            (void)gf_cuda_optional(cudaEventDestroy(clock->start[i]));
        if (clock->end[i])
            (void)gf_cuda_optional(cudaEventDestroy(clock->end[i]));
    }
    gf_cuda_trace_deinit(&clock->trace);
    *clock = (struct gf_cuda_clock){0};
}

void gf_cuda_clock_reset(struct gf_cuda_clock *clock)
{
    for (int i = 0; i < GF_CUDA_N_STAGES; i++) {
        clock->last[i] = NULL;
        clock->used[i] = clock->open[i] = false;
    }
}

static enum gf_stage stage_of(enum gf_cuda_stage stage)
{
    static const enum gf_stage stages[GF_CUDA_N_STAGES] = {[GF_CUDA_COPY_IN] = GF_STAGE_COPY_IN,
                                                           [GF_CUDA_KERNEL] = GF_STAGE_KERNEL,
                                                           [GF_CUDA_COPY_OUT] = GF_STAGE_COPY_OUT};
    return stages[stage];
}

cudaError_t gf_cuda_clock_trace(struct gf_cuda_clock *clock, struct gf_spans *spans, cudaStream_t stream)
{
    return gf_cuda_trace_begin(&clock->trace, spans, stream);
}

cudaError_t gf_cuda_clock_leave(struct gf_cuda_clock *clock, enum gf_cuda_stage stage)
{
    return gf_cuda_trace_leave(&clock->trace, stage_of(stage));
}

/* Returns the stage that is open in a stream, or GF_CUDA_N_STAGES. */
static int open_stage(const struct gf_cuda_clock *clock, cudaStream_t stream)
{
    int i = 0;
    while (i < GF_CUDA_N_STAGES && !(clock->open[i] && clock->stream[i] == stream))
        i++;
    return i;
}

cudaError_t gf_cuda_clock_enter(struct gf_cuda_clock *clock, enum gf_cuda_stage stage, cudaStream_t stream)
{
    cudaError_t error = gf_cuda_trace_enter(&clock->trace, stage_of(stage), clock->step, stream);
    if (error != cudaSuccess || clock->open[stage])
        return error;
    int before = open_stage(clock, stream);
    cudaEvent_t event = NULL;
    if (!clock->used[stage])
        event = clock->start[stage];
    else if (before < GF_CUDA_N_STAGES)
        event = clock->end[before];
    if (before < GF_CUDA_N_STAGES) {
        clock->last[before] = event;
        clock->open[before] = false;
    }
    clock->used[stage] = clock->open[stage] = true;
    clock->stream[stage] = stream;
    return event ? cudaEventRecord(event, stream) : cudaSuccess;
}

cudaError_t gf_cuda_clock_stop(struct gf_cuda_clock *clock)
{
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < GF_CUDA_N_STAGES && error == cudaSuccess; i++) {
        error = gf_cuda_clock_leave(clock, (enum gf_cuda_stage)i);
        if (!clock->open[i] || error != cudaSuccess)
            continue;
        clock->open[i] = false;
        clock->last[i] = clock->end[i];
        error = cudaEventRecord(clock->end[i], clock->stream[i]);
    }
    return error;
}

static uint64_t stage_ns(const struct gf_cuda_clock *clock, enum gf_cuda_stage stage)
{
    float ms = 0.0f;
    if (!clock->last[stage] || !gf_cuda_optional(cudaEventElapsedTime(&ms, clock->start[stage], clock->last[stage])))
        return 0;
    return (uint64_t)((double)ms * 1e6);
}

struct gf_times gf_cuda_clock_read(struct gf_cuda_clock *clock)
{
    gf_cuda_trace_end(&clock->trace);
    return (struct gf_times){.copy_in = stage_ns(clock, GF_CUDA_COPY_IN),
                             .kernel = stage_ns(clock, GF_CUDA_KERNEL),
                             .copy_out = stage_ns(clock, GF_CUDA_COPY_OUT)};
}
