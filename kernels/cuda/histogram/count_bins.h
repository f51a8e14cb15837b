/* SPDX-License-Identifier: MIT */
/* Counts samples by bin, and makes bins from the range of the samples. In count.c and extremes.cu. */
#ifndef GF_CUDA_COUNT_BINS_H
#define GF_CUDA_COUNT_BINS_H

#include "kernels/cuda/step/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts samples by the bins that gf_bins_find gives. `counts` has bins + GF_BINS_EXTRA counters per plane and must be
 * 0. `same`: all planes have equal bins. 8-bit samples are not counted here, except for their brightness: see
 * count_bytes.cu. */
cudaError_t gf_cuda_count_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                               const struct gf_cuda_bins *bins, uint32_t n_bins, bool same, uint64_t *counts);

/* Raises the shared-memory limits of the counting kernels. Must be called once per device. */
cudaError_t gf_cuda_count_prepare(void);

/* Finds the extremes of each plane, without NaN, and if `finite` without infinities. */
cudaError_t gf_cuda_find_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s, bool finite,
                                  uint64_t *extremes);
/* Makes bins over the extremes, with the last bin closed, on the device: per plane, or if `same` over all planes. */
cudaError_t gf_cuda_bins_of_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                     const uint64_t *extremes, uint32_t n_bins, bool same, struct gf_bins *bins);

#ifdef __cplusplus
}
#endif
#endif
