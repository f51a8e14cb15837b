/* SPDX-License-Identifier: MIT */
/* The interface between reduction.c, which plans reduce, stats, dot and compare, and the files with their kernels. */
#ifndef GF_CUDA_REDUCE_ARGS_H
#define GF_CUDA_REDUCE_ARGS_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/reduce_cut.h"
#include "kernels/shared/reduce_result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes per chunk for exact quantities of 8-bit and 16-bit elements. No order binds them to chunks of 4096 elements. */
#define GF_CUDA_SHORT_BYTES 16384u
/* Rows of a column per thread block: 64 blocks of the tree. */
#define GF_CUDA_COLUMN_ROWS (GF_TREE_ROWS * GF_TREE_ROWS)
#define GF_CUDA_COLUMN_TILE 32u
/* Warps per block in the pass over rows. */
#define GF_CUDA_CHUNK_WARPS 8u
/* The by-block kernels serve at most GF_CUDA_BLOCKS_PER_UNIT blocks per multiprocessor, with a warp for each 32 lanes
 * of the tree. */
#define GF_CUDA_BLOCK_WARPS 4u
#define GF_CUDA_BLOCKS_PER_UNIT 8u
/* Partials of all sequences after the pass over rows, if the order is free: four per thread of the block that joins
 * them. */
#define GF_CUDA_EXACT_PARTIALS 2048u

/* All sequences of a request. A line is a row, a column, or the whole image. A line that is not a column has a sequence
 * per channel. */
struct gf_cuda_sequences {
    const char *a, *b;       /* first element; b: second input of dot and compare */
    uint64_t pitch;          /* bytes between rows, the same for both inputs */
    uint64_t width;          /* elements of a sequence per row; all elements where rows are contiguous */
    uint64_t n;              /* elements of a sequence */
    uint64_t lines, chunks;  /* chunks: per sequence */
    uint32_t channels, span; /* span: elements per chunk */
    bool columns, omit;
    bool by_block;  /* a thread block makes the partial of a chunk, and the last block to finish makes the result */
    bool pixels;    /* a warp takes all channels of a chunk: adjacent words of 8-bit or 16-bit samples */
    uint32_t warps; /* warps of a block that take a chunk */
    uint64_t blocks, items; /* blocks sharing a sequence (all exact, or few chunks); items of the pass over the data */
    uint32_t kept;          /* quantities of a partial that are stored */
    uint64_t *partials;     /* adjacent for a sequence; for columns level by level, one row of chunks after another */
    uint32_t *counters;     /* arrivals, per partial of the next level (columns) or per sequence; 0 at first */
    struct gf_reduction r;
    struct gf_reduce_target target;
    uint64_t *fault;
    struct gf_reduce_cut cut; /* segments, with tables on the device; n is 0: none. Otherwise `lines` is 1, and `chunks`
                                 counts one chunk per segment, then the chunks of long segments */
    uint64_t *results;        /* partials of segments, at first of single chunks, finally of all */
};

/* Reduces the data to partials; down columns, to results. Returns cudaErrorInvalidValue for a set of quantities without
 * a kernel. */
typedef cudaError_t gf_cuda_reduce_fn(uint32_t dtype, const struct gf_cuda_sequences *s, cudaStream_t stream);
gf_cuda_reduce_fn gf_cuda_reduce_launch, gf_cuda_stats_launch, gf_cuda_compare_launch;
/* reduce down columns, and along rows with few chunks. In reduce_columns.cu and reduce_by_block.cu. */
gf_cuda_reduce_fn gf_cuda_reduce_columns_launch, gf_cuda_reduce_by_block_launch;

/* Reduces n partials per sequence by 4096, or all of them where the order is free. A single remaining partial becomes
 * the result. In reduce_partials.cu. */
cudaError_t gf_cuda_partials_launch(const struct gf_cuda_sequences *s, const uint64_t *in, uint64_t n, uint64_t *out,
                                    cudaStream_t stream);
/* affine and matmul2, to results. In compose.cu. */
gf_cuda_reduce_fn gf_cuda_compose_launch;

/* Runs the whole step by segments: `s` describes whole channels. In reduction_segments.c. */
enum gf_status gf_cuda_reduce_segments(struct gf_cuda_call *call, struct gf_cuda_sequences *s, struct gf_error *err);

/* Runs the whole step. In reduction.c. */
enum gf_status gf_cuda_reduce_step(struct gf_cuda_call *call, gf_cuda_reduce_fn *launch, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
