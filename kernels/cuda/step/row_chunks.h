/* SPDX-License-Identifier: MIT */
/* How a step is cut into row chunks of rows, so that copies and kernels overlap and a job can stop between them. Called
 * by the ops that go over their rows from top to bottom. */
#ifndef GF_CUDA_ROW_CHUNKS_H
#define GF_CUDA_ROW_CHUNKS_H

#include "cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_cuda_row_chunks {
    uint64_t height, rows; /* of all, of one row chunk */
    uint32_t unit;         /* row chunks but the last one have a multiple of this */
};

/* Row chunks for the rows of the first output, in steps of `unit` rows; `bytes` is what all of them move. */
struct gf_cuda_row_chunks gf_cuda_row_chunks(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit);
/* Makes row chunks higher where kernels need many rows, and lower where one would take the device longer than a unit
 * may: `row` is what a row of results costs, in multiplications of f32 by a kernel that is bound by them; `samples` is
 * how many it has. */
void gf_cuda_row_chunks_limit(struct gf_cuda_row_chunks *row_chunks, const struct gf_cuda_call *call, double row,
                              uint64_t samples);
/* What a row chunk costs gf_cuda_go_on. */
uint64_t gf_cuda_row_chunk_cost(const struct gf_cuda_call *call, double row, uint64_t rows);
/* Where the row chunk that begins at row `first` ends. */
uint64_t gf_cuda_row_chunk_end(const struct gf_cuda_row_chunks *row_chunks, uint64_t first);

/* Row chunks that need nothing of each other, in two alternating streams, so that one begins while the last blocks of
 * threads of the one before still run. */
struct gf_cuda_stream_pair {
    struct gf_exec *exec;
    bool odd; /* the second stream is next */
};

/* True where there are several row chunks, and neither copies run beside them nor the job is a quick one. */
bool gf_cuda_stream_pair_helps(const struct gf_cuda_call *call, const struct gf_cuda_row_chunks *row_chunks);
/* Makes all that is in the main stream come before the row chunks. */
enum gf_status gf_cuda_stream_pair_begin(struct gf_cuda_stream_pair *streams, struct gf_error *err);
/* The stream of the next row chunk; after gf_cuda_go_on for it. */
cudaStream_t gf_cuda_stream_pair_next(struct gf_cuda_stream_pair *streams);
/* Makes all row chunks so far come before those that follow, and before what is put into the main stream from now on.
 * Always called at the end. */
enum gf_status gf_cuda_stream_pair_join(struct gf_cuda_stream_pair *streams, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
