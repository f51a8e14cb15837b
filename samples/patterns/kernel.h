/* SPDX-License-Identifier: MIT */
/*
 * Every file of kernels includes this header. Such a file is written in the language that CUDA C and C17 share and is
 * compiled twice: by nvcc for the GPU, and by the C compiler against emulate.h. The emulator runs the same kernels
 * thread by thread, so their logic is tested without a GPU. For that, a kernel must take at most ten arguments, all
 * pointers or integers, must be started by RUN, and must have shared memory of a size known at compile time.
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

/* A rung whose body is one statement. */
#define RUNG_IS(function, ...)                                                                                         \
    RUNG(function)                                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }

/* The number of blocks of `each` elements that hold n elements. At least one, so that a kernel that must write
 * something runs for n = 0, too. */
static inline unsigned blocks_for(size_t n, size_t each)
{
    return n == 0 ? 1 : (unsigned)((n + each - 1) / each);
}

/* The same for a grid of at most `most` blocks, whose threads take more than one element each if n is large. */
static inline unsigned blocks_up_to(unsigned most, size_t n, size_t each)
{
    unsigned blocks = blocks_for(n, each);
    return blocks < most ? blocks : most;
}

static inline dim3 plane(unsigned x, unsigned y)
{
    dim3 size = {x, y, 1};
    return size;
}

/* The grid of blocks of x columns and y rows that holds n columns and n rows. */
static inline dim3 tiles_for(size_t n, size_t x, size_t y)
{
    return plane(blocks_for(n, x), blocks_for(n, y));
}

#endif
