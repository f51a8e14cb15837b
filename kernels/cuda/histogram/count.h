/* SPDX-License-Identifier: MIT */
/* The launches of count_shared.cu, count_pairs.cu and count_global.cu, of which count.c chooses one, and the
 * preparation of their kernels. */
#ifndef GF_CUDA_COUNT_H
#define GF_CUDA_COUNT_H

#include "kernels/cuda/step/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a block counts: counters start to start + span - 1 of its planes, in 2^shift copies after `table` bytes. */
struct gf_cuda_count_layout {
    uint32_t planes; /* planes that share bins and blocks */
    uint32_t parts, span, shift;
    uint32_t table; /* bytes of edges; 0 if they do not fit */
    uint32_t words; /* words of two 16-bit counters, a multiple of the number of shared-memory banks */
    uint32_t met;   /* entries of MetTable; 0 if counters have 32 bits */
};

/* Each launches its kernels on the main stream of the exec context. */
cudaError_t gf_cuda_count_shared(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                 const struct gf_cuda_bins *bins, const struct gf_cuda_count_layout *layout,
                                 uint64_t *counts);
cudaError_t gf_cuda_count_pairs(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                const struct gf_cuda_bins *bins, const struct gf_cuda_count_layout *layout,
                                uint64_t *counts);
cudaError_t gf_cuda_count_global(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                 const struct gf_cuda_bins *bins, uint64_t *counts);

/* Whether gf_cuda_count_pairs supports a dtype. The other dtypes rarely have so many bins, so kernels for them do not
 * pay off. */
bool gf_cuda_count_has_pairs(uint32_t dtype);

/* Raise the limits of dynamic shared memory to `shared_bytes` bytes. Must be called once per device. */
cudaError_t gf_cuda_count_shared_prepare(int shared_bytes);
cudaError_t gf_cuda_count_pairs_prepare(int shared_bytes);
/* The same for count_bytes.cu, which knows the sizes itself. */
cudaError_t gf_cuda_count_bytes_prepare(void);

#ifdef __cplusplus
}
#endif
#endif
