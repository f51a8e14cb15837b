/* SPDX-License-Identifier: MIT */
/* The bands of a linear filter: how many there are, what they read, what they cost. Called by linear_filter.c and
 * blur.c. */
#ifndef GF_CUDA_FILTER_BANDS_H
#define GF_CUDA_FILTER_BANDS_H

#include "filter_args.h"
#include "kernels/cuda/step/bands.h"
#include "kernels/shared/filter.h"

struct gf_cuda_bands gf_cuda_filter_bands(const struct gf_cuda_call *call, const struct gf_filter *f);
/* The rows from the top that a filter reads for the results up to row `end`. A border turned in at the top reads no
 * further in than the window itself. */
uint64_t gf_cuda_filter_rows(const struct gf_cuda_call *call, const struct gf_filter *f, uint64_t end);
/* The band after one that ends at row `first`. */
struct gf_cuda_band gf_cuda_filter_next(const struct gf_cuda_bands *bands, int32_t first);
/* Before a band is started: what it reads has been asked for, and the job may go on. */
enum gf_status gf_cuda_filter_begin(struct gf_cuda_call *call, const struct gf_filter *f, struct gf_cuda_band band,
                                    struct gf_error *err);
/* gf_cuda_turns_begin for these bands, which in two streams need all of the source first. */
enum gf_status gf_cuda_filter_turns(struct gf_cuda_call *call, const struct gf_cuda_bands *bands,
                                    struct gf_cuda_turns *ret_turns, struct gf_error *err);
/* gf_cuda_turns_join after bands that had this status, which is returned if they failed. */
enum gf_status gf_cuda_filter_join(struct gf_cuda_turns *turns, enum gf_status status, struct gf_error *err);

/* Memory on the device with a copy of host values. */
enum gf_status gf_cuda_filter_upload(struct gf_lane *lane, const float *values, size_t n, float **ret_data,
                                     struct gf_error *err);

/* Two passes, and what comes after them, to `dst`. In blur.c. */
enum gf_status gf_cuda_blur(struct gf_cuda_call *call, const struct gf_filter *f, const struct gf_cuda_source *src,
                            const struct gf_cuda_target *dst, struct gf_error *err);

#endif
