/* SPDX-License-Identifier: MIT */
/* The problem of text_histogram.cu: the letters of a text in 7 bins of four letters each; the last bin has y and z
 * only. */
#include "text_histogram.cu"
#include "samples/patterns/patterns.h"

enum { LINE = 64 }; /* characters */

static const size_t checked[] = {0,   1,   2,   15,   16,   17,   31,   32,   33,   255,  256,
                                 257, 511, 513, 1025, 4095, 4096, 4097, 5003, 8191, 8195, 20011};

SIZES(.in = {n, BINS + 1}, .out = BINS * sizeof(uint32_t))

/* Characters about as frequent as in English; about every eighth line is a row of one character, as under a heading.
 * The second input is the edges of the bins for the daemon: the first letter of each bin, and the character after z. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    static const char often[] = "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllluuu"
                                "cccmmmwwwffggyyppbbvkjxqz                       \n\n.,,;'-`{|~@[AETZ019\x7F\x80\xFF";
    static const unsigned char edges[BINS + 1] = {'a', 'e', 'i', 'm', 'q', 'u', 'y', 'z' + 1};
    unsigned char *text = in[0], *to = in[1];
    for (size_t i = 0; i < n; i++) {
        uint32_t line = random_bits((uint32_t)(i / LINE)), random = line >> 29 == 0 ? line : random_bits((uint32_t)i);
        text[i] = (unsigned char)often[random % (sizeof(often) - 1)];
    }
    for (unsigned b = 0; b < BINS + 1; b++)
        to[b] = edges[b];
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const unsigned char *text = in[0];
    uint32_t *counts = out;
    (void)parameter;
    for (unsigned b = 0; b < BINS; b++)
        counts[b] = 0;
    for (size_t i = 0; i < n; i++)
        if (text[i] >= 'a' && text[i] <= 'z')
            counts[(text[i] - 'a') / 4]++;
}

PLAIN_LOOP(sequential)

TRAFFIC(bytes, (double)n)

/* Additions: all of them, and the number that follow one another when all letters are equal, in one copy of the bins
 * and in one copy per block, warp and thread. */
FORMULA(one_copy, n)
FORMULA(block_operations, n + (double)BINS * GRID)
FORMULA(block_steps, n / GRID + GRID)
FORMULA(warp_operations, n + (double)BINS * (BLOCK / 32 + 1) * GRID)
FORMULA(warp_steps, n / (GRID * BLOCK / 32) + BLOCK / 32 + GRID)
FORMULA(thread_operations, n + (double)BINS * (BLOCK + 1) * GRID)
FORMULA(thread_steps, n / (GRID * BLOCK) + BLOCK + GRID)

/* The daemon reads edges on the host. */
VIEWS(1, PICTURE(n, 1, GPUFILTER_U8), PICTURE(BINS + 1, 1, GPUFILTER_U8))

static const struct rung rungs[] = {
    HOST(sequential, "sequential", "a loop of the host; each letter waits for the count before it",
         WORK(one_copy, one_copy)),
    KERNEL(text_histogram_sections, "sections",
           "a contiguous section for each thread, with atomics on global memory; a warp reads 32 lines at a time",
           WORK(one_copy, one_copy)),
    KERNEL(text_histogram_non_atomic, "non-atomic",
           "sections without atomics: with few bins nearly all increments are lost.", .racy = true,
           WORK(one_copy, one_copy)),
    KERNEL(text_histogram_interleaved, "interleaved",
           "a grid stride: a warp reads neighbouring characters; limited by atomics on 7 addresses",
           WORK(one_copy, one_copy)),
    KERNEL(text_histogram_shared_privatised, "shared-privatised",
           "a copy of the bins for each block in shared memory; limited by warps that meet",
           WORK(block_operations, block_steps)),
    KERNEL(text_histogram_warp_copies, "warp-copies", "a copy for each warp; limited by lanes that meet",
           WORK(warp_operations, warp_steps)),
    KERNEL(text_histogram_aggregated, "aggregated",
           "one copy for a block, and a thread adds a run of its 16 characters once; limited by divergence",
           WORK(block_operations, block_steps)),
    KERNEL(text_histogram_register_copies, "register-copies",
           "a copy for each thread in registers: no atomics before the end", WORK(thread_operations, thread_steps)),
    PRODUCT("histogram edges=@1", "product", "the daemon's histogram, whose bins have any edges"),
};

LADDER(g_text_histogram, .name = "text-histogram", .title = "the letters of a text in 7 bins: a-d, e-h, ..., y-z",
       .n = (size_t)1 << 28, .max_n = UINT32_MAX, .counts = "characters", .counters = true, .bytes = bytes,
       .views = views);
