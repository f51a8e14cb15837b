/* SPDX-License-Identifier: MIT */
/* Between reduction_segments.c, which sets up reduce by segments, and the files whose kernels make it. */
#ifndef GF_CUDA_REDUCE_SEGMENTS_H
#define GF_CUDA_REDUCE_SEGMENTS_H

#include "reduce_args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One level of parts of long segments, `level` being that of `out`, from 1 on. Per channel there are so many places. */
struct gf_cuda_cut_level {
    uint32_t level;
    const void *in;
    uint64_t in_n;
    void *out;
    uint64_t out_n;
};
/* A segment's only part goes to s->results. In reduce_partials.cu. */
cudaError_t gf_cuda_partials_of_segments_launch(const struct gf_cuda_sequences *s,
                                                const struct gf_cuda_cut_level *level, cudaStream_t stream);
/* Parts of whole segments, s->results, to results. In reduce_partials.cu. */
cudaError_t gf_cuda_finish_segments_launch(const struct gf_cuda_sequences *s, cudaStream_t stream);
/* One level of affine and matmul2, from 0, the data, on; a segment's only map goes to the output. In compose.cu. */
cudaError_t gf_cuda_compose_segments_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                            const struct gf_cuda_cut_level *level, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
