/* SPDX-License-Identifier: MIT */
/* The problem of histogram.cu: how often each value occurs among n bytes, or among n/2 values of 16 bits. */
#include "histogram.cu"
#include "samples/patterns/patterns.h"

enum { BYTES, PAIRS };
enum { PATCH = 64 }; /* pixels */

static const size_t checked[] = {0,   1,   2,   15,   16,   17,   31,   32,   33,   255,  256,
                                 257, 511, 513, 1025, 4095, 4096, 4097, 5003, 8191, 8195, 20011};

static unsigned bins_of(unsigned parameter)
{
    return parameter == PAIRS ? 65536 : 256;
}

SIZES(.in = {n}, .out = bins_of(parameter) * sizeof(uint32_t))

/* Like a picture: patches of 64 pixels of about the same brightness, dark ones more often than bright ones, with some
 * noise; about every eighth patch is black. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    unsigned char *pixels = in[0];
    for (size_t i = 0; i < n; i++) {
        uint32_t patch = random_bits((uint32_t)(i / PATCH)), root = patch & 255;
        int brightness = (int)(root * root / 256) + (int)(random_bits((uint32_t)i) & 15) - 8;
        if (patch >> 29 == 0 || brightness < 0)
            brightness = 0;
        pixels[i] = (unsigned char)(brightness > 255 ? 255 : brightness);
    }
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const unsigned char *bytes = in[0];
    uint32_t *counts = out;
    for (unsigned b = 0; b < bins_of(parameter); b++)
        counts[b] = 0;
    if (parameter == PAIRS)
        for (size_t i = 0; i + 1 < n; i += 2)
            counts[bytes[i] + 256u * bytes[i + 1]]++;
    else
        for (size_t i = 0; i < n; i++)
            counts[bytes[i]]++;
}

PLAIN_LOOP(sequential)

TRAFFIC(bytes, (double)n + bins_of(parameter) * (double)sizeof(uint32_t))

/* Additions: all of them, and the number that follow one another when all values are equal, in one copy of the bins, in
 * one copy per block, and in one copy per lane of a block. */
FORMULA(one_copy, n)
FORMULA(block_operations, n + 256.0 * GRID)
FORMULA(block_steps, n / GRID + GRID)
FORMULA(lane_operations, n + 256.0 * 33 * GRID)
FORMULA(lane_steps, n / (32.0 * GRID) + 32 + GRID)
FORMULA(pairs, n / 2)

VIEWS(1, PICTURE(n, 1, GPUFILTER_U8))

static const struct rung rungs[] = {
    HOST(sequential, "sequential", "a loop of the host; each byte waits for the count before it",
         WORK(one_copy, one_copy)),
    KERNEL(histogram_sections, "sections",
           "a contiguous section for each thread, with atomics on global memory; a warp reads 32 lines at a time",
           WORK(one_copy, one_copy)),
    KERNEL(histogram_non_atomic, "non-atomic", "sections without atomics: threads overwrite each other's increments.",
           .racy = true, WORK(one_copy, one_copy)),
    KERNEL(histogram_interleaved, "interleaved",
           "a grid stride: a warp reads neighbouring bytes; limited by atomics on few addresses",
           WORK(one_copy, one_copy)),
    KERNEL(histogram_global_atomics, "global-atomics", "a thread for each byte: more threads wait for the same atomics",
           WORK(one_copy, one_copy)),
    KERNEL(histogram_shared_privatised, "shared-privatised",
           "a copy of the bins for each block in shared memory, merged at the end; limited by loads of single bytes",
           WORK(block_operations, block_steps)),
    KERNEL(histogram_wide_loads, "wide-loads",
           "16 bytes in each load; limited by lanes that meet in a counter or a bank",
           WORK(block_operations, block_steps)),
    KERNEL(histogram_aggregated, "aggregated",
           "a run of equal bytes is added once; lanes diverge, and without runs nothing is gained",
           WORK(block_operations, block_steps)),
    KERNEL(histogram_lane_copies, "lane-copies",
           "32 copies in a block, one for each lane in a bank of its own: no data makes lanes meet",
           WORK(lane_operations, lane_steps)),
    KERNEL(histogram_pairs_global, "pairs-global",
           "interleaved over 65536 values of 16 bits, whose bins do not fit in shared memory", .begins = true,
           .parameter = PAIRS, WORK(pairs, pairs)),
    KERNEL(histogram_partly_privatised, "partly-privatised",
           "a copy of the 8192 bins that are hit most; the others stay in global memory", .parameter = PAIRS),
    PRODUCT("histogram", "product", "the daemon's histogram of 256 bins: lane-copies in one launch", .begins = true),
};

LADDER(g_histogram, .name = "histogram", .title = "how often each of 256 values occurs among bytes",
       .n = (size_t)16384 * 16384, .max_n = UINT32_MAX, .counts = "bytes", .counters = true, .bytes = bytes,
       .views = views);
