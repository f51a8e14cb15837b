/* SPDX-License-Identifier: MIT */
/* The part of radix.h for 32-bit and 64-bit keys with numbers, in a file of its own because CUB takes long to compile.
 * Called by radix_keys.cu. */
#ifndef GF_CUDA_RADIX_PAIRS_H
#define GF_CUDA_RADIX_PAIRS_H

#include "radix.h"

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t gf_cuda_radix_pairs(struct gf_cuda_radix *radix, void *workspace, size_t *size, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
