/* SPDX-License-Identifier: MIT */
/* The intervals in which a job worked on the device. Owned and called by an execution context's clock. An interval
 * costs two events, so intervals are recorded only where the job asks for them. */
#ifndef GF_CUDA_TRACE_H
#define GF_CUDA_TRACE_H

#include <cuda_runtime_api.h>

#include "kernels/backend.h"

#define GF_CUDA_TRACKS 3u /* stages; each may have one open interval */

struct gf_cuda_trace_interval {
    cudaEvent_t begin, end; /* owned; created on first use and kept for later jobs */
    cudaStream_t stream;
    enum gf_stage stage;
    uint32_t step;
    bool ended;
};

struct gf_cuda_trace {
    struct gf_spans *spans; /* of the job; NULL: not requested */
    cudaEvent_t base;       /* owned; reached at base_ns on the host's clock */
    uint64_t base_ns;
    uint32_t n;
    struct gf_cuda_trace_interval *open[GF_CUDA_TRACKS]; /* by stage; NULL: none */
    struct gf_cuda_trace_interval intervals[GF_MAX_SPANS];
};

void gf_cuda_trace_deinit(struct gf_cuda_trace *trace);
/* Called before the work of a job, which begins in this stream. Waits for the device unless `spans` is NULL. */
cudaError_t gf_cuda_trace_begin(struct gf_cuda_trace *trace, struct gf_spans *spans, cudaStream_t stream);
/* Called before work of a stage is put into a stream. Ends the interval that is open in the stream. Does nothing while
 * an interval of the stage is open. */
cudaError_t gf_cuda_trace_enter(struct gf_cuda_trace *trace, enum gf_stage stage, uint32_t step, cudaStream_t stream);
/* Called after the work of an interval has been put into its stream. Does nothing where no interval is open. */
cudaError_t gf_cuda_trace_leave(struct gf_cuda_trace *trace, enum gf_stage stage);
/* Called after all streams have finished: adds the spans. */
void gf_cuda_trace_end(struct gf_cuda_trace *trace);

#endif
