/* SPDX-License-Identifier: MIT */
/*
 * The problem of reduction_operators.cu: n integers, reduced by the operator that the rung's parameter names. They are
 * odd, so the product modulo 2^32 is never 0. The smallest integer is the last one, and two points share the greatest
 * distance.
 */
#include <math.h>

#include "reduction_operators.cu"
#include "samples/patterns/patterns.h"

#define FEW ((size_t)1 << 20) /* the most numbers that one warp is given */
#define GREATEST 1025

static const size_t checked[] = {0, 1, 2, 3, 31, 32, 33, 129, 255, 256, 257, 1000, 1025, 4097, 10007};

/* A partial result for each block. */
SIZES(.in = {n * sizeof(int32_t)}, .out = (parameter == OP_MATRIX ? 4 : 1) * sizeof(uint32_t),
      .temp = GRID * 4 * sizeof(uint32_t))

static void fill(size_t n, void *const in[MAX_INPUTS])
{
    int32_t *x = in[0];
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = ((uint32_t)i + 1) * 2654435761u;
        bits = (bits ^ bits >> 15) * 2246822519u;
        x[i] = 2 * (int32_t)(bits >> 22) - 1023;
    }
    for (size_t k = 0; n >= 3 && k < 3; k++)
        x[n / 9 * 3 + k] = x[n / 9 * 6 + k] = GREATEST;
    if (n > 0)
        x[n - 1] = -GREATEST;
}

static int32_t extreme(size_t n, const int32_t *x, unsigned op)
{
    int32_t best = op == OP_MIN ? INT32_MAX : INT32_MIN;
    for (size_t i = 0; i < n; i++)
        if (op == OP_MIN ? x[i] < best : x[i] > best)
            best = x[i];
    return best;
}

static uint32_t product(size_t n, const int32_t *x)
{
    uint32_t all = 1;
    for (size_t i = 0; i < n; i++)
        all *= (uint32_t)x[i];
    return all;
}

static void matrices(size_t n, const int32_t *x, uint32_t m[4])
{
    m[0] = m[3] = 1;
    m[1] = m[2] = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t a = m[0] * (uint32_t)x[i] + m[1], c = m[2] * (uint32_t)x[i] + m[3];
        m[1] = m[0];
        m[3] = m[2];
        m[0] = a;
        m[2] = c;
    }
}

static uint32_t farthest(size_t n_points, const int32_t *x)
{
    uint32_t index = UINT32_MAX;
    int64_t greatest = -1;
    for (size_t i = 0; i < n_points; i++) {
        const int32_t *p = x + 3 * i;
        int64_t distance = (int64_t)p[0] * p[0] + (int64_t)p[1] * p[1] + (int64_t)p[2] * p[2];
        if (distance > greatest) {
            greatest = distance;
            index = (uint32_t)i;
        }
    }
    return index;
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const int32_t *x = in[0];
    switch (parameter) {
    case OP_MIN:
    case OP_MAX:
        *(int32_t *)out = extreme(n, x, parameter);
        break;
    case OP_PRODUCT:
        *(uint32_t *)out = product(n, x);
        break;
    case OP_MATRIX:
        matrices(n, x, out);
        break;
    default:
        *(uint32_t *)out = farthest(n / 3, x);
    }
}

/* matrix-sequential: each product waits for the one before. */
PLAIN_LOOP(matrix_sequential)

TRAFFIC(bytes, (double)n * sizeof(int32_t))

VIEWS(1, PICTURE(n, 1, GPUFILTER_I32))

FORMULA(all_but_one, n > 1 ? n - 1 : 0)

/* Each of `threads` threads combines its share, then a tree over the threads. */
static double steps_of(double n, double threads)
{
    if (n <= threads)
        return n > 1 ? ceil(log2(n)) : 0;
    return ceil(n / threads) - 1 + log2(threads);
}

FORMULA(warp_steps, steps_of(n, 32))
FORMULA(block_steps, steps_of(n, LARGE))
FORMULA(grid_steps, steps_of(n, (double)BLOCK *GRID))
FORMULA(point_steps, grid_steps(floor(n / 3)))
FORMULA(points_but_one, all_but_one(floor(n / 3)))

/* A tree of 32 for every 32 numbers, and one more product to append it. */
FORMULA(matrix_warp_steps, ceil(n / 32) * 6)

/* For every 128 numbers of a warp: four numbers in a lane, a tree of 32, and one product to append it; then the blocks,
 * one after the other. */
static double matrix_grid_steps(double n)
{
    double warps = (double)GRID * BLOCK / 32;
    return ceil(n / (128 * warps)) * (3 + 5 + 1) + BLOCK / 32 - 1 + log2(GRID);
}

/* The first rungs of an operator that commutes. */
#define COMMUTING(word, op, about_warp)                                                                                \
    KERNEL(operators_single_warp, word "-single-warp", about_warp, .begins = true, .parameter = op, .max_n = FEW,      \
           WORK(all_but_one, warp_steps)),                                                                             \
        KERNEL(operators_single_block, word "-single-block",                                                           \
               "one block of 32 warps, a tree in shared memory; limited by one multiprocessor", .parameter = op,       \
               WORK(all_but_one, block_steps)),                                                                        \
        KERNEL(operators_multi_block, word "-multi-block",                                                             \
               "a fixed grid, then the same kernel for the blocks' results", .parameter = op,                          \
               WORK(all_but_one, grid_steps))

static const struct rung rungs[] = {
    COMMUTING("min", OP_MIN, "one warp, by shuffles; a lane without a number has the neutral element, INT_MAX"),
    KERNEL(operators_min_atomic, "min-atomic", "one atomicMin for each block; the same result in every order",
           .parameter = OP_MIN, WORK(all_but_one, grid_steps)),
    PRODUCT("reduce op=min", "product-min", "the daemon's kernel", .parameter = OP_MIN, .operations = all_but_one),
    COMMUTING("max", OP_MAX, "one warp, by shuffles; the neutral element is INT_MIN"),
    PRODUCT("reduce op=max", "product-max", "the daemon's kernel", .parameter = OP_MAX, .operations = all_but_one),
    COMMUTING("multiply", OP_PRODUCT, "one warp, by shuffles, modulo 2^32; the neutral element is 1"),
    KERNEL(operators_multiply_compare_and_swap, "multiply-compare-and-swap",
           "an atomic product made of compare-and-swap, one for each block", .parameter = OP_PRODUCT,
           WORK(all_but_one, grid_steps)),
    PRODUCT("reduce op=product overflow=wrap", "product-multiply", "the daemon's kernel; its product is modulo 2^64",
            .parameter = OP_PRODUCT, .operations = all_but_one),
    HOST(matrix_sequential, "matrix-sequential",
         "a loop of the host over 2x2 matrices [[x, 1], [1, 0]]; their product does not commute", .begins = true,
         .parameter = OP_MATRIX, WORK(all_but_one, all_but_one)),
    KERNEL(operators_matrix_single_warp, "matrix-single-warp",
           "shuffles by 1, 2, 4, ... pair neighbours and keep the order, which 16, 8, ... would not",
           .parameter = OP_MATRIX, .max_n = FEW, WORK(all_but_one, matrix_warp_steps)),
    KERNEL(operators_matrix_chunks, "matrix-chunks",
           "a chunk of neighbours for each thread keeps the order; its loads do not coalesce", .parameter = OP_MATRIX,
           WORK(all_but_one, grid_steps)),
    KERNEL(operators_matrix_in_order, "matrix-in-order",
           "a chunk for each warp, four numbers for a lane: coalesced; a tree for every 128 numbers",
           .parameter = OP_MATRIX, WORK(all_but_one, matrix_grid_steps)),
    KERNEL(operators_user_defined, "user-defined",
           "the 3-D point farthest from the origin, as a pair of distance and index; ties: the lowest index",
           .begins = true, .parameter = OP_FARTHEST, WORK(points_but_one, point_steps)),
    KERNEL(operators_user_defined_key, "user-defined-key",
           "distance and index packed into one 64-bit key, so that the operator is max and has an atomic",
           .parameter = OP_FARTHEST, WORK(points_but_one, point_steps)),
};

LADDER(g_reduction_operators, .name = "reduction-operators",
       .title = "an array of int by min, max, products and an operator of the user", .n = (size_t)1 << 28,
       .max_n = (size_t)3 << 31, /* points are counted in 32 bits */ .counts = "numbers", .bytes = bytes,
       .views = views);
