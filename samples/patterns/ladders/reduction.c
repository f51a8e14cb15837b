/* SPDX-License-Identifier: MIT */
/* The problem of reduction.cu: the sum of n floats. The floats are small integers of both signs, so no order of
 * additions rounds. None is 0, so a number that is left out shows. */
#include <math.h>

#include "reduction.cu"
#include "samples/patterns/patterns.h"

static const size_t checked[] = {0, 1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 512, 513, 1000, 4096, 4097, 10007};

/* The partial sums of the smallest blocks, of the blocks of fold, and of a fixed grid. */
SIZES(.in = {n * sizeof(float)}, .out = sizeof(float), .temp = (n / BLOCK * 2 + GRID * 2) * sizeof(float))

static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *x = in[0];
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = ((uint32_t)i + 1) * 2654435761u;
        bits = (bits ^ bits >> 15) * 2246822519u;
        int number = 1 + (int)(bits >> 30);
        x[i] = (float)(bits >> 29 & 1u ? number : -number);
    }
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    const float *x = in[0];
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (int64_t)x[i];
    *(float *)out = (float)sum;
}

/* sequential: each addition waits for the one before. */
static void sequential(struct call *call)
{
    const float *x = call->in[0];
    float sum = 0;
    for (size_t i = 0; i < call->n; i++)
        sum += x[i];
    *(float *)call->out = sum;
}

TRAFFIC(bytes, (double)n * sizeof(float))

VIEWS(1, PICTURE(n, 1, GPUFILTER_F32))

FORMULA(all_but_one, n > 1 ? n - 1 : 0)

/* A tree of pairs. The extra steps of finish(), which save launches, are not counted. */
FORMULA(tree_steps, n > 1 ? ceil(log2(n)) : 0)

/* Each thread of a fixed grid adds its share, then a tree over the threads. */
static double grid_steps(double n)
{
    double threads = (double)BLOCK * GRID;
    return n > threads ? ceil(n / threads) - 1 + tree_steps(threads) : tree_steps(n);
}

/* As before, with eight numbers of a thread at a time, added to four independent sums. */
static double four_steps(double n)
{
    double threads = (double)BLOCK * GRID;
    return n > 8 * threads ? ceil(n / (8 * threads)) + 2 + tree_steps(threads) : tree_steps(n);
}

/* As before, to one sum per block, then one block after the other. */
FORMULA(grid_then_blocks, n > 8.0 * BLOCK * GRID ? four_steps(n) - tree_steps(GRID) + GRID - 1 : tree_steps(n))

/* The steps of fold: at each level a thread adds 16 numbers, then a tree over the block. */
static double recursive_steps(double n)
{
    double steps = 0;
    for (; n > 1; n = ceil(n / TILE))
        steps += (double)TILE / BLOCK - 1 + tree_steps(BLOCK);
    return steps;
}

FORMULA(one_block_steps, n > LARGE ? ceil(n / LARGE) - 1 + tree_steps(LARGE) : tree_steps(n))
FORMULA(padded_operations, 6 * 32)
FORMULA(padded_steps, 6)

static const struct rung rungs[] = {
    HOST(sequential, "sequential", "a loop of the host; each addition waits for the one before",
         WORK(all_but_one, all_but_one)),
    KERNEL(reduction_interleaved_modulo, "interleaved-modulo",
           "a tree in shared memory over pairs of neighbours; warps diverge, and % is slow",
           WORK(all_but_one, tree_steps)),
    KERNEL(reduction_strided_index, "strided-index",
           "the first threads add: no divergence, but bank conflicts, up to 8 threads to a bank",
           WORK(all_but_one, tree_steps)),
    KERNEL(reduction_sequential_addressing, "sequential-addressing",
           "neighbouring threads read neighbouring words: no conflicts; half of the threads only load",
           WORK(all_but_one, tree_steps)),
    KERNEL(reduction_first_add_on_load, "first-add-on-load",
           "two loads and an addition before the tree, half the blocks; barriers remain",
           WORK(all_but_one, tree_steps)),
    KERNEL(reduction_unrolled_last_warp, "unrolled-last-warp",
           "the last six steps in one warp, with __syncwarp instead of barriers of the block",
           WORK(all_but_one, tree_steps)),
    KERNEL(reduction_fully_unrolled, "fully-unrolled",
           "the block's size is a constant and no loop is left; one short tree for every 512 numbers",
           WORK(all_but_one, tree_steps)),
    KERNEL(reduction_grid_stride, "grid-stride",
           "as many blocks as fit at once, many numbers for each thread, four loads at once, one tree for each block",
           WORK(all_but_one, grid_steps)),
    KERNEL(reduction_warp_shuffles, "warp-shuffles", "the last warp exchanges registers instead of shared memory",
           WORK(all_but_one, grid_steps)),
    KERNEL(reduction_registers_only, "registers-only",
           "two loads of 16 bytes at once, four sums in registers, one shared word for each warp",
           WORK(all_but_one, four_steps)),
    KERNEL(reduction_two_kernels, "two-kernels",
           "the same kernel with one block adds the partial sums; two launches at every size",
           WORK(all_but_one, four_steps)),
    KERNEL(reduction_last_block, "last-block", "one launch: the block that counts itself last adds the partial sums",
           WORK(all_but_one, four_steps)),
    KERNEL(reduction_recursive, "recursive", "blocks of a fixed share, launched again until one number is left",
           WORK(all_but_one, recursive_steps)),
    KERNEL(reduction_host_finish, "host-finish", "the host adds the partial sums; the GPU waits for two copies",
           WORK(all_but_one, grid_then_blocks)),
    KERNEL(reduction_global_atomic, "global-atomic",
           "one atomic addition for each block; the order, and so the rounding, changes with each run",
           WORK(all_but_one, grid_then_blocks)),
    KERNEL(reduction_padded_single_warp, "padded-single-warp",
           "up to 64 numbers in one warp, padded with 0 so that no step needs a test", .begins = true, .max_n = 64,
           WORK(padded_operations, padded_steps)),
    KERNEL(reduction_warps_in_block, "warps-in-block",
           "one block: each warp reduces, the first one finishes; limited by one multiprocessor", .begins = true,
           WORK(all_but_one, one_block_steps)),
    PRODUCT("reduce op=sum", "product",
            "the daemon's kernel; it adds in f64, in an order that does not depend on the GPU", .begins = true,
            .operations = all_but_one),
};

LADDER(g_reduction, .name = "reduction", .title = "sum of an array of float", .n = (size_t)1 << 28, .counts = "numbers",
       .bytes = bytes, .views = views);
