/* SPDX-License-Identifier: MIT */
/* The problem of reduction.cu: the sum of n floats. They are small whole numbers of both signs, so that no order of
 * additions rounds, and none is 0, so that one that is left out shows. */
#include <math.h>

#include "samples/patterns/patterns.h"

DECLARE_RUNG(reduction_interleaved_modulo);
DECLARE_RUNG(reduction_strided_index);
DECLARE_RUNG(reduction_sequential_addressing);
DECLARE_RUNG(reduction_first_add_on_load);
DECLARE_RUNG(reduction_unrolled_last_warp);
DECLARE_RUNG(reduction_fully_unrolled);
DECLARE_RUNG(reduction_grid_stride);
DECLARE_RUNG(reduction_warp_shuffles);
DECLARE_RUNG(reduction_registers_only);
DECLARE_RUNG(reduction_two_kernels);
DECLARE_RUNG(reduction_last_block);
DECLARE_RUNG(reduction_recursive);
DECLARE_RUNG(reduction_host_finish);
DECLARE_RUNG(reduction_global_atomic);
DECLARE_RUNG(reduction_padded_single_warp);
DECLARE_RUNG(reduction_warps_in_block);

enum { BLOCK = 256, TILE = 16 * BLOCK, GRID = 1024, LARGE = 1024 }; /* as in reduction.cu */

static const size_t checked[] = {0, 1, 2, 31, 32, 33, 64, 65, 255, 256, 257, 512, 513, 1000, 4096, 4097, 10007};

/* The partial sums of the smallest blocks, of those of fold, and of a fixed grid. */
static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes = (struct sizes){
        .in = {n * sizeof(float)}, .out = sizeof(float), .temp = (n / BLOCK * 2 + GRID * 2) * sizeof(float)};
}

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

/* sequential: one addition waits for the one before. */
static void sequential(struct call *call)
{
    const float *x = call->in[0];
    float sum = 0;
    for (size_t i = 0; i < call->n; i++)
        sum += x[i];
    *(float *)call->out = sum;
}

static double bytes(size_t n, unsigned parameter)
{
    (void)parameter;
    return (double)n * sizeof(float);
}

static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    in[0] = (gpufilter_view){.width = n, .height = 1, .dtype = GPUFILTER_F32, .channels = 1};
    *ret_n_in = *ret_n_resident = 1;
}

static double all_but_one(double n)
{
    return n > 1 ? n - 1 : 0;
}

/* A tree of pairs. What finish() does a little slower, to launch less, is not counted. */
static double tree_steps(double n)
{
    return n > 1 ? ceil(log2(n)) : 0;
}

/* Each thread of a fixed grid adds its share, then a tree over the threads. */
static double grid_steps(double n)
{
    double threads = (double)BLOCK * GRID;
    return n > threads ? ceil(n / threads) - 1 + tree_steps(threads) : tree_steps(n);
}

/* The same with eight numbers of a thread at a time, to four sums that go on side by side. */
static double four_steps(double n)
{
    double threads = (double)BLOCK * GRID;
    return n > 8 * threads ? ceil(n / (8 * threads)) + 2 + tree_steps(threads) : tree_steps(n);
}

/* The same to one sum for a block, then one block after the other. */
static double grid_then_blocks(double n)
{
    return n > 8.0 * BLOCK * GRID ? four_steps(n) - tree_steps(GRID) + GRID - 1 : tree_steps(n);
}

/* Of fold: in each level a thread adds 16 numbers, then a tree over the block. */
static double recursive_steps(double n)
{
    double steps = 0;
    for (; n > 1; n = ceil(n / TILE))
        steps += (double)TILE / BLOCK - 1 + tree_steps(BLOCK);
    return steps;
}

static double one_block_steps(double n)
{
    return n > LARGE ? ceil(n / LARGE) - 1 + tree_steps(LARGE) : tree_steps(n);
}

static double padded_operations(double n)
{
    (void)n;
    return 6 * 32;
}

static double padded_steps(double n)
{
    (void)n;
    return 6;
}

static const struct rung rungs[] = {
    {.host = sequential,
     .name = "sequential",
     .operations = all_but_one,
     .steps = all_but_one,
     .about = "a loop of the host; each addition waits for the one before"},
    {RUNG_FORMS(reduction_interleaved_modulo), .name = "interleaved-modulo", .operations = all_but_one,
     .steps = tree_steps, .about = "a tree in shared memory over pairs of neighbours; warps diverge, and % is slow"},
    {RUNG_FORMS(reduction_strided_index), .name = "strided-index", .operations = all_but_one, .steps = tree_steps,
     .about = "the first threads add: no divergence, but bank conflicts, up to 8 threads to a bank"},
    {RUNG_FORMS(reduction_sequential_addressing), .name = "sequential-addressing", .operations = all_but_one,
     .steps = tree_steps,
     .about = "neighbouring threads read neighbouring words: no conflicts; half of the threads only load"},
    {RUNG_FORMS(reduction_first_add_on_load), .name = "first-add-on-load", .operations = all_but_one,
     .steps = tree_steps, .about = "two loads and an addition before the tree, half the blocks; barriers remain"},
    {RUNG_FORMS(reduction_unrolled_last_warp), .name = "unrolled-last-warp", .operations = all_but_one,
     .steps = tree_steps, .about = "the last six steps in one warp, with __syncwarp instead of barriers of the block"},
    {RUNG_FORMS(reduction_fully_unrolled), .name = "fully-unrolled", .operations = all_but_one, .steps = tree_steps,
     .about = "the block's size is a constant and no loop is left; one short tree for every 512 numbers"},
    {RUNG_FORMS(reduction_grid_stride), .name = "grid-stride", .operations = all_but_one, .steps = grid_steps,
     .about = "a fixed grid, many numbers for each thread, four loads at once, one tree for each block"},
    {RUNG_FORMS(reduction_warp_shuffles), .name = "warp-shuffles", .operations = all_but_one, .steps = grid_steps,
     .about = "the last warp exchanges registers instead of shared memory"},
    {RUNG_FORMS(reduction_registers_only), .name = "registers-only", .operations = all_but_one, .steps = four_steps,
     .about = "two loads of 16 bytes at once, four sums in registers, one shared word for each warp"},
    {RUNG_FORMS(reduction_two_kernels), .name = "two-kernels", .operations = all_but_one, .steps = four_steps,
     .about = "the same kernel with one block adds the partial sums; two launches at every size"},
    {RUNG_FORMS(reduction_last_block), .name = "last-block", .operations = all_but_one, .steps = four_steps,
     .about = "one launch: the block that counts itself last adds the partial sums"},
    {RUNG_FORMS(reduction_recursive), .name = "recursive", .operations = all_but_one, .steps = recursive_steps,
     .about = "blocks of a fixed share, launched again until one number is left"},
    {RUNG_FORMS(reduction_host_finish), .name = "host-finish", .operations = all_but_one, .steps = grid_then_blocks,
     .about = "the host adds the partial sums; the GPU waits for two copies"},
    {RUNG_FORMS(reduction_global_atomic), .name = "global-atomic", .operations = all_but_one, .steps = grid_then_blocks,
     .about = "one atomic addition for each block; the order, and so the rounding, changes with each run"},
    {RUNG_FORMS(reduction_padded_single_warp), .name = "padded-single-warp", .begins = true, .max_n = 64,
     .operations = padded_operations, .steps = padded_steps,
     .about = "up to 64 numbers in one warp, padded with 0 so that no step needs a test"},
    {RUNG_FORMS(reduction_warps_in_block), .name = "warps-in-block", .begins = true, .operations = all_but_one,
     .steps = one_block_steps,
     .about = "one block: each warp reduces, the first one finishes; limited by one multiprocessor"},
    {.program = "reduce op=sum",
     .name = "product",
     .begins = true,
     .operations = all_but_one,
     .about = "the daemon's kernel; it adds in f64, in an order that does not depend on the GPU"},
};

const struct ladder g_reduction = {.name = "reduction",
                                   .title = "sum of an array of float",
                                   .n = (size_t)1 << 28,
                                   .counts = "numbers",
                                   .checked = checked,
                                   .n_checked = sizeof(checked) / sizeof(checked[0]),
                                   .sizes = sizes,
                                   .fill = fill,
                                   .reference = reference,
                                   .bytes = bytes,
                                   .views = views,
                                   .rungs = rungs,
                                   .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
