/* SPDX-License-Identifier: MIT */
/* The problem of text_histogram.cu: the letters of a text in 7 bins of four letters; y and z are the last. */
#include "samples/patterns/patterns.h"

DECLARE_RUNG(text_histogram_sections);
DECLARE_RUNG(text_histogram_non_atomic);
DECLARE_RUNG(text_histogram_interleaved);
DECLARE_RUNG(text_histogram_shared_privatised);
DECLARE_RUNG(text_histogram_warp_copies);
DECLARE_RUNG(text_histogram_aggregated);
DECLARE_RUNG(text_histogram_register_copies);

enum { BINS = 7, LINE = 64, BLOCKS = 1024, THREADS = 256 }; /* the last two as text_histogram.cu has them at most */

static const size_t checked[] = {0,   1,   2,   15,   16,   17,   31,   32,   33,   255,  256,
                                 257, 511, 513, 1025, 4095, 4096, 4097, 5003, 8191, 8195, 20011};

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes = (struct sizes){.in = {n, BINS + 1}, .out = BINS * sizeof(uint32_t)};
}

/* Bits that look random and depend on i alone. */
static uint32_t mix(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7FEB352Du;
    i = (i ^ i >> 15) * 0x846CA68Bu;
    return i ^ i >> 16;
}

/* Characters about as often as in English; every eighth line or so is a row of one character, as under a heading. The
 * second input are the edges of the bins for the daemon: the first letter of each, and what follows z. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    static const char often[] = "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllluuu"
                                "cccmmmwwwffggyyppbbvkjxqz                       \n\n.,,;'-`{|~@[AETZ019\x7F\x80\xFF";
    static const unsigned char edges[BINS + 1] = {'a', 'e', 'i', 'm', 'q', 'u', 'y', 'z' + 1};
    unsigned char *text = in[0], *to = in[1];
    for (size_t i = 0; i < n; i++) {
        uint32_t line = mix((uint32_t)(i / LINE)), random = line >> 29 == 0 ? line : mix((uint32_t)i);
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

static void sequential(struct call *call)
{
    reference(call->n, call->parameter, call->in, call->out);
}

/* Letters that were lost, or counted twice. */
static uint64_t wrong(size_t n, unsigned parameter, const void *got, const void *expected, uint64_t *ret_of)
{
    const uint32_t *a = got, *b = expected;
    uint64_t off = 0;
    (void)n, (void)parameter;
    *ret_of = 0;
    for (unsigned i = 0; i < BINS; i++) {
        off += a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
        *ret_of += b[i];
    }
    return off;
}

static double bytes(size_t n, unsigned parameter)
{
    (void)parameter;
    return (double)n;
}

/* Additions, in all and, when all letters are equal, one after the other: in one copy of the bins, and in one for each
 * block, warp and thread. */
static double one_copy(double n)
{
    return n;
}

static double block_operations(double n)
{
    return n + (double)BINS * BLOCKS;
}

static double block_steps(double n)
{
    return n / BLOCKS + BLOCKS;
}

static double warp_operations(double n)
{
    return n + (double)BINS * (THREADS / 32 + 1) * BLOCKS;
}

static double warp_steps(double n)
{
    return n / (BLOCKS * THREADS / 32) + THREADS / 32 + BLOCKS;
}

static double thread_operations(double n)
{
    return n + (double)BINS * (THREADS + 1) * BLOCKS;
}

static double thread_steps(double n)
{
    return n / (BLOCKS * THREADS) + THREADS + BLOCKS;
}

static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    in[0] = (gpufilter_view){.width = n, .height = 1, .dtype = GPUFILTER_U8, .channels = 1};
    in[1] = (gpufilter_view){.width = BINS + 1, .height = 1, .dtype = GPUFILTER_U8, .channels = 1};
    *ret_n_in = 2;
    *ret_n_resident = 1; /* the daemon reads edges on the host */
}

static const struct rung rungs[] = {
    {.host = sequential,
     .name = "sequential",
     .operations = one_copy,
     .steps = one_copy,
     .about = "a loop of the host; each letter waits for the count before it"},
    {RUNG_FORMS(text_histogram_sections), .name = "sections", .operations = one_copy, .steps = one_copy,
     .about = "a contiguous section for each thread, with atomics on global memory; a warp reads 32 lines at a time"},
    {RUNG_FORMS(text_histogram_non_atomic), .name = "non-atomic", .racy = true, .operations = one_copy,
     .steps = one_copy, .about = "sections without atomics: with few bins nearly all increments are lost."},
    {RUNG_FORMS(text_histogram_interleaved), .name = "interleaved", .operations = one_copy, .steps = one_copy,
     .about = "a grid stride: a warp reads neighbouring characters; limited by atomics on 7 addresses"},
    {RUNG_FORMS(text_histogram_shared_privatised), .name = "shared-privatised", .operations = block_operations,
     .steps = block_steps, .about = "a copy of the bins for each block in shared memory; limited by warps that meet"},
    {RUNG_FORMS(text_histogram_warp_copies), .name = "warp-copies", .operations = warp_operations, .steps = warp_steps,
     .about = "a copy for each warp; limited by lanes that meet"},
    {RUNG_FORMS(text_histogram_aggregated), .name = "aggregated", .operations = block_operations, .steps = block_steps,
     .about = "one copy for a block, and a thread adds a run of its 16 characters once; limited by divergence"},
    {RUNG_FORMS(text_histogram_register_copies), .name = "register-copies", .operations = thread_operations,
     .steps = thread_steps, .about = "a copy for each thread in registers: no atomics before the end"},
    {.program = "histogram edges=@1",
     .name = "product",
     .about = "the daemon's histogram between given edges, of any bins"},
};

const struct ladder g_text_histogram = {.name = "text-histogram",
                                        .title = "the letters of a text in 7 bins: a-d, e-h, ..., y-z",
                                        .n = (size_t)1 << 28,
                                        .max_n = UINT32_MAX,
                                        .counts = "characters",
                                        .checked = checked,
                                        .n_checked = sizeof(checked) / sizeof(checked[0]),
                                        .sizes = sizes,
                                        .fill = fill,
                                        .reference = reference,
                                        .wrong = wrong,
                                        .bytes = bytes,
                                        .views = views,
                                        .rungs = rungs,
                                        .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
