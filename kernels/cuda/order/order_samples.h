/* SPDX-License-Identifier: MIT */
/* From samples to the keys that the radix sort puts in order, and back: the launches of order_samples.cu. Called by
 * order.c. */
#ifndef GF_CUDA_ORDER_SAMPLES_H
#define GF_CUDA_ORDER_SAMPLES_H

#include <cuda_runtime_api.h>

#include "kernels/shared/order/order.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where sequences lie in an image. */
struct gf_cuda_order_lines {
    char *data; /* NULL: nobody wants them */
    size_t pitch;
    uint64_t width;
    uint32_t size, channels, axis;
    bool flat; /* of axis=all: rows without padding between them */
};

/* What numbers beside the keys say: nothing; the index in the sequence; that, with the length times the sequence's
 * number in the batch added. */
enum gf_cuda_order_numbers { GF_ORDER_KEYS_ALONE, GF_ORDER_INDICES, GF_ORDER_POSITIONS };

/* Sequences that are put in order at a time: `lines` times `lanes`, which are neighbours in memory. In keys and numbers
 * they stand as they do in memory at first, one sequence behind the other in the end. At most 2^32 - 1 elements. */
struct gf_cuda_order_batch {
    struct gf_order_keys keys;
    struct gf_cuda_order_lines from, values, places;
    uint64_t first; /* sequence of the image */
    uint32_t lines, lanes, length, kept;
    uint32_t key_size; /* bytes */
    uint32_t sequence; /* the bit from which on a key has the number of its sequence in the batch; 0: it does not */
    bool as_floats;    /* keys are floats, f32 for f16, with the other sign where the largest come first */
    enum gf_cuda_order_numbers numbers;
};

cudaError_t gf_cuda_order_encode(const struct gf_cuda_order_batch *batch, void *keys, uint32_t *numbers,
                                 cudaStream_t stream);
/* Of positions, the sequences' numbers. */
cudaError_t gf_cuda_order_sequences(const struct gf_cuda_order_batch *batch, const uint32_t *positions, uint32_t *keys,
                                    cudaStream_t stream);
/* Writes values from keys, which may be where these go if they have their size. */
cudaError_t gf_cuda_order_decode(const struct gf_cuda_order_batch *batch, const void *keys, cudaStream_t stream);
/* Writes values and places from numbers. */
cudaError_t gf_cuda_order_gather(const struct gf_cuda_order_batch *batch, const uint32_t *numbers, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
