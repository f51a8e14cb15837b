/* SPDX-License-Identifier: MIT */
/* The times of a job's stages on the device. Owned by an execution context, used by cuda_run.c. */
#ifndef GF_CUDA_CLOCK_H
#define GF_CUDA_CLOCK_H

#include <cuda_runtime_api.h>

#include "cuda_trace.h"
#include "kernels/backend.h"

enum gf_cuda_stage { GF_CUDA_COPY_IN, GF_CUDA_KERNEL, GF_CUDA_COPY_OUT, GF_CUDA_N_STAGES };

/* The clock measures from the first start to the last end of each stage; overlapping work counts for each of its
 * stages. A timed event costs as much as a small copy, so events are recorded only where a stage first begins and where
 * another stage takes over its stream. */
struct gf_cuda_clock {
    cudaEvent_t start[GF_CUDA_N_STAGES], end[GF_CUDA_N_STAGES]; /* owned */
    cudaEvent_t last[GF_CUDA_N_STAGES];                         /* the event that marks the end; NULL: none yet */
    cudaStream_t stream[GF_CUDA_N_STAGES];
    bool used[GF_CUDA_N_STAGES], open[GF_CUDA_N_STAGES];
    uint32_t step; /* step of the program that the work belongs to; set by cuda_run.c */
    struct gf_cuda_trace trace;
};

/* On failure the caller need not call gf_cuda_clock_deinit. */
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
/* Called after gf_cuda_clock_reset, before the work of a job. The job's spans are added to `spans`, which may be
 * NULL. */
cudaError_t gf_cuda_clock_trace(struct gf_cuda_clock *clock, struct gf_spans *spans, cudaStream_t stream);
/* Called before work of a stage is put into a stream. Ends the stage that was open in the stream. A stage must stay in
 * one stream during a job. */
cudaError_t gf_cuda_clock_enter(struct gf_cuda_clock *clock, enum gf_cuda_stage stage, cudaStream_t stream);
/* Called after a work unit of a stage has been put into its stream. A stage lasts until another stage begins in its
 * stream; only the trace records the gap between them. */
cudaError_t gf_cuda_clock_leave(struct gf_cuda_clock *clock, enum gf_cuda_stage stage);
/* Called after the last work of a job. */
cudaError_t gf_cuda_clock_stop(struct gf_cuda_clock *clock);
/* Called after all streams have finished. */
struct gf_times gf_cuda_clock_read(struct gf_cuda_clock *clock);

#endif
