/* SPDX-License-Identifier: MIT */
/* Stage times from events. A lane owns one clock; cuda_run.c starts and reads it. */
#include "cuda_clock.h"

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
            (void)cudaEventDestroy(clock->start[i]);
        if (clock->end[i])
            (void)cudaEventDestroy(clock->end[i]);
    }
    *clock = (struct gf_cuda_clock){0};
}

void gf_cuda_clock_reset(struct gf_cuda_clock *clock)
{
    for (int i = 0; i < GF_CUDA_N_STAGES; i++)
        clock->used[i] = false;
}

cudaError_t gf_cuda_clock_start(struct gf_cuda_clock *clock, enum gf_cuda_stage stage, cudaStream_t stream)
{
    if (clock->used[stage])
        return cudaSuccess;
    clock->used[stage] = true;
    cudaError_t error = cudaEventRecord(clock->start[stage], stream);
    /* The end is there from now on, whatever fails before the real one. */
    return error == cudaSuccess ? cudaEventRecord(clock->end[stage], stream) : error;
}

cudaError_t gf_cuda_clock_end(struct gf_cuda_clock *clock, enum gf_cuda_stage stage, cudaStream_t stream)
{
    return cudaEventRecord(clock->end[stage], stream);
}

static uint64_t stage_ns(const struct gf_cuda_clock *clock, enum gf_cuda_stage stage)
{
    float ms = 0.0f;
    if (!clock->used[stage] || cudaEventElapsedTime(&ms, clock->start[stage], clock->end[stage]) != cudaSuccess)
        return 0;
    return (uint64_t)((double)ms * 1e6);
}

struct gf_times gf_cuda_clock_read(const struct gf_cuda_clock *clock)
{
    return (struct gf_times){.copy_in = stage_ns(clock, GF_CUDA_COPY_IN),
                             .kernel = stage_ns(clock, GF_CUDA_KERNEL),
                             .copy_out = stage_ns(clock, GF_CUDA_COPY_OUT)};
}
