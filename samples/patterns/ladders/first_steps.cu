/* SPDX-License-Identifier: MIT */
/* First steps: a kernel that greets, one that writes, one that reads and writes. */
#include "samples/patterns/kernel.h"

enum { BLOCK = 256 };

/*
 * set: every thread writes one element. A thread knows itself by its block and its place in it; the last block is
 * mostly larger than what is left, so that each thread asks whether its element is there. Neighbouring threads write
 * neighbouring elements, and a warp's 32 become one transaction of 128 bytes. Limited by memory: half of a copy's
 * traffic.
 */
static __global__ void set(int *out, size_t n, int value)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

RUNG(first_steps_set)
{
    RUN(set, blocks_for(call->n, BLOCK), BLOCK, (int *)call->out, call->n, 7);
}

/*
 * add: the same with two arrays read. Nothing is computed twice and nothing is shared, so that this is as fast as
 * memory; what is said about it holds for every kernel that does little for each element.
 */
static __global__ void add(const int *a, const int *b, int *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

RUNG(first_steps_add)
{
    RUN(add, blocks_for(call->n, BLOCK), BLOCK, (const int *)call->in[0], (const int *)call->in[1], (int *)call->out,
        call->n);
}
