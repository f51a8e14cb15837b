/* SPDX-License-Identifier: MIT */
/* Between reduction.c, which sets up reduce, stats, dot and compare, and the files whose kernels make them. */
#ifndef GF_CUDA_REDUCE_ARGS_H
#define GF_CUDA_REDUCE_ARGS_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/reduce_cut.h"
#include "kernels/shared/reduce_result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What exact quantities of 8 and 16 bits are made of at a time: no order binds them to chunks of 4096. */
#define GF_CUDA_SHORT_BYTES 16384u
/* Rows of a column that a block of threads takes: 64 of the tree's blocks. */
#define GF_CUDA_COLUMN_ROWS (GF_TREE_ROWS * GF_TREE_ROWS)
#define GF_CUDA_COLUMN_TILE 32u
/* Warps of a block of the pass over rows. */
#define GF_CUDA_CHUNK_WARPS 8u
/* Few chunks are those of at most so many blocks per multiprocessor, with a warp for 32 lanes of the tree. */
#define GF_CUDA_BLOCK_WARPS 4u
#define GF_CUDA_BLOCKS_PER_UNIT 8u
/* Parts of all sequences after that pass if the order is free: four per thread of the block that joins them. */
#define GF_CUDA_EXACT_PARTIALS 2048u

/* All sequences of a request. Lines are rows, columns, or one line of everything; a line that is no column has a
 * sequence per channel. */
struct gf_cuda_sequences {
    const char *a, *b;       /* first element; b: of the other input of dot and compare */
    uint64_t pitch;          /* bytes from row to row, of both */
    uint64_t width;          /* elements of a sequence in a row; all of them where rows follow each other */
    uint64_t n;              /* elements of a sequence */
    uint64_t lines, chunks;  /* chunks of a sequence */
    uint32_t channels, span; /* span: elements of a chunk */
    bool columns, omit;
    bool by_block;          /* chunks: a block of threads makes a part of one, the last one to be done the result */
    bool pixels;            /* a warp takes all channels of a chunk: those of 8 and 16 bits are side by side in words */
    uint32_t warps;         /* of a block that have a chunk */
    uint64_t blocks, items; /* blocks that share a sequence, if all is exact or few; items of the pass over the data */
    uint32_t kept;          /* quantities of a part in memory */
    uint64_t *partials;     /* side by side of a sequence; of columns level by level, row of chunks by row */
    uint32_t *counters;     /* parts there, of columns per part of a next level, else per sequence; 0 at first */
    struct gf_reduction r;
    struct gf_reduce_target target;
    uint64_t *fault;
    struct gf_reduce_cut cut; /* segments, its tables on the device; n is 0: none. Then `lines` is 1, and `chunks` are
                               * one of each segment, then those of the long ones */
    uint64_t *results;        /* parts of segments of one chunk, then of all */
};

/* Data to parts, down columns to results. InvalidValue for quantities that no kernel makes. */
typedef cudaError_t gf_cuda_reduce_fn(uint32_t dtype, const struct gf_cuda_sequences *s, cudaStream_t stream);
gf_cuda_reduce_fn gf_cuda_reduce_launch, gf_cuda_stats_launch, gf_cuda_compare_launch;
/* reduce along columns, and where there are few chunks. In reduce_columns.cu and reduce_by_block.cu. */
gf_cuda_reduce_fn gf_cuda_reduce_columns_launch, gf_cuda_reduce_by_block_launch;

/* n parts of each sequence to as many as that makes of 4096, or of all where the order is free; if that is one, to
 * results. In reduce_partials.cu. */
cudaError_t gf_cuda_partials_launch(const struct gf_cuda_sequences *s, const uint64_t *in, uint64_t n, uint64_t *out,
                                    cudaStream_t stream);
/* affine and matmul2, to results. In compose.cu. */
gf_cuda_reduce_fn gf_cuda_compose_launch;

/* The whole step by segments, where they are given: `s` describes channels as a whole. In reduction_segments.c. */
enum gf_status gf_cuda_reduce_segments(struct gf_cuda_call *call, struct gf_cuda_sequences *s, struct gf_error *err);

/* The whole step. In reduction.c. */
enum gf_status gf_cuda_reduce_step(struct gf_cuda_call *call, gf_cuda_reduce_fn *launch, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
