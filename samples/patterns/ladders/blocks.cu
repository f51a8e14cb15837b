/* SPDX-License-Identifier: MIT */
/*
 * The largest of n numbers. Each block finds the largest of its own numbers. Then the results of the blocks must be
 * combined, and no barrier spans the blocks of a grid. Every rung runs the same blocks, so only the way they
 * communicate differs.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 128,
    GRID = 1024, /* blocks at most */
    EACH = 4     /* elements of a thread before the grid grows */
};

/* The largest value of the block's threads, in thread 0. Each step combines threads at half the distance of the step
 * before. */
static __device__ unsigned largest_of_block(unsigned *s, unsigned value)
{
    s[threadIdx.x] = value;
    __syncthreads(); /* all values are stored */
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads(); /* this step's results are stored before the next step reads them */
    }
    return s[0];
}

/* The largest of this thread's elements; the threads of the grid take elements in a grid-stride loop. */
static __device__ unsigned largest_of_thread(const unsigned *in, size_t n)
{
    unsigned value = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        value = max(value, in[i]);
    return value;
}

static unsigned grid_of(const struct call *call)
{
    return blocks_up_to(GRID, call->n, BLOCK * EACH);
}

/*
 * two-launches: blocks store their results to memory, and a second launch of one block combines them. Launches in one
 * stream run one after the other, and the second sees all stores of the first: the end of a kernel is the barrier
 * across the grid that a kernel itself lacks. Limited, at small sizes, by the second launch: one block runs alone,
 * after the first grid has drained.
 */
static __global__ void largest_per_block(const unsigned *in, unsigned *out, size_t n)
{
    __shared__ unsigned s[BLOCK];
    const unsigned largest = largest_of_block(s, largest_of_thread(in, n));
    if (threadIdx.x == 0)
        out[blockIdx.x] = largest;
}

RUNG(blocks_two_launches)
{
    const unsigned grid = grid_of(call);
    unsigned *partial = call->temp;
    RUN(largest_per_block, grid, BLOCK, call->in[0], partial, call->n);
    RUN(largest_per_block, 1, BLOCK, (const unsigned *)partial, call->out, (size_t)grid);
}

/*
 * atomic-per-block: each block combines its result with the answer by one atomic operation, so no second launch is
 * needed. This requires an operator that has an atomic, and an answer that needs no further step: a mean, which divides
 * the complete sum, cannot be computed this way. The answer must be initialized before the first block runs, so a
 * memset precedes the launch.
 */
static __global__ void largest_by_atomic(const unsigned *in, unsigned *out, size_t n)
{
    __shared__ unsigned s[BLOCK];
    const unsigned largest = largest_of_block(s, largest_of_thread(in, n));
    if (threadIdx.x == 0)
        atomicMax(out, largest);
}

RUNG(blocks_atomic_per_block)
{
    set_bytes(call, call->out, 0, sizeof(unsigned));
    RUN(largest_by_atomic, grid_of(call), BLOCK, call->in[0], call->out, call->n);
}

/* The number of blocks of the running grid that have stored their results. It is 0 when a program begins, and the last
 * block sets it back to 0, so the next launch needs no memset. The program has one such counter, so two launches that
 * run at the same time, in two streams, would count each other's blocks: a program with streams gives each its own. */
static __device__ unsigned g_arrived;

/*
 * last-block-unfenced, wrong on purpose: each block stores its result and increments a counter. The block that
 * increments it last finds all other results in memory and combines them in the same launch. But the counter alone does
 * not order the stores: a store to one address and an atomic on another may become visible to another multiprocessor in
 * either order. The last block may therefore read a result that, from its multiprocessor, is not stored yet.
 */
static __global__ void largest_unfenced(const unsigned *in, unsigned *partial, unsigned *out, size_t n)
{
    __shared__ unsigned s[BLOCK];
    __shared__ bool s_last;
    const unsigned largest = largest_of_block(s, largest_of_thread(in, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = largest;
        s_last = atomicInc(&g_arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads(); /* s_last is stored, and all have read s[0] */
    if (!s_last)
        return;
    unsigned value = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        value = max(value, partial[i]);
    value = largest_of_block(s, value);
    if (threadIdx.x == 0)
        *out = value;
}

RUNG_IS(blocks_last_block_unfenced,
        RUN(largest_unfenced, grid_of(call), BLOCK, call->in[0], call->temp, call->out, call->n))

/*
 * last-block-guard: the same with two fences around the count. Why the last block sees every result: each block stored
 * its result, then fenced, then counted. The count of the last block came after all others, since atomics on one
 * address are ordered. The last block then fenced, and only then read. The fence before the count makes it a release of
 * what was stored, the fence after it makes it an acquire, and the barrier extends both to the other threads of the
 * block. One launch suffices, and no block waits: every block but the last simply ends. Limited by the last block,
 * which works alone for two rounds of memory latency and a tree; a second launch would take the same time, and its own
 * start.
 */
static __global__ void largest_guarded(const unsigned *in, unsigned *partial, unsigned *out, size_t n)
{
    __shared__ unsigned s[BLOCK];
    __shared__ bool s_last;
    const unsigned largest = largest_of_block(s, largest_of_thread(in, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = largest;
        __threadfence(); /* the result is visible before it is counted */
        s_last = atomicInc(&g_arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence(); /* nothing is read before it is counted */
    }
    __syncthreads(); /* s_last is stored, and all have read s[0] */
    if (!s_last)
        return;
    unsigned value = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        value = max(value, partial[i]);
    value = largest_of_block(s, value);
    if (threadIdx.x == 0)
        *out = value;
}

RUNG_IS(blocks_last_block_guard,
        RUN(largest_guarded, grid_of(call), BLOCK, call->in[0], call->temp, call->out, call->n))
