/* SPDX-License-Identifier: MIT */
/* The problem of scan.cu: prefix sums of n floats. */
#include "scan.cu"
#include "samples/patterns/patterns.h"

#include <math.h>

enum { INCLUSIVE, EXCLUSIVE };

static const size_t checked[] = {0,   1,   2,   31,   32,       33,   255,      257,
                                 511, 512, 513, 1025, TILE - 1, TILE, TILE + 1, 2 * TILE + 7};

/* The temporary storage has room for the totals of blocks and the totals of totals, or for a word of 64 bits for each
 * tile, and for a few single words. */
SIZES(.in = {n * sizeof(float)}, .out = n * sizeof(float), .temp = (n / 256 + 64) * sizeof(uint64_t))

/* A number below 4096 for each place. */
static int level(size_t i)
{
    return (int)((uint32_t)i * 2654435761u >> 7 & 4095);
}

/* The input: the differences of these levels. Any run of them adds up to less than 4096, exactly, in every order. */
FILL(float, n, (float)(level(i + 1) - level(i)))

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *x = in[0];
    float *prefix = out, sum = 0;
    for (size_t i = 0; i < n; i++) {
        prefix[i] = parameter == INCLUSIVE ? sum + x[i] : sum;
        sum += x[i];
    }
}

PLAIN_LOOP(sequential)

TRAFFIC(bytes, 2.0 * (double)n * sizeof(float))

FORMULA(sequential_operations, n - 1)
FORMULA(naive_operations, n *(n - 1) / 2)
FORMULA(kogge_stone_operations, n *log2(n) - (n - 1))
FORMULA(kogge_stone_steps, log2(n))

/* Kogge-Stone in each warp and on the warps' totals, then one addition in all warps but the first. */
FORMULA(warp_operations, n / 32 * kogge_stone_operations(32) + kogge_stone_operations(n / 32) + (n - 32))
FORMULA(warp_steps, 5 + log2(n / 32) + 1)
FORMULA(brent_kung_operations, 2 * (n - 1) - log2(n))
FORMULA(brent_kung_steps, 2 * log2(n) - 1)

/* Blocks of `each` elements, their totals, the totals of these, and so on, with one addition per element on the way
 * back; `of_block` is the work of one block. */
static double operations_by_levels(double n, double each, double of_block)
{
    double blocks = ceil(n / each), all = blocks * of_block;
    for (; blocks > 1; n = blocks, blocks = ceil(n / each), all += blocks * of_block)
        all += n - each;
    return all;
}

static double steps_by_levels(double n, double each, double of_block)
{
    double steps = of_block;
    for (n = ceil(n / each); n > 1; n = ceil(n / each))
        steps += of_block + 1;
    return steps;
}

FORMULA(three_kogge_stone_operations, operations_by_levels(n, BLOCK, kogge_stone_operations(BLOCK)))
FORMULA(three_kogge_stone_steps, steps_by_levels(n, BLOCK, kogge_stone_steps(BLOCK)))
FORMULA(three_brent_kung_operations, operations_by_levels(n, BLOCK, brent_kung_operations(BLOCK)))
FORMULA(three_brent_kung_steps, steps_by_levels(n, BLOCK, brent_kung_steps(BLOCK)))

/* A row added up, the rows of a warp, the warps, and the row once more. */
static double tile_steps(void)
{
    return ROW - 1 + 5 + 8 + ROW;
}

FORMULA(three_rows_steps, steps_by_levels(n, TILE, tile_steps()))

/* The chain of tiles. */
FORMULA(single_pass_steps, tile_steps() + ceil(n / TILE))

VIEWS(1, PICTURE(n, 1, GPUFILTER_F32))

static const struct rung rungs[] = {
    HOST(sequential, "sequential", "a loop of the host: each sum depends on the one before",
         WORK(sequential_operations, sequential_operations)),
    KERNEL(scan_one_thread_per_output, "one-thread-per-output",
           "every thread adds up its whole prefix; limited by n^2/2 additions", .max_n = (size_t)1 << 18,
           WORK(naive_operations, sequential_operations)),
    KERNEL(scan_kogge_stone, "kogge-stone", "one block adds at distances 1, 2, 4, ..., in place; two barriers per step",
           .begins = true, .max_n = BLOCK, WORK(kogge_stone_operations, kogge_stone_steps)),
    KERNEL(scan_kogge_stone_double_buffer, "kogge-stone-double-buffer",
           "from one array to the other; one barrier per step", .max_n = BLOCK,
           WORK(kogge_stone_operations, kogge_stone_steps)),
    KERNEL(scan_warp_shuffles, "warp-shuffles",
           "in registers within a warp, then over the warps' totals; two barriers in all", .max_n = BLOCK,
           WORK(warp_operations, warp_steps)),
    KERNEL(scan_brent_kung, "brent-kung", "up and down a tree: fewer additions in more steps, with conflicts of banks",
           .max_n = BLOCK, WORK(brent_kung_operations, brent_kung_steps)),
    KERNEL(scan_exclusive_by_shifted_load, "exclusive-by-shifted-load",
           "the inclusive scan of the elements shifted right by one", .parameter = EXCLUSIVE, .max_n = BLOCK,
           WORK(kogge_stone_operations, kogge_stone_steps)),
    KERNEL(scan_three_kernel_kogge_stone, "three-kernel-kogge-stone",
           "any length: blocks, their totals, the sum; all data passes memory twice", .begins = true,
           WORK(three_kogge_stone_operations, three_kogge_stone_steps)),
    KERNEL(scan_three_kernel_brent_kung, "three-kernel-brent-kung", "a quarter of the additions, twice the barriers",
           WORK(three_brent_kung_operations, three_brent_kung_steps)),
    KERNEL(scan_three_kernel_rows, "three-kernel-rows",
           "15 elements in a row per thread, three barriers per tile; limited by memory, twice",
           .steps = three_rows_steps),
    KERNEL(scan_single_pass, "single-pass",
           "one read and one write; each tile waits for the prefix of the one before, a chain through the L2",
           .steps = single_pass_steps),
    KERNEL(scan_single_pass_look_back, "single-pass-look-back",
           "totals are published at once; one thread adds up those before until it meets a prefix"),
    KERNEL(scan_single_pass_warp_look_back, "single-pass-warp-look-back",
           "a warp looks at 32 tiles at a time; limited by a tile's phases, one after the other"),
    PRODUCT("scan op=sum", "product", "the daemon's kernel"),
    PRODUCT("scan op=sum exclusive=1", "product-exclusive", "the same, without each element's own",
            .parameter = EXCLUSIVE),
};

LADDER(g_scan, .name = "scan", .title = "prefix sums of floats", .n = (size_t)1 << 28, .counts = "elements",
       .bytes = bytes, .views = views);
