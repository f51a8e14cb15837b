/* SPDX-License-Identifier: MIT */
/* The problem of histogram.cu: how often each value stands among n bytes, or among n/2 values of 16 bits. */
#include "samples/patterns/patterns.h"

DECLARE_RUNG(histogram_sections);
DECLARE_RUNG(histogram_non_atomic);
DECLARE_RUNG(histogram_interleaved);
DECLARE_RUNG(histogram_global_atomics);
DECLARE_RUNG(histogram_shared_privatised);
DECLARE_RUNG(histogram_wide_loads);
DECLARE_RUNG(histogram_aggregated);
DECLARE_RUNG(histogram_lane_copies);
DECLARE_RUNG(histogram_pairs_global);
DECLARE_RUNG(histogram_partly_privatised);

enum { BYTES, PAIRS };
enum { PATCH = 64, BLOCKS = 1024 }; /* pixels of a patch; blocks that histogram.cu starts at most */

static const size_t checked[] = {0,   1,   2,   15,   16,   17,   31,   32,   33,   255,  256,
                                 257, 511, 513, 1025, 4095, 4096, 4097, 5003, 8191, 8195, 20011};

static unsigned bins_of(unsigned parameter)
{
    return parameter == PAIRS ? 65536 : 256;
}

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    *ret_sizes = (struct sizes){.in = {n}, .out = bins_of(parameter) * sizeof(uint32_t)};
}

/* Bits that look random and depend on i alone. */
static uint32_t mix(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7FEB352Du;
    i = (i ^ i >> 15) * 0x846CA68Bu;
    return i ^ i >> 16;
}

/* Like a picture: patches of 64 pixels of about the same brightness, dark ones more often than bright ones, with some
 * noise; every eighth patch or so is black. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    unsigned char *pixels = in[0];
    for (size_t i = 0; i < n; i++) {
        uint32_t patch = mix((uint32_t)(i / PATCH)), root = patch & 255;
        int brightness = (int)(root * root / 256) + (int)(mix((uint32_t)i) & 15) - 8;
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

static void sequential(struct call *call)
{
    reference(call->n, call->parameter, call->in, call->out);
}

/* Counts that were lost, or are too many. */
static uint64_t wrong(size_t n, unsigned parameter, const void *got, const void *expected, uint64_t *ret_of)
{
    const uint32_t *a = got, *b = expected;
    uint64_t off = 0;
    for (unsigned i = 0; i < bins_of(parameter); i++)
        off += a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
    *ret_of = parameter == PAIRS ? n / 2 : n;
    return off;
}

static double bytes(size_t n, unsigned parameter)
{
    return (double)n + bins_of(parameter) * (double)sizeof(uint32_t);
}

/* Additions, in all and, when all values are equal, one after the other: in one copy of the bins, one for each block,
 * and one for each lane of a block. */
static double one_copy(double n)
{
    return n;
}

static double block_operations(double n)
{
    return n + 256.0 * BLOCKS;
}

static double block_steps(double n)
{
    return n / BLOCKS + BLOCKS;
}

static double lane_operations(double n)
{
    return n + 256.0 * 33 * BLOCKS;
}

static double lane_steps(double n)
{
    return n / (32.0 * BLOCKS) + 32 + BLOCKS;
}

static double pairs(double n)
{
    return n / 2;
}

static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    in[0] = (gpufilter_view){.width = n, .height = 1, .dtype = GPUFILTER_U8, .channels = 1};
    *ret_n_in = *ret_n_resident = 1;
}

static const struct rung rungs[] = {
    {.host = sequential,
     .name = "sequential",
     .about = "a loop of the host; each byte waits for the count before it",
     .operations = one_copy,
     .steps = one_copy},
    {RUNG_FORMS(histogram_sections), .name = "sections", .operations = one_copy, .steps = one_copy,
     .about = "a contiguous section for each thread, with atomics on global memory; a warp reads 32 lines at a time"},
    {RUNG_FORMS(histogram_non_atomic), .name = "non-atomic", .racy = true, .operations = one_copy, .steps = one_copy,
     .about = "sections without atomics: threads store over each other's increments."},
    {RUNG_FORMS(histogram_interleaved), .name = "interleaved", .operations = one_copy, .steps = one_copy,
     .about = "a grid stride: a warp reads neighbouring bytes; limited by atomics on few addresses"},
    {RUNG_FORMS(histogram_global_atomics), .name = "global-atomics", .operations = one_copy, .steps = one_copy,
     .about = "a thread for each byte: more threads wait for the same atomics"},
    {RUNG_FORMS(histogram_shared_privatised), .name = "shared-privatised", .operations = block_operations,
     .steps = block_steps,
     .about =
         "a copy of the bins for each block in shared memory, merged at the end; limited by loads of single bytes"},
    {RUNG_FORMS(histogram_wide_loads), .name = "wide-loads", .operations = block_operations, .steps = block_steps,
     .about = "16 bytes in each load; limited by lanes that meet in a counter or a bank"},
    {RUNG_FORMS(histogram_aggregated), .name = "aggregated", .operations = block_operations, .steps = block_steps,
     .about = "a run of equal bytes is added once; lanes diverge, and without runs nothing is won"},
    {RUNG_FORMS(histogram_lane_copies), .name = "lane-copies", .operations = lane_operations, .steps = lane_steps,
     .about = "32 copies in a block, one for each lane in a bank of its own: no data makes lanes meet"},
    {RUNG_FORMS(histogram_pairs_global), .name = "pairs-global", .begins = true, .parameter = PAIRS,
     .operations = pairs, .steps = pairs,
     .about = "interleaved over 65536 values of 16 bits, whose bins do not fit in shared memory"},
    {RUNG_FORMS(histogram_partly_privatised), .name = "partly-privatised", .parameter = PAIRS,
     .about = "a copy of the 8192 bins that are hit most; the others stay in global memory"},
    {.program = "histogram",
     .name = "product",
     .begins = true,
     .about = "the daemon's histogram of 256 bins: lane-copies in one launch"},
};

const struct ladder g_histogram = {.name = "histogram",
                                   .title = "how often each of 256 values stands among bytes",
                                   .n = (size_t)16384 * 16384,
                                   .max_n = UINT32_MAX,
                                   .counts = "bytes",
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
