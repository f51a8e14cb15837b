/* SPDX-License-Identifier: MIT */
/*
 * What a file of kernels includes. Such a file is written in the language that CUDA C and C17 share and is compiled
 * twice: by nvcc for the GPU, and by the C compiler against emulate.h, which runs the same kernels thread by thread, so
 * that their logic is tested where there is no GPU. For that, a kernel takes pointers and integers only and at most ten
 * of them, is started by RUN, and sizes its shared memory when it is compiled.
 *
 *     static __global__ void twice(const int *in, int *out, size_t n)
 *     {
 *         size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
 *         if (i < n)
 *             out[i] = 2 * in[i];
 *     }
 *
 *     RUNG_IS(first_steps_twice, RUN(twice, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, call->n))
 */
#ifndef PATTERNS_KERNEL_H
#define PATTERNS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call.h"

#ifdef __CUDACC__
#include "launch.h"
#else
#include "emulate.h"
#endif

/* A rung that is one statement. */
#define RUNG_IS(function, ...)                                                                                         \
    RUNG(function)                                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

/* How many blocks of `each` elements hold n; at least one, so that a kernel that must write something runs for n = 0.
 */
static inline unsigned blocks_for(size_t n, size_t each)
{
    return n == 0 ? 1 : (unsigned)((n + each - 1) / each);
}

static inline dim3 plane(unsigned x, unsigned y)
{
    dim3 size = {x, y, 1};
    return size;
}

/* Blocks of x columns and y rows each that hold n columns and n rows. */
static inline dim3 tiles_for(size_t n, size_t x, size_t y)
{
    return plane(blocks_for(n, x), blocks_for(n, y));
}

#endif
