/* SPDX-License-Identifier: MIT */
/*
 * Which thread takes which element of a matrix. All rungs multiply n rows of n elements by a constant, and differ in
 * how they turn blockIdx and threadIdx into a row and a column. A row begins `pitch` elements after the one before.
 */
#include "samples/patterns/kernel.h"

enum {
    FACTOR = 3,
    BLOCK = 256,
    SQUARE = 16, /* side of a square block; its square is BLOCK */
    WIDE = 32,   /* sides of a block with a whole warp along x */
    HIGH = 8
};

/*
 * one-element-per-block: the grid has the shape of the matrix, and each block is one thread. The indices could not be
 * simpler, but a multiprocessor schedules warps of 32 threads: 31 lanes of each are idle, and a block is started for
 * every element. Limited by the rate at which blocks start.
 */
static __global__ void one_element_per_block(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned row = blockIdx.y, column = blockIdx.x;
    if (row < n && column < n)
        out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_one_element_per_block,
        RUN(one_element_per_block, tiles_for(call->n, 1, 1), 1, call->in[0], call->out, (unsigned)call->n, call->n))

/*
 * row-wise-threads: full warps, and a thread for each row that walks along it. A loop on a CPU would be split like
 * this. The lanes of a warp are a row apart, so each load of a warp touches 32 lines to use 4 bytes of each. The rest
 * of each line serves the next 31 steps only if it is still in the cache by then. Uncoalesced, and only n threads.
 */
static __global__ void row_wise(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    for (unsigned column = 0; column < n; column++)
        out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_row_wise,
        RUN(row_wise, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, (unsigned)call->n, call->n))

/*
 * column-wise-threads: a thread for each column. Only rows and columns have changed places: at each step the lanes of a
 * warp now take neighbouring elements of one row, which are one line. Coalesced. Limited by latency: n threads, each
 * waiting for one load at a time, do not keep the memory busy.
 */
static __global__ void column_wise(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n)
        return;
    for (unsigned row = 0; row < n; row++)
        out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_column_wise,
        RUN(column_wise, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, (unsigned)call->n, call->n))

/*
 * div-mod: a thread for each element, numbered row by row along a grid of one dimension. There are enough threads to
 * hide the latency, and lanes are neighbours except where a row ends. The price is a division by a number that the
 * compiler does not know: some 20 instructions per element. A division of 64 bits would take several times as many, so
 * the index has 32.
 */
static __global__ void div_mod(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n)
        return;
    unsigned row = i / n, column = i % n;
    out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_div_mod,
        RUN(div_mod, blocks_for(call->n * call->n, BLOCK), BLOCK, call->in[0], call->out, (unsigned)call->n, call->n))

/*
 * grid-2d: a grid of two dimensions of blocks of two. The hardware counts rows and columns, so the division is gone.
 * Blocks on the right and lower edges have threads outside the matrix, which do nothing. Threads are numbered along x
 * first, so a warp of a block of 16 x 16 is two rows of 16: half a line from each of two rows.
 */
static __global__ void grid_2d(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && column < n)
        out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_grid_2d, RUN(grid_2d, tiles_for(call->n, SQUARE, SQUARE), plane(SQUARE, SQUARE), call->in[0],
                              call->out, (unsigned)call->n, call->n))

/*
 * blocks-2d-columns: x and y exchanged, an easy mistake where x is taken for the first index. A warp is now 32 rows of
 * one column, and uses 4 bytes from each of 32 lines. The 8 warps of a block use the same lines, so the caches can save
 * most of the traffic to memory, but each warp still takes 32 requests instead of one.
 */
static __global__ void blocks_2d_columns(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n)
        out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_blocks_2d_columns, RUN(blocks_2d_columns, tiles_for(call->n, WIDE, HIGH), plane(WIDE, HIGH),
                                        call->in[0], call->out, (unsigned)call->n, call->n))

/*
 * blocks-2d-rows: the kernel of grid-2d in blocks of 32 x 8. A warp is 32 neighbours of one row: one line, if rows
 * start on a line. This is the rule for two dimensions: x runs along the row, and a block is a multiple of 32 wide.
 * Limited by memory or, where that is fast, by threads that have only 4 bytes on their way each.
 */
RUNG_IS(indexing_blocks_2d_rows, RUN(grid_2d, tiles_for(call->n, WIDE, HIGH), plane(WIDE, HIGH), call->in[0], call->out,
                                     (unsigned)call->n, call->n))

/*
 * folded-columns: a block of one dimension, which the kernel folds into a square of sqrt(blockDim.x) threads by itself.
 * The side is a constant and a power of two, so the division and the remainder are a shift and a mask. Consecutive
 * threads go down a column, so a warp is two columns of 16 rows and uses 8 bytes from each of 16 lines.
 */
static __global__ void folded_columns(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned row = blockIdx.y * SQUARE + threadIdx.x % SQUARE, column = blockIdx.x * SQUARE + threadIdx.x / SQUARE;
    if (row < n && column < n)
        out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_folded_columns, RUN(folded_columns, tiles_for(call->n, SQUARE, SQUARE), BLOCK, call->in[0], call->out,
                                     (unsigned)call->n, call->n))

/*
 * folded-rows: quotient and remainder exchanged. Consecutive threads go along a row, and a warp is two rows of 16, as
 * in grid-2d. What counts is the addresses of a warp, not the shape of the block at the launch. Limited like
 * blocks-2d-rows.
 */
static __global__ void folded_rows(const float *in, float *out, unsigned n, size_t pitch)
{
    unsigned row = blockIdx.y * SQUARE + threadIdx.x / SQUARE, column = blockIdx.x * SQUARE + threadIdx.x % SQUARE;
    if (row < n && column < n)
        out[row * pitch + column] = FACTOR * in[row * pitch + column];
}

RUNG_IS(indexing_folded_rows,
        RUN(folded_rows, tiles_for(call->n, SQUARE, SQUARE), BLOCK, call->in[0], call->out, (unsigned)call->n, call->n))
