/* SPDX-License-Identifier: MIT */
/* The problem of scan.cu: prefix sums of n floats. */
#include "samples/patterns/patterns.h"

#include <math.h>

DECLARE_RUNG(scan_one_thread_per_output);
DECLARE_RUNG(scan_kogge_stone);
DECLARE_RUNG(scan_kogge_stone_double_buffer);
DECLARE_RUNG(scan_warp_shuffles);
DECLARE_RUNG(scan_brent_kung);
DECLARE_RUNG(scan_exclusive_by_shifted_load);
DECLARE_RUNG(scan_three_kernel_kogge_stone);
DECLARE_RUNG(scan_three_kernel_brent_kung);
DECLARE_RUNG(scan_three_kernel_rows);
DECLARE_RUNG(scan_single_pass);
DECLARE_RUNG(scan_single_pass_look_back);
DECLARE_RUNG(scan_single_pass_warp_look_back);

enum { INCLUSIVE, EXCLUSIVE };
enum { BLOCK = 512, ROW = 15, TILE = 256 * ROW }; /* as in scan.cu */

static const size_t checked[] = {0,   1,   2,   31,   32,       33,   255,      257,
                                 511, 512, 513, 1025, TILE - 1, TILE, TILE + 1, 2 * TILE + 7};

/* The temporary storage is for the totals of blocks, and of blocks of them, or for a word of 64 bits for each tile; a
 * few more for what is there once. */
static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes =
        (struct sizes){.in = {n * sizeof(float)}, .out = n * sizeof(float), .temp = (n / 256 + 64) * sizeof(uint64_t)};
}

/* A number below 4096 for each place. */
static int level(size_t i)
{
    return (int)((uint32_t)i * 2654435761u >> 7 & 4095);
}

/* The differences of levels: any run of them adds up to less than 4096, exactly, in whatever order. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *x = in[0];
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(level(i + 1) - level(i));
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *x = in[0];
    float *prefix = out, sum = 0;
    for (size_t i = 0; i < n; i++) {
        prefix[i] = parameter == INCLUSIVE ? sum + x[i] : sum;
        sum += x[i];
    }
}

static void sequential(struct call *call)
{
    reference(call->n, call->parameter, call->in, call->out);
}

static double bytes(size_t n, unsigned parameter)
{
    (void)parameter;
    return 2.0 * (double)n * sizeof(float);
}

static double sequential_operations(double n)
{
    return n - 1;
}

static double naive_operations(double n)
{
    return n * (n - 1) / 2;
}

static double kogge_stone_operations(double n)
{
    return n * log2(n) - (n - 1);
}

static double kogge_stone_steps(double n)
{
    return log2(n);
}

/* Kogge-Stone in each warp and on the warps' totals, then one addition in all warps but the first. */
static double warp_operations(double n)
{
    return n / 32 * kogge_stone_operations(32) + kogge_stone_operations(n / 32) + (n - 32);
}

static double warp_steps(double n)
{
    return 5 + log2(n / 32) + 1;
}

static double brent_kung_operations(double n)
{
    return 2 * (n - 1) - log2(n);
}

static double brent_kung_steps(double n)
{
    return 2 * log2(n) - 1;
}

/* Of blocks of `each` elements, their totals, the totals of these, ... with one addition for each element on the way
 * back; `of_block` are one block's. */
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

static double three_kogge_stone_operations(double n)
{
    return operations_by_levels(n, BLOCK, kogge_stone_operations(BLOCK));
}

static double three_kogge_stone_steps(double n)
{
    return steps_by_levels(n, BLOCK, kogge_stone_steps(BLOCK));
}

static double three_brent_kung_operations(double n)
{
    return operations_by_levels(n, BLOCK, brent_kung_operations(BLOCK));
}

static double three_brent_kung_steps(double n)
{
    return steps_by_levels(n, BLOCK, brent_kung_steps(BLOCK));
}

/* A row added up, the rows of a warp, the warps, and the row once more. */
static double tile_steps(void)
{
    return ROW - 1 + 5 + 8 + ROW;
}

static double three_rows_steps(double n)
{
    return steps_by_levels(n, TILE, tile_steps());
}

/* The chain of tiles. */
static double single_pass_steps(double n)
{
    return tile_steps() + ceil(n / TILE);
}

static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    in[0] = (gpufilter_view){.width = n, .height = 1, .dtype = GPUFILTER_F32, .channels = 1};
    *ret_n_in = *ret_n_resident = 1;
}

static const struct rung rungs[] = {
    {.host = sequential,
     .name = "sequential",
     .operations = sequential_operations,
     .steps = sequential_operations,
     .about = "a loop of the host: each sum stands on the one before"},
    {RUNG_FORMS(scan_one_thread_per_output), .name = "one-thread-per-output", .max_n = (size_t)1 << 18,
     .operations = naive_operations, .steps = sequential_operations,
     .about = "every thread adds up its whole prefix; limited by n^2/2 additions"},
    {RUNG_FORMS(scan_kogge_stone), .name = "kogge-stone", .begins = true, .max_n = BLOCK,
     .operations = kogge_stone_operations, .steps = kogge_stone_steps,
     .about = "one block adds at distances 1, 2, 4, ..., in place; two barriers per step"},
    {RUNG_FORMS(scan_kogge_stone_double_buffer), .name = "kogge-stone-double-buffer", .max_n = BLOCK,
     .operations = kogge_stone_operations, .steps = kogge_stone_steps,
     .about = "from one array to the other; one barrier per step"},
    {RUNG_FORMS(scan_warp_shuffles), .name = "warp-shuffles", .max_n = BLOCK, .operations = warp_operations,
     .steps = warp_steps, .about = "in registers within a warp, then over the warps' totals; two barriers in all"},
    {RUNG_FORMS(scan_brent_kung), .name = "brent-kung", .max_n = BLOCK, .operations = brent_kung_operations,
     .steps = brent_kung_steps, .about = "up and down a tree: fewer additions in more steps, with conflicts of banks"},
    {RUNG_FORMS(scan_exclusive_by_shifted_load), .name = "exclusive-by-shifted-load", .parameter = EXCLUSIVE,
     .max_n = BLOCK, .operations = kogge_stone_operations, .steps = kogge_stone_steps,
     .about = "the inclusive scan of the elements moved right by one"},
    {RUNG_FORMS(scan_three_kernel_kogge_stone), .name = "three-kernel-kogge-stone", .begins = true,
     .operations = three_kogge_stone_operations, .steps = three_kogge_stone_steps,
     .about = "any length: blocks, their totals, the sum; all data passes memory twice"},
    {RUNG_FORMS(scan_three_kernel_brent_kung), .name = "three-kernel-brent-kung",
     .operations = three_brent_kung_operations, .steps = three_brent_kung_steps,
     .about = "a quarter of the additions, twice the barriers"},
    {RUNG_FORMS(scan_three_kernel_rows), .name = "three-kernel-rows", .steps = three_rows_steps,
     .about = "15 elements in a row per thread, three barriers per tile; limited by memory, twice"},
    {RUNG_FORMS(scan_single_pass), .name = "single-pass", .steps = single_pass_steps,
     .about = "one read and one write; each tile waits for the prefix of the one before, a chain through the L2"},
    {RUNG_FORMS(scan_single_pass_look_back), .name = "single-pass-look-back",
     .about = "totals are published at once; one thread adds up those before until it meets a prefix"},
    {RUNG_FORMS(scan_single_pass_warp_look_back), .name = "single-pass-warp-look-back",
     .about = "a warp looks at 32 tiles at a time; limited by a tile's phases, one after the other"},
    {.program = "scan op=sum", .name = "product", .about = "the daemon's kernel"},
    {.program = "scan op=sum exclusive=1",
     .name = "product-exclusive",
     .parameter = EXCLUSIVE,
     .about = "the same, without each element's own"},
};

const struct ladder g_scan = {.name = "scan",
                              .title = "prefix sums of floats",
                              .n = (size_t)1 << 28,
                              .counts = "elements",
                              .checked = checked,
                              .n_checked = sizeof(checked) / sizeof(checked[0]),
                              .sizes = sizes,
                              .fill = fill,
                              .reference = reference,
                              .bytes = bytes,
                              .views = views,
                              .rungs = rungs,
                              .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
