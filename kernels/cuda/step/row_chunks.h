/* SPDX-License-Identifier: MIT */
/* Runs a step in row chunks, so that copies and kernels overlap and a job can stop between them. Called by the ops that
 * make their rows from top to bottom. */
#ifndef GF_CUDA_ROW_CHUNKS_H
#define GF_CUDA_ROW_CHUNKS_H

#include "cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_cuda_row_chunks {
    uint64_t height, rows; /* rows of the step; rows per chunk */
    double row_cost;       /* cost of a row, in bytes, for gf_cuda_throttle */
    uint32_t unit;         /* the height of every chunk except the last is a multiple of this */
};

/* How an op makes its rows. `op` is the argument that the op passes to gf_cuda_run_rows. */
struct gf_cuda_row_fns {
    /* Launches the kernels for the result rows `first` to `end` - 1. */
    enum gf_status (*launch)(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err);
    /* Returns how many rows of an input, from the top, the result rows before `end` need. NULL: `end` rows. */
    uint64_t (*needed)(const void *op, uint32_t input, uint64_t end);
    /* Returns how many rows of an output, from the top, are complete after the chunk that ends at `end`. NULL: `end`
     * rows. */
    uint64_t (*made)(const void *op, uint32_t output, uint64_t end);
};

/* Returns row chunks for the rows of the first output, in multiples of `unit` rows. `bytes` is the number of bytes that
 * all rows move. */
struct gf_cuda_row_chunks gf_cuda_row_chunks(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit);
/* Makes row chunks higher where kernels need many rows, and lower where a chunk would exceed the time of a work unit.
 * Raises row_cost to the cost of the arithmetic. `row` is the cost of a row of results, in f32 multiplications of a
 * compute-bound kernel; `samples` is the number of samples per row. */
void gf_cuda_row_chunks_limit(struct gf_cuda_row_chunks *row_chunks, const struct gf_cuda_call *call, double row,
                              uint64_t samples);
/* Returns the end of the row chunk that begins at row `first`. */
uint64_t gf_cuda_row_chunk_end(const struct gf_cuda_row_chunks *row_chunks, uint64_t first);
/* Runs row chunk after row chunk: checks that the job may continue, requests the input rows, launches the kernels, and
 * reports the output rows. Ends at the first failure. */
enum gf_status gf_cuda_run_rows(struct gf_cuda_call *call, const struct gf_cuda_row_chunks *row_chunks,
                                const struct gf_cuda_row_fns *fns, void *op, struct gf_error *err);

/* Two alternating streams for independent row chunks, so that a chunk begins while the last thread blocks of the
 * previous chunk still run. */
struct gf_cuda_stream_pair {
    struct gf_exec *exec;
    bool odd; /* the second stream is next */
};

/* Whether the stream pair is worthwhile: several row chunks, no overlapping copies, and not a quick job. */
bool gf_cuda_stream_pair_helps(const struct gf_cuda_call *call, const struct gf_cuda_row_chunks *row_chunks);
/* Orders all work in the main stream before the row chunks. */
enum gf_status gf_cuda_stream_pair_begin(struct gf_cuda_stream_pair *streams, struct gf_error *err);
/* Returns the stream of the next row chunk. Must be called after gf_cuda_throttle for it. */
cudaStream_t gf_cuda_stream_pair_next(struct gf_cuda_stream_pair *streams);
/* Orders all row chunks so far before later row chunks, and before later work in the main stream. Must always be called
 * at the end. */
enum gf_status gf_cuda_stream_pair_join(struct gf_cuda_stream_pair *streams, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
