/* SPDX-License-Identifier: MIT */
/*
 * The problems of bank_conflicts.cu: sums over windows of a tile, whose starts are a stride apart, and the transpose of
 * a matrix. This file counts the bank conflicts of each rung, word by word.
 */
#include "bank_conflicts.cu"
#include "samples/patterns/patterns.h"

#include <stdio.h>

/* The parameter is the stride of the sums, or TRANSPOSE. */
enum { TRANSPOSE = 1000 };
enum {
    MAX_SIDE = 2048, /* for the sums: they read 256 times as much from shared memory as from the matrix */
    BANKS = 32,      /* word w lies in bank w % BANKS */
    LANES = 32       /* lanes per warp */
};

/* Blocks of the sums have 1024 elements, the square of 32. Blocks of the transposes are 32 x 32. */
static const size_t checked[] = {0, 1, 2, 31, 32, 33, 45, 63, 65, 97};

/*
 * The number of passes in which shared memory serves a warp whose lanes read words `stride` apart: the largest number
 * of different words in one bank. The word of the first lane does not matter.
 */
static unsigned count_ways(unsigned stride)
{
    unsigned ways = 0;
    for (unsigned bank = 0; bank < BANKS; bank++) {
        unsigned words = 0;
        for (unsigned lane = 0; lane < LANES; lane++) {
            bool seen = false;
            for (unsigned other = 0; other < lane; other++)
                seen = seen || other * stride == lane * stride;
            words += lane * stride % BANKS == bank && !seen;
        }
        ways = words > ways ? words : ways;
    }
    return ways;
}

/* The steps of a rung: passes for one read of a warp. */
#define WAYS(stride)                                                                                                   \
    static double ways_##stride(double n)                                                                              \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        return count_ways(stride);                                                                                     \
    }
WAYS(0)
WAYS(1)
WAYS(2)
WAYS(4)
WAYS(8)
WAYS(16)
WAYS(32)
WAYS(33)

SIZES(.in = {n * n * sizeof(float)}, .out = n * n * sizeof(float))

/* Small integers, so that sums are exact. */
FILL(float, n *n, (float)(i *i % 4001) - 2000)

/* The sums are integers here, which is faster and gives the same results. Past the end there are zeros. */
static void sum_tile(const float *a, float *b, size_t n, unsigned stride)
{
    int tile[BLOCK] = {0};
    for (size_t i = 0; i < n; i++)
        tile[i] = (int)a[i];
    for (size_t i = 0; i < n; i++) {
        int sum = 0;
        for (size_t round = 0; round < ROUNDS; round++)
            sum += tile[(i * stride + round) % BLOCK];
        b[i] = (float)sum;
    }
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *a = in[0];
    float *b = out;
    if (parameter == TRANSPOSE) {
        for (size_t row = 0; row < n; row++)
            for (size_t column = 0; column < n; column++)
                b[row * n + column] = a[column * n + row];
        return;
    }
    for (size_t first = 0; first < n * n; first += BLOCK)
        sum_tile(a + first, b + first, n * n - first < BLOCK ? n * n - first : BLOCK, parameter);
}

/* The traffic of shared memory for the sums, of global memory for the transposes. */
TRAFFIC(bytes, (double)n *(double)n * sizeof(float) * (parameter == TRANSPOSE ? 2 : ROUNDS))

#define STRIDE(stride, ...)                                                                                            \
    KERNEL(bank_conflicts_stride, "stride-" #stride, __VA_ARGS__, .parameter = stride, .max_n = MAX_SIDE,              \
           .steps = ways_##stride)

static const struct rung rungs[] = {
    STRIDE(1, "neighbouring lanes read neighbouring words of shared memory: 32 banks"),
    STRIDE(2, "words 2 apart: 16 banks"),
    STRIDE(4, "words 4 apart: 8 banks"),
    STRIDE(8, "words 8 apart: 4 banks"),
    STRIDE(16, "words 16 apart: 2 banks"),
    STRIDE(32, "words 32 apart: one bank gives 32 words, one after the other"),
    STRIDE(33, "words 33 apart, as with one word of padding for each 32: 32 banks again"),
    KERNEL(bank_conflicts_stride, "broadcast", "all lanes read the same word: one bank broadcasts it", .parameter = 0,
           .max_n = MAX_SIDE, .steps = ways_0),
    KERNEL(bank_conflicts_transpose_naive, "transpose-naive",
           "a matrix transposed in global memory: reads rows, writes columns, uncoalesced", .begins = true,
           .parameter = TRANSPOSE),
    KERNEL(bank_conflicts_transpose_shared, "transpose-shared",
           "tiles of 32x32 transposed in shared memory; coalesced, but a column is in one bank", .parameter = TRANSPOSE,
           .steps = ways_32),
    KERNEL(bank_conflicts_transpose_padded, "transpose-padded",
           "rows of the tile 33 words apart; no conflicts, limited by the barrier", .parameter = TRANSPOSE,
           .steps = ways_33),
};

static void beside(void)
{
    printf("  For the sums, GB/s is the rate of shared memory. Passes per read of a warp, counted:\n");
    for (size_t i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++)
        if (rungs[i].steps != NULL)
            printf("  %-24s %2.0f\n", rungs[i].name, rungs[i].steps(0));
}

LADDER(g_bank_conflicts, .name = "bank-conflicts",
       .title = "sums read from shared memory, and the transpose of a matrix", .n = 8192, .max_n = 65535,
       /* columns and rows are counted in 32 bits */ .counts = "rows and columns", .bytes = bytes, .beside = beside);
