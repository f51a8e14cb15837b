/* SPDX-License-Identifier: MIT */
/* The interface between reduction_segments.c, which plans reduce by segments, and the files with its kernels. */
#ifndef GF_CUDA_REDUCE_SEGMENTS_H
#define GF_CUDA_REDUCE_SEGMENTS_H

#include "reduce_args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A level of partials of long segments. `level` is the level of `out`, from 1 on. in_n and out_n are places per
 * channel. */
struct gf_cuda_cut_level {
    uint32_t level;
    const void *in;
    uint64_t in_n;
    void *out;
    uint64_t out_n;
};
/* Reduces one level. The last partial of a segment goes to s->results. In reduce_partials.cu. */
cudaError_t gf_cuda_partials_of_segments_launch(const struct gf_cuda_sequences *s,
                                                const struct gf_cuda_cut_level *level, cudaStream_t stream);
/* Turns the partials of whole segments, s->results, into results. In reduce_partials.cu. */
cudaError_t gf_cuda_finish_segments_launch(const struct gf_cuda_sequences *s, cudaStream_t stream);
/* Composes one level of affine or matmul2; level 0 reads the data. The last map of a segment goes to the output. In
 * compose.cu. */
cudaError_t gf_cuda_compose_segments_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                            const struct gf_cuda_cut_level *level, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
