/* SPDX-License-Identifier: MIT */
/*
 * A step of quantile on CUDA, between quantile.c, which decides who finds which sequences, and quantile_ranks.cu, which
 * has the kernels. A line is as many sequences as there are channels.
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
    uint64_t width, height; /* rows without padding between them are one, but for columns */
    uint32_t channels, dtype, size;
    uint32_t axis;           /* `all` with offsets, too */
    const uint64_t *offsets; /* of segments, on the device; else NULL */
    uint32_t method, nan, n_q;
    double q[GF_MAX_VALUES];
    char *out;
    size_t out_pitch;
};

/* Elements of the longest line that one block finds the ranks of. */
#define GF_CUDA_FEW_ELEMENTS 131072u

/* Lines first ... end - 1 of at most GF_CUDA_FEW_ELEMENTS each; longer ones among them are left out. */
cudaError_t gf_cuda_quantile_short(const struct gf_cuda_quantile *a, uint64_t first, uint64_t end, cudaStream_t stream);

/* What the blocks that share a line know of one of its sequences. */
struct gf_cuda_rank_search {
    uint64_t rank[GF_QUANTILE_RANKS], prefix[GF_QUANTILE_RANKS], before[GF_QUANTILE_RANKS];
    uint64_t nans;
    uint32_t n, reserved;
};

/* One digit of the keys of a line of `elements`, the number `index`, from `first` on or column `first`. `left` bits of
 * them are not found yet. */
struct gf_cuda_rank_pass {
    uint64_t index, first, elements;
    uint32_t left, digit_bits;
    uint32_t ranks, planes;               /* ranks: at most so many; planes: channels that a block counts at once */
    struct gf_cuda_rank_search *searches; /* per channel, all 0 before the first pass */
    uint64_t *counts;                     /* per channel sets of 2^digit_bits for each rank; all 0 */
};

/* Bits of a digit and channels counted at once for so many ranks, as shared memory allows. */
void gf_cuda_quantile_layout(uint32_t ranks, uint32_t channels, uint32_t *ret_digit_bits, uint32_t *ret_planes);
/* Counts elements begin ... end - 1, fewer than 2^32. */
cudaError_t gf_cuda_quantile_count(const struct gf_cuda_quantile *a, const struct gf_cuda_rank_pass *pass,
                                   uint64_t begin, uint64_t end, cudaStream_t stream);
/* Once all are counted: the digit of each rank; stores the results after the last one. Clears the counts. */
cudaError_t gf_cuda_quantile_take(const struct gf_cuda_quantile *a, const struct gf_cuda_rank_pass *pass,
                                  cudaStream_t stream);

/* Raises the limit of shared memory; once per device. */
cudaError_t gf_cuda_quantile_prepare(void);

#ifdef __cplusplus
}
#endif
#endif
