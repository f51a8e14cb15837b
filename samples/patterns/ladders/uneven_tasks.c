/* SPDX-License-Identifier: MIT */
/* The problem of uneven_tasks.cu: the steps of n Collatz sequences, with a stretch of long ones. */
#include "uneven_tasks.cu"
#include "samples/patterns/patterns.h"

static const size_t checked[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 2049, 5000, 20000};

SIZES(.in = {n * sizeof(uint32_t)}, .out = n * sizeof(uint32_t), .temp = sizeof(unsigned long long))

/* Numbers from 0 to 15, which take at most 19 steps, and in the middle n / 64 numbers that take 500 to 950 steps. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    static const uint32_t far[] = {626331, 837799, 1723519, 3732423, 5649499, 6649279, 15733191, 63728127};
    uint32_t *start = in[0];
    const size_t length = n / 64, first = n / 2;
    for (size_t i = 0; i < n; i++)
        start[i] = i >= first && i < first + length ? far[i % (sizeof(far) / sizeof(far[0]))] : (uint32_t)(i % 16);
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    const uint32_t *start = in[0];
    uint32_t *steps = out;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = start[i];
        for (steps[i] = 0; x > 1; steps[i]++)
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    }
}

/* The reads and writes; the work itself is not counted. */
TRAFFIC(bytes, (double)n * 2 * sizeof(uint32_t))

static const struct rung rungs[] = {
    KERNEL(uneven_tasks_static_split, "static-split",
           "each block takes a fixed share of neighbours: the long tasks fall to a few blocks"),
    KERNEL(uneven_tasks_strided_split, "strided-split",
           "the grid goes through the tasks side by side: neighbours fall to many blocks, by a fixed pattern"),
    KERNEL(uneven_tasks_block_per_chunk, "block-per-chunk",
           "a block for every 256 tasks: the GPU gives the next block to whichever multiprocessor is free"),
    KERNEL(uneven_tasks_work_queue, "work-queue",
           "blocks draw 256 tasks at a time from a counter; the block waits for its longest task"),
    KERNEL(uneven_tasks_work_queue_large_chunks, "work-queue-large-chunks",
           "4096 tasks at a time: fewer atomics, and large pieces left at the end"),
    KERNEL(uneven_tasks_work_queue_per_warp, "work-queue-per-warp",
           "each warp draws 32 tasks and waits for no other; more atomics on one address"),
};

LADDER(g_uneven_tasks, .name = "uneven-tasks", .title = "n tasks of uneven length: the steps of Collatz sequences",
       .n = (size_t)1 << 24, .counts = "tasks", .bytes = bytes);
