/* SPDX-License-Identifier: MIT */
/*
 * Bank conflicts. Shared memory has 32 banks: word w lies in bank w % 32, and a bank delivers one word at a time. A
 * warp that needs several words of one bank gets them one after the other; lanes that need the same word share it. The
 * first rungs read a tile of shared memory many times, each with its own stride; the last ones transpose a matrix.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 1024, /* threads, and words of the tile */
    ROUNDS = 256, /* reads of a thread */
    TILE = 32     /* rows and columns of a tile of the matrix: a warp, and all banks */
};

/*
 * Every thread sums ROUNDS consecutive words of the tile, starting at word threadIdx.x * stride; after the last word it
 * wraps around to the first. In every round, neighbouring lanes read words that are `stride` apart, so a warp uses
 * 32 / gcd(stride, 32) banks, and its read takes gcd(stride, 32) passes.
 *
 * stride-1 uses all 32 banks. stride-2 uses 16 and needs two words of each; stride-4, -8 and -16 use 8, 4 and 2, and
 * stride-32 uses one: the warp takes as long as 32 reads of one lane. stride-33 moves on by one bank from lane to lane,
 * as stride-1 does: one word of padding after each 32 removes the conflicts of stride-32. broadcast is stride 0: all
 * lanes need the same word, which takes one pass. Limited by shared memory: a round is one read and one addition, and
 * global memory is read once for all rounds. The compiler cannot drop the reads, because the sums are results.
 *
 * The tile repeats its first ROUNDS words at its end, so the wrap needs no remainder.
 */
static __global__ void strided_sums(const float *in, float *out, size_t n, unsigned stride)
{
    __shared__ float tile[BLOCK + ROUNDS];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float value = i < n ? in[i] : 0;
    tile[threadIdx.x] = value;
    if (threadIdx.x < ROUNDS)
        tile[BLOCK + threadIdx.x] = value;
    __syncthreads(); /* the whole tile is written */
    const float *words = tile + threadIdx.x * stride % BLOCK;
    float sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        sum += words[round];
    if (i < n)
        out[i] = sum;
}

RUNG(bank_conflicts_stride)
{
    size_t n = call->n * call->n;
    RUN(strided_sums, blocks_for(n, BLOCK), BLOCK, call->in[0], call->out, n, call->parameter);
}

/*
 * transpose-naive: each thread moves one element from (row, column) to (column, row). A warp reads 32 neighbours of a
 * row and writes them to a column: it reads one line and writes 4 bytes to each of 32. Whichever way the threads are
 * laid out, either the reads or the writes are uncoalesced.
 */
static __global__ void transpose_naive(const float *in, float *out, unsigned n)
{
    unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < n && column < n)
        out[(size_t)column * n + row] = in[(size_t)row * n + column];
}

/*
 * transpose-shared: a block turns its tile in shared memory. It reads rows of the matrix and writes rows of the result,
 * both coalesced; columns are read from shared memory alone. The rows of the tile are 32 words apart, so a column lies
 * in one bank: a 32-way conflict. Limited by these reads, or by memory where that takes longer.
 */
static __global__ void transpose_shared(const float *in, float *out, unsigned n)
{
    __shared__ float tile[TILE][TILE];
    unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < n && column < n)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * n + column];
    __syncthreads(); /* the whole tile is written */
    row = blockIdx.x * TILE + threadIdx.y;
    column = blockIdx.y * TILE + threadIdx.x;
    if (row < n && column < n)
        out[(size_t)row * n + column] = tile[threadIdx.x][threadIdx.y];
}

/*
 * transpose-padded: rows of the tile are 33 words apart. The words of a column now lie in 32 different banks, and the
 * words of a row still do, so neither reads nor writes conflict. One word of each 33 is never used. Limited by the
 * barrier: no element of a tile is written before all of the tile has been read.
 */
static __global__ void transpose_padded(const float *in, float *out, unsigned n)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    if (row < n && column < n)
        tile[threadIdx.y][threadIdx.x] = in[(size_t)row * n + column];
    __syncthreads(); /* the whole tile is written */
    row = blockIdx.x * TILE + threadIdx.y;
    column = blockIdx.y * TILE + threadIdx.x;
    if (row < n && column < n)
        out[(size_t)row * n + column] = tile[threadIdx.x][threadIdx.y];
}

RUNG_IS(bank_conflicts_transpose_naive, RUN(transpose_naive, tiles_for(call->n, TILE, TILE), plane(TILE, TILE),
                                            call->in[0], call->out, (unsigned)call->n))

RUNG_IS(bank_conflicts_transpose_shared, RUN(transpose_shared, tiles_for(call->n, TILE, TILE), plane(TILE, TILE),
                                             call->in[0], call->out, (unsigned)call->n))

RUNG_IS(bank_conflicts_transpose_padded, RUN(transpose_padded, tiles_for(call->n, TILE, TILE), plane(TILE, TILE),
                                             call->in[0], call->out, (unsigned)call->n))
