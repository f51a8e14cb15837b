/* SPDX-License-Identifier: MIT */
/* median, rank and percentile as kernel arguments, and the launches. Filled by rank_filter.c. */
#ifndef GF_CUDA_RANK_H
#define GF_CUDA_RANK_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pitches and data pointers are multiples of GF_CUDA_ALIGN. */
struct gf_cuda_ranking {
    const void *src;
    void *dst;
    size_t src_pitch, dst_pitch;
    int32_t width, height, channels; /* of source and result */
    uint32_t dtype;
    int32_t window_x, window_y, anchor_x, anchor_y;
    uint32_t index;
    uint32_t border;
    uint32_t outside[GF_MAX_CHANNELS]; /* keys of a constant border, rank_keys.cuh */
    int32_t first, end;                /* rows of the result to compute */
};

/* Launch a row chunk: medians of 3 x 3; medians of 5 x 5; any rank in any window. Asynchronous, allocate nothing;
 * return the launch error. */
cudaError_t gf_cuda_rank_median3(const struct gf_cuda_ranking *r, cudaStream_t stream);
cudaError_t gf_cuda_rank_median5(const struct gf_cuda_ranking *r, cudaStream_t stream);
cudaError_t gf_cuda_rank_digits(const struct gf_cuda_ranking *r, cudaStream_t stream);

/* Returns the cost of a result sample with gf_cuda_rank_digits, in multiplications. */
double gf_cuda_rank_digits_cost(const struct gf_cuda_ranking *r);

#ifdef __cplusplus
}
#endif
#endif
