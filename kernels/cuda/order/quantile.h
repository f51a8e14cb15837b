/* SPDX-License-Identifier: MIT */
/*
 * A step of quantile on CUDA: the interface between quantile.c, which assigns sequences to kernels, and
 * quantile_ranks.cu, which has the kernels. A line holds a sequence per channel.
 */
#ifndef GF_CUDA_QUANTILE_H
#define GF_CUDA_QUANTILE_H

#include "kernels/cuda/step/cuda_call.h"
#include "kernels/shared/order/quantile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_cuda_quantile {
    const char *src;
    size_t pitch;           /* bytes from row to row */
    uint64_t width, height; /* contiguous rows count as one row, except for columns */
    uint32_t channels, dtype, size;
    uint32_t axis;           /* `all` also with offsets */
    const uint64_t *offsets; /* of segments, on the device; otherwise NULL */
    uint32_t method, nan, n_q;
    double q[GF_MAX_VALUES];
    char *out;
    size_t out_pitch;
};

/* The most elements of a line that one block handles. */
#define GF_CUDA_FEW_ELEMENTS 131072u

/* Finds the quantiles of lines first ... end - 1. Skips lines of more than GF_CUDA_FEW_ELEMENTS. */
cudaError_t gf_cuda_quantile_short(const struct gf_cuda_quantile *a, uint64_t first, uint64_t end, cudaStream_t stream);

/* The state of the search in one sequence, shared by the blocks of a line. */
struct gf_cuda_rank_search {
    uint64_t rank[GF_QUANTILE_RANKS], prefix[GF_QUANTILE_RANKS], before[GF_QUANTILE_RANKS];
    uint64_t nans;
    uint32_t n, reserved;
};

/* One digit of the keys of line `index`, which has `elements` elements from `first` (for columns, column `first`).
 * `left` bits of the keys are still unknown. */
struct gf_cuda_rank_pass {
    uint64_t index, first, elements;
    uint32_t left, digit_bits;
    uint32_t ranks, planes;               /* ranks: at most this many; planes: channels that a block counts at once */
    struct gf_cuda_rank_search *searches; /* one per channel, all 0 before the first pass */
    uint64_t *counts;                     /* per channel and rank a set of 2^digit_bits counters; all 0 */
};

/* Returns the bits of a digit and the channels to count at once for a number of ranks, as shared memory allows. */
void gf_cuda_quantile_layout(uint32_t ranks, uint32_t channels, uint32_t *ret_digit_bits, uint32_t *ret_planes);
/* Counts elements begin ... end - 1, fewer than 2^32. */
cudaError_t gf_cuda_quantile_count(const struct gf_cuda_quantile *a, const struct gf_cuda_rank_pass *pass,
                                   uint64_t begin, uint64_t end, cudaStream_t stream);
/* Called after all elements have been counted: finds the digit of each rank and clears the counters. After the last
 * digit it stores the results. */
cudaError_t gf_cuda_quantile_take(const struct gf_cuda_quantile *a, const struct gf_cuda_rank_pass *pass,
                                  cudaStream_t stream);

/* Raises the shared-memory limit. Must be called once per device. */
cudaError_t gf_cuda_quantile_prepare(void);

#ifdef __cplusplus
}
#endif
#endif
