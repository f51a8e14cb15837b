/* SPDX-License-Identifier: MIT */
/*
 * C = A B for square matrices of n x n floats, row by row in memory. Every rung makes n^3 multiplications and as many
 * additions. The rungs differ in how many threads work at once, and then in how often a multiprocessor fetches an
 * element of A or B from the L2 cache or from memory: n times per element in the first rung, n / 64 times in the last.
 */
#include "samples/patterns/kernel.h"

enum { WARP = 32 };

/* Runs a kernel whose blocks of threads each compute a tile of C. */
static void multiply(struct call *call, void (*kernel)(const float *a, const float *b, float *c, unsigned n), dim3 tile,
                     dim3 block)
{
    RUN(kernel, tiles_for(call->n, tile.x, tile.y), block, call->in[0], call->in[1], call->out, (unsigned)call->n);
}

/*
 * block-per-element: the grid has the shape of C, and each block computes one element. A block has one thread, so 31 of
 * the 32 lanes of its warp are idle. A multiprocessor holds at most 32 blocks, so 32 threads run where 2048 could.
 * Limited by latency: too few loads are in flight at any time.
 */
static __global__ void block_per_element(const float *a, const float *b, float *c, unsigned n)
{
    const unsigned row = blockIdx.y, col = blockIdx.x;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + col];
    c[(size_t)row * n + col] = sum;
}

RUNG_IS(matrix_product_block_per_element, multiply(call, block_per_element, plane(1, 1), plane(1, 1)))

/*
 * warp-per-element: the block is a warp. Each lane takes every 32nd product, and five shuffles add the lanes' sums. All
 * lanes work now, and 32 neighbouring elements of A are read at a time. The reads of B are not coalesced: lanes read a
 * column, with n floats between neighbours, so each load touches 32 sectors of 32 bytes and uses 4 bytes of each.
 * Limited by these sectors.
 */
static __global__ void warp_per_element(const float *a, const float *b, float *c, unsigned n)
{
    const unsigned row = blockIdx.y, col = blockIdx.x;
    if (row >= n || col >= n) /* the whole warp */
        return;
    float sum = 0;
    for (unsigned k = threadIdx.x; k < n; k += WARP)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + col];
    for (unsigned half = WARP / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x == 0)
        c[(size_t)row * n + col] = sum;
}

RUNG_IS(matrix_product_warp_per_element, multiply(call, warp_per_element, plane(1, 1), plane(WARP, 1)))

/*
 * row-piece: a block computes P elements of a row, one per thread. At each k the lanes read neighbouring elements of a
 * row of B, one line of 128 bytes, and all lanes read the same element of A, which is one broadcast. Threads exchange
 * nothing.
 *
 * With P = 128 each warp reads whole lines. With P = 100 the last of a block's four warps has 4 lanes, pieces begin in
 * the middle of a line, and the last piece of a row is shorter unless 100 divides n: the test of col keeps its threads
 * out of the next row. Limited by loads: two for each multiplication, and each element of B is fetched n times.
 */
static __global__ void row_piece(const float *a, const float *b, float *c, unsigned n)
{
    const unsigned row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + col];
    c[(size_t)row * n + col] = sum;
}

RUNG_IS(matrix_product_row_piece, multiply(call, row_piece, plane(128, 1), plane(128, 1)))

RUNG_IS(matrix_product_row_piece_uneven, multiply(call, row_piece, plane(100, 1), plane(100, 1)))

/*
 * tile: a block computes P rows and Q columns. At each k it needs Q elements of B and P elements of A for P x Q
 * products, where the row piece needed Q elements and 1 element for Q products: the rows of the block read the same
 * piece of B, and the L1 cache serves all but the first. How long the piece stays in L1 is not guaranteed, because the
 * warps of a block do not run in step. 32 x 8 divides n = 4096; neither side of 24 x 10 does, and a warp then covers
 * parts of two rows, so it reads two pieces of B instead of one line. Limited by loads: still two for each
 * multiplication, though now from L1.
 */
static __global__ void tile(const float *a, const float *b, float *c, unsigned n)
{
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += a[(size_t)row * n + k] * b[(size_t)k * n + col];
    c[(size_t)row * n + col] = sum;
}

RUNG_IS(matrix_product_tile, multiply(call, tile, plane(32, 8), plane(32, 8)))

RUNG_IS(matrix_product_tile_uneven, multiply(call, tile, plane(24, 10), plane(24, 10)))

/*
 * shared-tiled: the block loads a square of A and a square of B into shared memory, adds their products, and moves on
 * along k. What the L1 cache did by chance is now guaranteed: the block fetches an element once and uses it 32 times,
 * so each element is fetched n / 32 times. Elements outside the matrices count as 0, which adds nothing, so every
 * thread reaches every barrier. A warp reads one element of s_a, a broadcast, and 32 neighbours of s_b, one per bank.
 * Limited by loads from shared memory: two for each multiplication.
 */
enum { SQUARE = 32 };

static __global__ void shared_tiled(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float s_a[SQUARE][SQUARE], s_b[SQUARE][SQUARE];
    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned row = blockIdx.y * SQUARE + ty, col = blockIdx.x * SQUARE + tx;
    float sum = 0;
    for (unsigned first = 0; first < n; first += SQUARE) {
        s_a[ty][tx] = row < n && first + tx < n ? a[(size_t)row * n + first + tx] : 0.0f;
        s_b[ty][tx] = first + ty < n && col < n ? b[(size_t)(first + ty) * n + col] : 0.0f;
        __syncthreads(); /* the squares are complete */
        for (unsigned k = 0; k < SQUARE; k++)
            sum += s_a[ty][k] * s_b[k][tx];
        __syncthreads(); /* all threads have read the squares before the next squares are stored */
    }
    if (row < n && col < n)
        c[(size_t)row * n + col] = sum;
}

RUNG_IS(matrix_product_shared_tiled, multiply(call, shared_tiled, plane(SQUARE, SQUARE), plane(SQUARE, SQUARE)))

/*
 * register-tiled: a thread computes 4 x 4 elements of C. For each k it loads 4 elements of A and 4 of B from shared
 * memory into registers and makes 16 multiplications with them: half a load per multiplication instead of two. A block
 * of 16 x 16 threads covers 64 x 64 elements, so each element of A and B is fetched n / 64 times. A thread's elements
 * are 16 apart: the lanes of a half warp read neighbours of s_b and write neighbours of C. Still limited by loads from
 * shared memory, and by the barriers: while a block waits for its next parts of A and B it multiplies nothing. The
 * product's kernel adds a larger register tile, wider loads, and double buffering: it loads the next parts while it
 * multiplies the current ones.
 */
enum {
    SIDE = 16,          /* threads along a side of a block */
    EACH = 4,           /* elements per thread, along a side */
    EDGE = SIDE * EACH, /* elements per block, along a side */
    DEPTH = 16          /* depth along k of a part of A and B */
};

static __global__ void register_tiled(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float s_a[EDGE][DEPTH], s_b[DEPTH][EDGE];
    const unsigned tx = threadIdx.x, ty = threadIdx.y, thread = ty * SIDE + tx;
    const unsigned top = blockIdx.y * EDGE, left = blockIdx.x * EDGE;
    float sum[EACH][EACH] = {{0}};
    for (unsigned first = 0; first < n; first += DEPTH) {
        for (unsigned i = 0; i < EDGE * DEPTH / (SIDE * SIDE); i++) {
            const unsigned place = i * SIDE * SIDE + thread;
            const unsigned a_row = top + place / DEPTH, a_col = first + place % DEPTH;
            const unsigned b_row = first + place / EDGE, b_col = left + place % EDGE;
            s_a[place / DEPTH][place % DEPTH] = a_row < n && a_col < n ? a[(size_t)a_row * n + a_col] : 0.0f;
            s_b[place / EDGE][place % EDGE] = b_row < n && b_col < n ? b[(size_t)b_row * n + b_col] : 0.0f;
        }
        __syncthreads(); /* the parts are complete */
        for (unsigned k = 0; k < DEPTH; k++) {
            float of_a[EACH], of_b[EACH];
            for (unsigned i = 0; i < EACH; i++) {
                of_a[i] = s_a[ty + i * SIDE][k];
                of_b[i] = s_b[k][tx + i * SIDE];
            }
            for (unsigned i = 0; i < EACH; i++)
                for (unsigned j = 0; j < EACH; j++)
                    sum[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads(); /* all threads have read the parts before the next parts are stored */
    }
    for (unsigned i = 0; i < EACH; i++)
        for (unsigned j = 0; j < EACH; j++) {
            const unsigned row = top + ty + i * SIDE, col = left + tx + j * SIDE;
            if (row < n && col < n)
                c[(size_t)row * n + col] = sum[i][j];
        }
}

RUNG_IS(matrix_product_register_tiled, multiply(call, register_tiled, plane(EDGE, EDGE), plane(SIDE, SIDE)))
