/* SPDX-License-Identifier: MIT */
/* The launches of count_shared.cu, count_pairs.cu and count_global.cu, among which count.c chooses, and of their
 * preparation. */
#ifndef GF_CUDA_COUNT_H
#define GF_CUDA_COUNT_H

#include "kernels/cuda/step/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a block counts: counters start .. start + span of its planes, in 2^shift copies behind `table` bytes. */
struct gf_cuda_count_layout {
    uint32_t planes; /* that share their bins and their blocks */
    uint32_t parts, span, shift;
    uint32_t table; /* bytes of edges; 0: no room */
    uint32_t words; /* of pairs of counters with 16 bits, as many as make all banks of shared memory equal */
    uint32_t met;   /* entries of MetTable; 0: counters have 32 bits */
};

/* Each puts its launches into the exec context's main stream. */
cudaError_t gf_cuda_count_shared(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                 const struct gf_cuda_bins *bins, const struct gf_cuda_count_layout *layout,
                                 uint64_t *counts);
cudaError_t gf_cuda_count_pairs(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                const struct gf_cuda_bins *bins, const struct gf_cuda_count_layout *layout,
                                uint64_t *counts);
cudaError_t gf_cuda_count_global(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                 const struct gf_cuda_bins *bins, uint64_t *counts);

/* Dtypes that gf_cuda_count_pairs takes: others have so many bins too seldom to be worth the code. */
bool gf_cuda_count_has_pairs(uint32_t dtype);

/* Raise the limits of dynamic shared memory to `shared_bytes` bytes; once per device. */
cudaError_t gf_cuda_count_shared_prepare(int shared_bytes);
cudaError_t gf_cuda_count_pairs_prepare(int shared_bytes);
/* The same for count_bytes.cu, whose kernels know how much they need. */
cudaError_t gf_cuda_count_bytes_prepare(void);

#ifdef __cplusplus
}
#endif
#endif
