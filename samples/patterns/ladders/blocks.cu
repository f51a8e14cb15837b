/* SPDX-License-Identifier: MIT */
/*
 * The largest of n numbers. Each block finds the largest of its own; then somebody has to take these together, and no
 * barrier spans the blocks of a grid. Every rung runs the same blocks, so that only the way they communicate differs.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 128,
    GRID = 1024, /* blocks at most */
    EACH = 4     /* elements of a thread, before there are more blocks */
};

/* The largest value of the block's threads, in thread 0. Thread t takes its partner's at a distance that halves. */
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

/* The largest of the elements that fall to this thread, when all threads of the grid go through them side by side. */
static __device__ unsigned largest_of_thread(const unsigned *in, size_t n)
{
    unsigned value = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        value = max(value, in[i]);
    return value;
}

static unsigned grid_of(const struct call *call)
{
    const unsigned blocks = blocks_for(call->n, (size_t)BLOCK * EACH);
    return blocks < GRID ? blocks : (unsigned)GRID;
}

/*
 * two-launches: blocks store their results to memory, and a second launch of one block takes them together. Launches of
 * one stream run one after the other, and what the first stored the second sees: the end of a kernel is the barrier
 * that a grid does not have otherwise. Limited, at small sizes, by the second launch: one block runs alone, after the
 * first grid has drained.
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
 * atomic-per-block: each block adds its result to the answer itself, by one atomic operation, and nothing is left for
 * anybody to finish. It works because the operator has an atomic and nothing follows it: a mean, which divides the
 * complete sum, has no such way. The answer must be there before the first block, so that one launch becomes a memset
 * and a launch.
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

/* Blocks of the running grid that have stored their results. 0 when a program begins; the last block makes it 0 again,
 * so that nobody has to before the next launch. */
static __device__ unsigned g_arrived;

/*
 * last-block-unfenced, wrong on purpose: blocks store their results and count themselves; the block that counts last
 * finds all others' results in memory and takes them together, in the same launch. The count alone does not order the
 * stores: a store to one address and an atomic on another may become visible to another multiprocessor in either order,
 * so that the last block may read a place that its block has not stored yet, as seen from here.
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
 * last-block-guard: the same with two fences around the count. Why the last block sees each result: its block stored
 * it, then fenced, then counted; the count of the last block came after that one, since atomics on one address have an
 * order; the last block then fenced, and only then read. A fence before the count makes it a release of what was
 * stored, one after it an acquire, and the barrier extends this to the other threads of the block. It needs one launch,
 * and nobody waits: a block that is not the last ends. Limited by the last block, which works alone for two rounds of
 * memory latency and a tree; a second launch takes these too, and its own start.
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
