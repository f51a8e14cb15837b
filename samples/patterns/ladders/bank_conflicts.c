/* SPDX-License-Identifier: MIT */
/*
 * The problems of bank_conflicts.cu: sums over windows of a tile, whose starts are a stride apart, and the transpose of
 * a matrix. The conflicts of each rung are counted here, word by word.
 */
#include "samples/patterns/patterns.h"

#include <stdio.h>

DECLARE_RUNG(bank_conflicts_stride);
DECLARE_RUNG(bank_conflicts_transpose_naive);
DECLARE_RUNG(bank_conflicts_transpose_shared);
DECLARE_RUNG(bank_conflicts_transpose_padded);

/* The parameter is the stride of the sums, or this. */
enum { TRANSPOSE = 1000 };
enum {
    TILE = 1024,     /* words that the sums of a block are made of */
    ROUNDS = 256,    /* words of a sum */
    MAX_SIDE = 2048, /* for the sums: 256 times as much is read from shared memory as from the matrix */
    BANKS = 32,      /* a word is in the bank that its number names, modulo 32 */
    LANES = 32       /* of a warp */
};

/* Blocks of the sums have 1024 elements: the square of 32. Those of the transposes are 32 x 32. */
static const size_t checked[] = {0, 1, 2, 31, 32, 33, 45, 63, 65, 97};

/*
 * In how many passes shared memory serves a warp whose lanes read words `stride` apart: as many as there are different
 * words in the bank that has most of them. Where the first lane begins does not change it.
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

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes = (struct sizes){.in = {n * n * sizeof(float)}, .out = n * n * sizeof(float)};
}

/* Small integers, so that sums are exact. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *a = in[0];
    for (size_t i = 0; i < n * n; i++)
        a[i] = (float)(i * i % 4001) - 2000;
}

/* Integers, which are faster here and the same. Past the end there are zeros. */
static void sum_tile(const float *a, float *b, size_t n, unsigned stride)
{
    int tile[TILE] = {0};
    for (size_t i = 0; i < n; i++)
        tile[i] = (int)a[i];
    for (size_t i = 0; i < n; i++) {
        int sum = 0;
        for (size_t round = 0; round < ROUNDS; round++)
            sum += tile[(i * stride + round) % TILE];
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
    for (size_t first = 0; first < n * n; first += TILE)
        sum_tile(a + first, b + first, n * n - first < TILE ? n * n - first : TILE, parameter);
}

/* Of shared memory for the sums, of global memory for the transposes. */
static double bytes(size_t n, unsigned parameter)
{
    return (double)n * (double)n * sizeof(float) * (parameter == TRANSPOSE ? 2 : ROUNDS);
}

static const struct rung rungs[] = {
    {RUNG_FORMS(bank_conflicts_stride), .name = "stride-1", .parameter = 1, .max_n = MAX_SIDE, .steps = ways_1,
     .about = "neighbouring lanes read neighbouring words of shared memory: 32 banks"},
    {RUNG_FORMS(bank_conflicts_stride), .name = "stride-2", .parameter = 2, .max_n = MAX_SIDE, .steps = ways_2,
     .about = "words 2 apart: 16 banks"},
    {RUNG_FORMS(bank_conflicts_stride), .name = "stride-4", .parameter = 4, .max_n = MAX_SIDE, .steps = ways_4,
     .about = "words 4 apart: 8 banks"},
    {RUNG_FORMS(bank_conflicts_stride), .name = "stride-8", .parameter = 8, .max_n = MAX_SIDE, .steps = ways_8,
     .about = "words 8 apart: 4 banks"},
    {RUNG_FORMS(bank_conflicts_stride), .name = "stride-16", .parameter = 16, .max_n = MAX_SIDE, .steps = ways_16,
     .about = "words 16 apart: 2 banks"},
    {RUNG_FORMS(bank_conflicts_stride), .name = "stride-32", .parameter = 32, .max_n = MAX_SIDE, .steps = ways_32,
     .about = "words 32 apart: one bank gives 32 words, one after the other"},
    {RUNG_FORMS(bank_conflicts_stride), .name = "stride-33", .parameter = 33, .max_n = MAX_SIDE, .steps = ways_33,
     .about = "words 33 apart, as with one word of padding for each 32: 32 banks again"},
    {RUNG_FORMS(bank_conflicts_stride), .name = "broadcast", .parameter = 0, .max_n = MAX_SIDE, .steps = ways_0,
     .about = "all lanes read the same word: one bank gives it to all at once"},
    {RUNG_FORMS(bank_conflicts_transpose_naive), .name = "transpose-naive", .begins = true, .parameter = TRANSPOSE,
     .about = "a matrix transposed in global memory: reads rows, writes columns, uncoalesced"},
    {RUNG_FORMS(bank_conflicts_transpose_shared), .name = "transpose-shared", .parameter = TRANSPOSE, .steps = ways_32,
     .about = "tiles of 32x32 turned in shared memory; coalesced, but a column is in one bank"},
    {RUNG_FORMS(bank_conflicts_transpose_padded), .name = "transpose-padded", .parameter = TRANSPOSE, .steps = ways_33,
     .about = "rows of the tile 33 words apart; no conflicts, limited by the barrier"},
};

static void beside(void)
{
    printf("  GB/s of the sums are those of shared memory. Passes that it takes for a read of a warp, counted:\n");
    for (size_t i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++)
        if (rungs[i].steps != NULL)
            printf("  %-24s %2.0f\n", rungs[i].name, rungs[i].steps(0));
}

const struct ladder g_bank_conflicts = {.name = "bank-conflicts",
                                        .title = "sums read from shared memory, and the transpose of a matrix",
                                        .n = 8192,
                                        .max_n = 65535, /* columns and rows are counted in 32 bits */
                                        .counts = "rows and columns",
                                        .checked = checked,
                                        .n_checked = sizeof(checked) / sizeof(checked[0]),
                                        .sizes = sizes,
                                        .fill = fill,
                                        .reference = reference,
                                        .bytes = bytes,
                                        .beside = beside,
                                        .rungs = rungs,
                                        .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
