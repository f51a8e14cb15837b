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

/* Launches a kernel in a stream and records the launch for the harness. grid and block are a number or a dim3. */
#define RUN_IN(stream, kernel, grid, block, ...)                                                                       \
    do {                                                                                                               \
        const dim3 block_of_run = dim3(block);                                                                         \
        kernel<<<(grid), block_of_run, 0, stream_of(stream)>>>(__VA_ARGS__);                                           \
        launched(call, (const void *)(kernel), block_of_run.x *block_of_run.y *block_of_run.z);                        \
    } while (0)

#define RUN(kernel, grid, block, ...) RUN_IN(0, kernel, grid, block, __VA_ARGS__)

#ifdef __cplusplus
extern "C" {
#endif
void launched(struct call *call, const void *kernel, unsigned threads);
/* Fills GPU memory with a byte, in stream order. */
void set_bytes(struct call *call, void *data, int value, size_t size);
/* Copy between the host and the GPU, and wait until the copy is done. */
void copy_to_host(struct call *call, void *to, const void *from, size_t size);
void copy_from_host(struct call *call, void *to, const void *from, size_t size);
/* Streams: 0 is the default stream, 1 and 2 run beside each other. The default stream waits for both, and both for it.
 * copy_in_stream returns at once if the host's pages are locked. wait_for: what is put into a stream from now on begins
 * when `other` has done what it has now. */
cudaStream_t stream_of(unsigned stream);
void copy_in_stream(struct call *call, unsigned stream, void *to, const void *from, size_t size);
void wait_for(struct call *call, unsigned stream, unsigned other);
/* An asynchronous call of the runtime has returned. */
void submitted(struct call *call, cudaError_t error);
/* The number of blocks of a kernel that the GPU holds at once. */
unsigned resident_blocks(struct call *call, const void *kernel, unsigned threads);
#ifdef __cplusplus
}
#endif

/* Copies from GPU memory to a __constant__ or __device__ variable. */
#define SET_SYMBOL(symbol, from, size)                                                                                 \
    submitted(call, cudaMemcpyToSymbolAsync(symbol, from, size, 0, cudaMemcpyDeviceToDevice))

#define RESIDENT_BLOCKS(kernel, threads) resident_blocks(call, (const void *)(kernel), threads)

#endif
