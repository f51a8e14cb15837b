/* SPDX-License-Identifier: MIT */
/* When one job did what on the device, interval by interval. Owned by an exec context's clock, which calls it; costs
 * two events an interval, so only where the job asks for it. */
#ifndef GF_CUDA_TRACE_H
#define GF_CUDA_TRACE_H

#include <cuda_runtime_api.h>

#include "kernels/backend.h"

#define GF_CUDA_TRACKS 3u /* stages; one interval of each may be open */

struct gf_cuda_trace_interval {
    cudaEvent_t begin, end; /* owned; made when first needed, kept for later jobs */
    cudaStream_t stream;
    enum gf_stage stage;
    uint32_t step;
    bool ended;
};

struct gf_cuda_trace {
    struct gf_spans *spans; /* of the job; NULL: nobody wants to know */
    cudaEvent_t base;       /* owned; was reached at base_ns of the host's clock */
    uint64_t base_ns;
    uint32_t n;
    struct gf_cuda_trace_interval *open[GF_CUDA_TRACKS]; /* by stage; NULL: none */
    struct gf_cuda_trace_interval intervals[GF_MAX_SPANS];
};

void gf_cuda_trace_deinit(struct gf_cuda_trace *trace);
/* Before the work of a job, which begins in this stream; waits for the device where `spans` is not NULL. */
cudaError_t gf_cuda_trace_begin(struct gf_cuda_trace *trace, struct gf_spans *spans, cudaStream_t stream);
/* Before work of a stage is put into a stream; ends what was open there. Nothing while an interval of the stage is
 * open. */
cudaError_t gf_cuda_trace_enter(struct gf_cuda_trace *trace, enum gf_stage stage, uint32_t step, cudaStream_t stream);
/* After the work of an interval is in its stream; nothing where none is open. */
cudaError_t gf_cuda_trace_leave(struct gf_cuda_trace *trace, enum gf_stage stage);
/* After all streams have finished: adds the spans. */
void gf_cuda_trace_end(struct gf_cuda_trace *trace);

#endif
