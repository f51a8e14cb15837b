/* SPDX-License-Identifier: MIT */
/* The problem of blocks.cu: the largest of n numbers, found by blocks that must communicate. */
#include "blocks.cu"
#include "samples/patterns/patterns.h"

/* The last size makes more partial results than a block has threads. */
static const size_t checked[] = {0, 1, 2, 31, 33, 127, 128, 129, 511, 513, 1025, 5000, 70000};

SIZES(.in = {n * sizeof(uint32_t)}, .out = sizeof(uint32_t), .temp = GRID * sizeof(uint32_t))

/* The largest number lies in a block that differs from size to size. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    uint32_t *a = in[0], random = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        a[i] = random;
    }
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    const uint32_t *a = in[0];
    uint32_t *largest = out;
    *largest = 0;
    for (size_t i = 0; i < n; i++)
        *largest = a[i] > *largest ? a[i] : *largest;
}

TRAFFIC(bytes, (double)n * sizeof(uint32_t))

VIEWS(1, PICTURE(n, 1, GPUFILTER_U32))

static const struct rung rungs[] = {
    KERNEL(blocks_two_launches, "two-launches",
           "a second launch combines the blocks' results: the end of a kernel is a barrier"),
    KERNEL(blocks_atomic_per_block, "atomic-per-block",
           "one atomic per block, on a result that a memset has cleared; not for results that need a final step"),
    KERNEL(blocks_last_block_unfenced, "last-block-unfenced",
           "the last block to be counted finishes, but nothing orders the stores before the count.", .racy = true),
    KERNEL(blocks_last_block_guard, "last-block-guard",
           "the last block to be counted finishes; a fence on either side of the count orders what it reads"),
    PRODUCT("reduce op=max", "product", "the daemon's kernel"),
};

/* Small, so that launches and waits are visible beside the memory time. */
LADDER(g_blocks, .name = "blocks", .title = "the largest of n numbers, by blocks that communicate",
       .n = (size_t)1 << 21, .counts = "elements", .bytes = bytes, .views = views);
