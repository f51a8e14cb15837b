/* SPDX-License-Identifier: MIT */
/* The host's part of jitter.cuh: seeds for the files of kernels. */
#ifndef GF_CUDA_JITTER_H
#define GF_CUDA_JITTER_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef GF_CUDA_JITTER
/* Gives all kernels the seed in the environment variable GF_CUDA_JITTER_SEED, an integer, by default 1. Must be called
 * once per device, before the first launch. */
cudaError_t gf_cuda_jitter_prepare(void);
#else
static inline cudaError_t gf_cuda_jitter_prepare(void)
{
    return cudaSuccess;
}
#endif

#ifdef __cplusplus
}

/* Registers the seed of a file of kernels, before main(). */
struct gf_jitter_file {
    const void *seed;
    const struct gf_jitter_file *next;

    explicit gf_jitter_file(const void *own_seed);
};
#endif
#endif
