/* SPDX-License-Identifier: MIT */
/* First steps: a kernel that greets, one that writes, one that reads and writes. */
#include "samples/patterns/kernel.h"

enum { BLOCK = 256, LINE = 32 /* bytes of a greeting */ };

/* Three decimal digits. */
static __device__ void put_digits(char *to, unsigned number)
{
    to[0] = (char)('0' + number / 100 % 10);
    to[1] = (char)('0' + number / 10 % 10);
    to[2] = (char)('0' + number % 10);
}

/*
 * hello: a launch starts gridDim blocks of blockDim threads, and all of them run this function. A thread learns which
 * one it is from blockIdx and threadIdx, and from nothing else. The grid is a whole number of blocks, so the last block
 * may have more threads than there are lines left, and each thread checks that its line exists. Threads run in no
 * particular order; the lines are in order because each has its own place. The line is written a byte at a time, and
 * lanes are 32 bytes apart, so a store of a warp writes one byte to each of 32 sectors of 32 bytes.
 */
static __global__ void hello(char *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    char text[] = "hello from block 000 thread 000\n";
    if (i >= n)
        return;
    put_digits(text + 17, blockIdx.x);
    put_digits(text + 28, threadIdx.x);
    for (size_t k = 0; k < LINE; k++)
        out[i * LINE + k] = text[k];
}

RUNG_IS(first_steps_hello, RUN(hello, blocks_for(call->n, BLOCK), BLOCK, call->out, call->n))

/*
 * set: one number per thread instead of a line. Neighbouring threads now write neighbouring elements, so the 32 stores
 * of a warp cover one line of 128 bytes and leave as one request: they are coalesced. The kernel computes nothing.
 * Limited by memory or, where memory is fast, by having only 4 bytes in flight per thread.
 */
static __global__ void set(float *out, size_t n, int value)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (float)value;
}

RUNG_IS(first_steps_set, RUN(set, blocks_for(call->n, BLOCK), BLOCK, call->out, call->n, 7))

/*
 * add: the same indexing, with two arrays read. One addition for 12 bytes of traffic: still limited by memory, like
 * every kernel that does little with each element. No thread needs what another computes, so there is nothing to
 * synchronize and nothing to keep in shared memory.
 */
static __global__ void add(const float *a, const float *b, float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

RUNG_IS(first_steps_add, RUN(add, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->in[1], call->out, call->n))
