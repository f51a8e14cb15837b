/* SPDX-License-Identifier: MIT */
/* Between reduction.c, which orders the passes of reduce, stats, dot and compare, and the files whose kernels make
 * them. */
#ifndef GF_CUDA_REDUCE_ARGS_H
#define GF_CUDA_REDUCE_ARGS_H

#include "cuda_call.h"
#include "kernels/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Some neighbouring sequences of the data, all that a pass works on. */
struct gf_cuda_sequences {
    const char *a, *b; /* first element of the first sequence; b: of the other input of dot and compare */
    uint64_t pitch;    /* bytes from row to row, of both */
    uint64_t width;    /* elements of a sequence in a row; all of them where rows follow each other */
    uint64_t n;        /* elements of a sequence */
    uint64_t chunks;   /* parts of a sequence: chunks, or blocks of a column's rows */
    uint64_t sequences;
    uint32_t channels;
    bool columns, omit;
    uint64_t *parts; /* chunk by chunk, in it sequence by sequence */
};

/* Data to parts. InvalidValue for quantities that no kernel makes. */
typedef cudaError_t gf_cuda_first_fn(uint32_t dtype, uint32_t want, const struct gf_cuda_sequences *s,
                                     cudaStream_t stream);
gf_cuda_first_fn gf_cuda_reduce_first, gf_cuda_stats_first, gf_cuda_dot_first, gf_cuda_compare_first;

/* n parts of each sequence to as many as that makes of chunks. In parts.cu. */
cudaError_t gf_cuda_parts_launch(const struct gf_reduction *r, const uint64_t *in, uint64_t n, uint64_t *out,
                                 uint64_t sequences, cudaStream_t stream);
/* The only part of each sequence to results; `first` is the number of the first sequence. In parts.cu. */
cudaError_t gf_cuda_finish_launch(const struct gf_reduction *r, const struct gf_reduce_target *target,
                                  const uint64_t *parts, uint64_t first, uint64_t sequences, uint64_t *fault,
                                  cudaStream_t stream);

/* The whole step. In reduction.c. */
enum gf_status gf_cuda_reduce_step(struct gf_cuda_call *call, gf_cuda_first_fn *launch, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
