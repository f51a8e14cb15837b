/* SPDX-License-Identifier: MIT */
/*
 * n tasks of very uneven length: task i counts the steps of the Collatz sequence from start[i] to 1. Most take a few
 * steps; a stretch of neighbouring ones takes up to a thousand. Every rung runs the same task; what changes is who
 * takes which tasks, and when that is decided.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 256,
    WARP = 32,
    GRID = 1024, /* blocks at most, where each takes many chunks of tasks */
    CHUNKS = 8   /* of BLOCK tasks for each block, before there are more blocks */
};

/* The task: halves even numbers, makes 3 x + 1 of odd ones, until 1 or 0 is there. */
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
    const unsigned blocks = blocks_for(call->n, (size_t)BLOCK * CHUNKS);
    return blocks < GRID ? blocks : (unsigned)GRID;
}

/*
 * static-split: each block takes a share of neighbouring tasks, all shares of one size. Nothing is communicated, and
 * each task is as well coalesced as can be, but the long tasks lie side by side: a few blocks get them all. Limited by
 * the slowest block, while the multiprocessors of the others are idle.
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
 * strided-split: the whole grid goes through the tasks side by side, so that neighbouring chunks of BLOCK tasks fall to
 * different blocks and the long stretch to many of them. It costs nothing, and helps where long tasks are neighbours.
 * Limited by the pattern: who takes what is still decided beforehand, and long tasks that lie one stride of the grid
 * apart fall to one block.
 */
static __global__ void strided_split(const unsigned *start, unsigned *steps, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        steps[i] = steps_to_one(start[i]);
}

RUNG_IS(uneven_tasks_strided_split, RUN(strided_split, grid_of(call), BLOCK, call->in[0], call->out, call->n))

/*
 * block-per-chunk: as many blocks as chunks of tasks. A multiprocessor holds a few blocks at a time, and when one ends
 * it gets the next of the grid: the GPU itself hands out work to whoever is free. Limited by the start of a block for
 * every 256 tasks, which weighs where most take a few steps, and by the places of warps that have ended, which stay
 * taken until their block's longest task is done.
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
 * work-queue: the same by hand. The queue is a counter in memory; a block that is free draws the next chunk by one
 * atomicAdd, until there are no more. Blocks start once, and keep what they have loaded or built, were there anything
 * to keep. No two draw the same chunk, as each atomicAdd returns another number. Limited by the barriers: a block draws
 * when its longest task is done, and meanwhile its other warps wait.
 */
static __global__ void work_queue(const unsigned *start, unsigned *steps, size_t n, unsigned long long *next,
                                  unsigned chunk)
{
    __shared__ size_t s_first;
    for (;;) {
        if (threadIdx.x == 0)
            s_first = atomicAdd(next, (unsigned long long)chunk);
        __syncthreads(); /* s_first is there */
        const size_t first = s_first;
        __syncthreads(); /* all have read it, before thread 0 draws again */
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
 * work-queue-large-chunks: the same kernel draws 16 chunks at once. A sixteenth of the atomics, and of the barriers;
 * but the stretch of long tasks is dealt to a sixteenth of the blocks, and at the end some still work on a large chunk
 * when the queue is empty. Chunks want to be as small as the cost of drawing one allows.
 */
RUNG_IS(uneven_tasks_work_queue_large_chunks, run_work_queue(call, 16 * BLOCK))

/*
 * work-queue-per-warp: each warp draws for itself, 32 tasks at a time: lane 0 adds, a shuffle tells the others. Warps
 * of a block do not wait for each other, and there is neither a barrier nor shared memory. Limited by divergence within
 * the warp, which takes as long as its longest task, and by the counter: eight times as many atomics go to one address,
 * one after the other.
 */
static __global__ void work_queue_per_warp(const unsigned *start, unsigned *steps, size_t n, unsigned long long *next)
{
    const unsigned lane = threadIdx.x % WARP;
    for (;;) {
        unsigned long long first = 0;
        if (lane == 0)
            first = atomicAdd(next, (unsigned long long)WARP);
        first = __shfl_sync(~0u, first, 0); /* all lanes have one value, and leave together */
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
