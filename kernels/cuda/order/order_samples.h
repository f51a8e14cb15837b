/* SPDX-License-Identifier: MIT */
/* From samples to the keys of the radix sort, and back: the launches of order_samples.cu. Called by order.c. */
#ifndef GF_CUDA_ORDER_SAMPLES_H
#define GF_CUDA_ORDER_SAMPLES_H

#include <cuda_runtime_api.h>

#include "kernels/shared/order/order.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of sequences in an image. */
struct gf_cuda_order_lines {
    char *data; /* NULL: not requested */
    size_t pitch;
    uint64_t width;
    uint32_t size, channels, axis;
    bool flat; /* for axis=all: rows without padding between them */
};

/* The meaning of the numbers beside the keys: none; the index in the sequence; the index plus the length times the
 * number of the sequence in the batch. */
enum gf_cuda_order_numbers { GF_ORDER_KEYS_ALONE, GF_ORDER_INDICES, GF_ORDER_POSITIONS };

/* Sequences that are sorted at a time: `lines` times `lanes`; the lanes are adjacent in memory. Before the sort, keys
 * and numbers are in memory order; afterwards one sequence follows the other. At most 2^32 - 1 elements. */
struct gf_cuda_order_batch {
    struct gf_order_keys keys;
    struct gf_cuda_order_lines from, values, places;
    uint64_t first; /* first sequence, numbered in the image */
    uint32_t lines, lanes, length, kept;
    uint32_t key_size; /* bytes */
    uint32_t sequence; /* the bit from which on a key holds the number of its sequence in the batch; 0: it holds none */
    bool as_floats;    /* keys are floats (f32 for f16), negated where the largest come first */
    enum gf_cuda_order_numbers numbers;
};

cudaError_t gf_cuda_order_encode(const struct gf_cuda_order_batch *batch, void *keys, uint32_t *numbers,
                                 cudaStream_t stream);
/* Converts positions to the numbers of their sequences. */
cudaError_t gf_cuda_order_sequences(const struct gf_cuda_order_batch *batch, const uint32_t *positions, uint32_t *keys,
                                    cudaStream_t stream);
/* Writes the values of keys. The keys may lie in the memory of the values if they have the same size. */
cudaError_t gf_cuda_order_decode(const struct gf_cuda_order_batch *batch, const void *keys, cudaStream_t stream);
/* Writes values and places by the numbers. */
cudaError_t gf_cuda_order_gather(const struct gf_cuda_order_batch *batch, const uint32_t *numbers, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
