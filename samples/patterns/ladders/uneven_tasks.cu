/* SPDX-License-Identifier: MIT */
/*
 * n tasks of very uneven length: task i counts the steps of the Collatz sequence from start[i] to 1. Most tasks take a
 * few steps; a stretch of neighbouring tasks takes up to a thousand each. Every rung runs the same task; the rungs
 * differ in which thread takes which tasks, and when that is decided.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 256,
    WARP = 32,
    GRID = 1024, /* blocks at most, where each takes many chunks of tasks */
    CHUNKS = 8   /* chunks of BLOCK tasks for each block before the grid grows */
};

/* The task: counts the steps, which halve an even number and turn an odd x into 3 x + 1, until the number is 1 or 0. */
static __device__ unsigned steps_to_one(unsigned start)
{
    unsigned long long x = start;
    unsigned steps = 0;
    while (x > 1) {
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        steps++;
    }
    return steps;
}

static unsigned grid_of(const struct call *call)
{
    return blocks_up_to(GRID, call->n, BLOCK * CHUNKS);
}

/*
 * static-split: each block takes a share of neighbouring tasks, and all shares have the same size. Threads communicate
 * nothing, and all accesses are coalesced, but the long tasks are neighbours: a few blocks get all of them. Limited by
 * the slowest block, while the multiprocessors of the other blocks are idle.
 */
static __global__ void static_split(const unsigned *start, unsigned *steps, size_t n)
{
    const size_t share = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    const size_t end = first + share < n ? first + share : n;
    for (size_t i = first + threadIdx.x; i < end; i += BLOCK)
        steps[i] = steps_to_one(start[i]);
}

RUNG_IS(uneven_tasks_static_split, RUN(static_split, grid_of(call), BLOCK, call->in[0], call->out, call->n))

/*
 * strided-split: a grid-stride loop over the tasks, so that neighbouring chunks of BLOCK tasks go to different blocks
 * and the long stretch goes to many of them. It costs nothing, and helps where long tasks are neighbours. Limited by
 * the pattern: the split is still decided beforehand, and long tasks one grid stride apart go to the same block.
 */
static __global__ void strided_split(const unsigned *start, unsigned *steps, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        steps[i] = steps_to_one(start[i]);
}

RUNG_IS(uneven_tasks_strided_split, RUN(strided_split, grid_of(call), BLOCK, call->in[0], call->out, call->n))

/*
 * block-per-chunk: as many blocks as chunks of tasks. A multiprocessor holds a few blocks at a time, and when a block
 * ends it gets the next block of the grid: the GPU itself balances the load. Limited by the start of a block for every
 * 256 tasks, which matters where most tasks take a few steps, and by warps that have ended, whose slots stay occupied
 * until their block's longest task is done.
 */
static __global__ void block_per_chunk(const unsigned *start, unsigned *steps, size_t n)
{
    const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        steps[i] = steps_to_one(start[i]);
}

RUNG_IS(uneven_tasks_block_per_chunk,
        RUN(block_per_chunk, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, call->n))

/*
 * work-queue: load balancing by hand, with persistent blocks. The queue is a counter in memory; a block that is free
 * draws the next chunk by one atomicAdd, until there are no more. Blocks start once, and could keep what they have
 * loaded or built. No two blocks draw the same chunk, because each atomicAdd returns another number. Limited by the
 * barriers: a block draws only when its longest task is done, and meanwhile its other warps wait.
 */
static __global__ void work_queue(const unsigned *start, unsigned *steps, size_t n, unsigned long long *next,
                                  unsigned chunk)
{
    __shared__ size_t s_first;
    for (;;) {
        if (threadIdx.x == 0)
            s_first = atomicAdd(next, (unsigned long long)chunk);
        __syncthreads(); /* s_first is written */
        const size_t first = s_first;
        __syncthreads(); /* all threads have read s_first before thread 0 draws again */
        if (first >= n)
            return;
        const size_t end = first + chunk < n ? first + chunk : n;
        for (size_t i = first + threadIdx.x; i < end; i += BLOCK)
            steps[i] = steps_to_one(start[i]);
    }
}

static void run_work_queue(struct call *call, unsigned chunk)
{
    set_bytes(call, call->temp, 0, sizeof(unsigned long long));
    RUN(work_queue, grid_of(call), BLOCK, call->in[0], call->out, call->n, call->temp, chunk);
}

RUNG_IS(uneven_tasks_work_queue, run_work_queue(call, BLOCK))

/*
 * work-queue-large-chunks: the same kernel draws 16 chunks at once. It makes a sixteenth of the atomics and of the
 * barriers, but deals the stretch of long tasks to a sixteenth of the blocks, and at the end some blocks still work on
 * a large chunk when the queue is empty. A chunk should be as small as the cost of drawing it allows.
 */
RUNG_IS(uneven_tasks_work_queue_large_chunks, run_work_queue(call, 16 * BLOCK))

/*
 * work-queue-per-warp: each warp draws 32 tasks at a time: lane 0 adds, and a shuffle passes the result to the other
 * lanes. The warps of a block do not wait for each other, and there is neither a barrier nor shared memory. Limited by
 * divergence within the warp, which takes as long as its longest task, and by the counter: eight times as many atomics
 * go to one address and are serialized.
 */
static __global__ void work_queue_per_warp(const unsigned *start, unsigned *steps, size_t n, unsigned long long *next)
{
    const unsigned lane = threadIdx.x % WARP;
    for (;;) {
        unsigned long long first = 0;
        if (lane == 0)
            first = atomicAdd(next, (unsigned long long)WARP);
        first = __shfl_sync(~0u, first, 0); /* all lanes have the same value, and leave together */
        if (first >= n)
            return;
        if (first + lane < n)
            steps[first + lane] = steps_to_one(start[first + lane]);
    }
}

RUNG(uneven_tasks_work_queue_per_warp)
{
    set_bytes(call, call->temp, 0, sizeof(unsigned long long));
    RUN(work_queue_per_warp, grid_of(call), BLOCK, call->in[0], call->out, call->n, call->temp);
}
