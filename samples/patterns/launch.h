/* SPDX-License-Identifier: MIT */
/* How a file of kernels becomes a form for the GPU. Included by kernel.h when nvcc compiles; its functions are in
 * machine_cuda.c. */
#ifndef PATTERNS_LAUNCH_H
#define PATTERNS_LAUNCH_H

#include <cuda_runtime.h>

#include "call.h"

#define RUNG(function)                                                                                                 \
    extern "C" void cuda_##function(struct call *call);                                                                \
    extern "C" void cuda_##function(struct call *call)

/* Starts a kernel and notes it; grid and block are a number or a dim3. */
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
/* All bytes of memory of the GPU, in the order of launches. */
void set_bytes(struct call *call, void *data, int value, size_t size);
/* Between the host and the GPU; both wait until it is done. */
void copy_to_host(struct call *call, void *to, const void *from, size_t size);
void copy_from_host(struct call *call, void *to, const void *from, size_t size);
#ifdef __cplusplus
}
#endif

/* From memory of the GPU to a variable that is declared __constant__ or __device__. */
#define SET_SYMBOL(symbol, from, size)                                                                                 \
    do {                                                                                                               \
        (void)cudaMemcpyToSymbolAsync(symbol, from, size, 0, cudaMemcpyDeviceToDevice);                                \
    } while (0)

#endif
