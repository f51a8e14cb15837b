/* SPDX-License-Identifier: MIT */
/* The row chunks of a linear filter: how many there are, what they read, what they cost. Called by linear_filter.c and
 * separable_filter.c. */
#ifndef GF_CUDA_FILTER_CHUNKS_H
#define GF_CUDA_FILTER_CHUNKS_H

#include "filter_args.h"
#include "kernels/cuda/step/row_chunks.h"
#include "kernels/shared/filter.h"

struct gf_cuda_row_chunks gf_cuda_filter_chunks(const struct gf_cuda_call *call, const struct gf_filter *f);
/* The rows from the top that a filter reads for the results up to row `end`. A border turned in at the top reads no
 * further in than the window itself. */
uint64_t gf_cuda_filter_rows(const struct gf_cuda_call *call, const struct gf_filter *f, uint64_t end);
/* The row chunk after one that ends at row `first`. */
struct gf_cuda_row_chunk gf_cuda_filter_next(const struct gf_cuda_row_chunks *row_chunks, int32_t first);
/* Before a row chunk is started: what it reads has been asked for, and the job may go on. */
enum gf_status gf_cuda_filter_begin(struct gf_cuda_call *call, const struct gf_filter *f,
                                    struct gf_cuda_row_chunk row_chunk, struct gf_error *err);
/* gf_cuda_stream_pair_begin for these row chunks, which in two streams need all of the source first. */
enum gf_status gf_cuda_filter_streams(struct gf_cuda_call *call, const struct gf_cuda_row_chunks *row_chunks,
                                      struct gf_cuda_stream_pair *ret_streams, struct gf_error *err);
/* gf_cuda_stream_pair_join after row chunks that had this status, which is returned if they failed. */
enum gf_status gf_cuda_filter_join(struct gf_cuda_stream_pair *streams, enum gf_status status, struct gf_error *err);

/* Memory on the device with a copy of host values. */
enum gf_status gf_cuda_filter_upload(struct gf_exec *exec, const float *values, size_t n, float **ret_data,
                                     struct gf_error *err);

/* Two passes, and what comes after them, to `dst`. In separable_filter.c. */
enum gf_status gf_cuda_separable_filter(struct gf_cuda_call *call, const struct gf_filter *f,
                                        const struct gf_cuda_source *src, const struct gf_cuda_target *dst,
                                        struct gf_error *err);

#endif
