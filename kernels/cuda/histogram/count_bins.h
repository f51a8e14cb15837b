/* SPDX-License-Identifier: MIT */
/* Counts samples by bin, and finds the bins of a range that only the samples tell. In count.c and extremes.cu. */
#ifndef GF_CUDA_COUNT_BINS_H
#define GF_CUDA_COUNT_BINS_H

#include "kernels/cuda/step/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* To counts, bins + GF_BINS_EXTRA per plane, all 0 before, by gf_bins_find; `same` says that all planes have equal
 * bins. Samples of 8 bits are counted by count_bytes.cu, luma apart. */
cudaError_t gf_cuda_count_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                               const struct gf_cuda_bins *bins, uint32_t n_bins, bool same, uint64_t *counts);

/* Raises the shared-memory limits of the kernels that count; once per device. */
cudaError_t gf_cuda_count_prepare(void);

/* `finite` leaves infinities out. NaN always is. */
cudaError_t gf_cuda_find_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s, bool finite,
                                  uint64_t *extremes);
/* Bins over the extremes, closed, on the device; for every plane its own, or the same over all planes. */
cudaError_t gf_cuda_bins_of_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                     const uint64_t *extremes, uint32_t n_bins, bool same, struct gf_bins *bins);

#ifdef __cplusplus
}
#endif
#endif
