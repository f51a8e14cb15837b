/* SPDX-License-Identifier: MIT */
/* How long the stages of one job took on the device. Owned by an exec context, used by cuda_run.c. */
#ifndef GF_CUDA_CLOCK_H
#define GF_CUDA_CLOCK_H

#include <cuda_runtime_api.h>

#include "cuda_trace.h"
#include "kernels/backend.h"

enum gf_cuda_stage { GF_CUDA_COPY_IN, GF_CUDA_KERNEL, GF_CUDA_COPY_OUT, GF_CUDA_N_STAGES };

/* The first start and the last end of each stage; what runs at the same time counts for each stage. A timed event costs
 * as much as a small copy, so one is recorded only where a stage begins first, and where another one takes over. */
struct gf_cuda_clock {
    cudaEvent_t start[GF_CUDA_N_STAGES], end[GF_CUDA_N_STAGES]; /* owned */
    cudaEvent_t last[GF_CUDA_N_STAGES];                         /* which of them marks the end, NULL: none yet */
    cudaStream_t stream[GF_CUDA_N_STAGES];
    bool used[GF_CUDA_N_STAGES], open[GF_CUDA_N_STAGES];
    uint32_t step; /* of the program, which the work belongs to: set by cuda_run.c */
    struct gf_cuda_trace trace;
};

/* On failure the clock needs no gf_cuda_clock_deinit. */
enum gf_status gf_cuda_clock_init(struct gf_cuda_clock *clock, struct gf_error *err);
void gf_cuda_clock_deinit(struct gf_cuda_clock *clock);

#ifdef __cplusplus
extern "C" {
#endif
/* Forgets the last job. */
void gf_cuda_clock_reset(struct gf_cuda_clock *clock);
#ifdef __cplusplus
}
#endif
/* After gf_cuda_clock_reset, before the work of a job: its pieces are to be added to `spans`, which may be NULL. */
cudaError_t gf_cuda_clock_trace(struct gf_cuda_clock *clock, struct gf_spans *spans, cudaStream_t stream);
/* Before work of a stage is put into a stream; ends the stage that was open in this stream. A stage stays in one stream
 * during a job. */
cudaError_t gf_cuda_clock_enter(struct gf_cuda_clock *clock, enum gf_cuda_stage stage, cudaStream_t stream);
/* After a work unit of a stage was put into its stream. Stages go on until another begins in their stream; only the
 * trace needs to know that a stream waits. */
cudaError_t gf_cuda_clock_leave(struct gf_cuda_clock *clock, enum gf_cuda_stage stage);
/* After the last work of a job. */
cudaError_t gf_cuda_clock_stop(struct gf_cuda_clock *clock);
/* After all streams have finished. */
struct gf_times gf_cuda_clock_read(struct gf_cuda_clock *clock);

#endif
