/* SPDX-License-Identifier: MIT */
/* Turns a file of kernels into its form for the GPU. kernel.h includes this file when nvcc compiles; machine_cuda.c
 * defines its functions. */
#ifndef PATTERNS_LAUNCH_H
#define PATTERNS_LAUNCH_H

#include <cuda_runtime.h>

#include "call.h"

#define RUNG(function)                                                                                                 \
    extern "C" void cuda_##function(struct call *call);                                                                \
    extern "C" void cuda_##function(struct call *call)

/* Launches a kernel and records the launch for the harness. grid and block are a number or a dim3. */
#define RUN(kernel, grid, block, ...)                                                                                  \
    do {                                                                                                               \
        const dim3 block_of_run = dim3(block);                                                                         \
        kernel<<<(grid), block_of_run>>>(__VA_ARGS__);                                                                 \
        launched(call, (const void *)(kernel), block_of_run.x *block_of_run.y *block_of_run.z);                        \
    } while (0)

#ifdef __cplusplus
extern "C" {
#endif
void launched(struct call *call, const void *kernel, unsigned threads);
/* Fills GPU memory with a byte, in stream order. */
void set_bytes(struct call *call, void *data, int value, size_t size);
/* Copy between the host and the GPU, and wait until the copy is done. */
void copy_to_host(struct call *call, void *to, const void *from, size_t size);
void copy_from_host(struct call *call, void *to, const void *from, size_t size);
#ifdef __cplusplus
}
#endif

/* Copies from GPU memory to a __constant__ or __device__ variable. */
#define SET_SYMBOL(symbol, from, size)                                                                                 \
    do {                                                                                                               \
        (void)cudaMemcpyToSymbolAsync(symbol, from, size, 0, cudaMemcpyDeviceToDevice);                                \
    } while (0)

#endif
