/* SPDX-License-Identifier: MIT */
/* Between reduction_segments.c, which sets up reduce by segments, and the files whose kernels make it. */
#ifndef GF_CUDA_REDUCE_SEGMENTS_H
#define GF_CUDA_REDUCE_SEGMENTS_H

#include "kernels/shared/reduce_cut.h"
#include "reduce_args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Data to parts: of segments of one chunk in `results`, which has room for one per segment and channel, of chunks of
 * long ones in s->parts. The tables of `cut` are on the device. In reduce_segments.cu. */
cudaError_t gf_cuda_segments_launch(uint32_t dtype, const struct gf_cuda_sequences *s, const struct gf_reduce_cut *cut,
                                    uint64_t *results, cudaStream_t stream);

/* One level of parts of long segments, `level` being that of `out`, from 1 on. Per channel there are so many places. */
struct gf_cuda_cut_level {
    uint32_t level;
    const void *in;
    uint64_t in_n;
    void *out;
    uint64_t out_n;
};
/* A segment's only part goes to `results`. In reduce_partials.cu. */
cudaError_t gf_cuda_cut_partials_launch(const struct gf_cuda_sequences *s, const struct gf_reduce_cut *cut,
                                        const struct gf_cuda_cut_level *level, uint64_t *results, cudaStream_t stream);
/* Parts of whole segments to results. In reduce_partials.cu. */
cudaError_t gf_cuda_cut_finish_launch(const struct gf_cuda_sequences *s, const struct gf_reduce_cut *cut,
                                      const uint64_t *results, cudaStream_t stream);
/* One level of affine and matmul2, from 0, the data, on; a segment's only map goes to the output. In compose.cu. */
cudaError_t gf_cuda_cut_compose_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                       const struct gf_reduce_cut *cut, const struct gf_cuda_cut_level *level,
                                       cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
