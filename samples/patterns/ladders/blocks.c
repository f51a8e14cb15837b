/* SPDX-License-Identifier: MIT */
/* The problem of blocks.cu: the largest of n numbers, found by blocks that have to communicate. */
#include "samples/patterns/patterns.h"

DECLARE_RUNG(blocks_two_launches);
DECLARE_RUNG(blocks_atomic_per_block);
DECLARE_RUNG(blocks_last_block_unfenced);
DECLARE_RUNG(blocks_last_block_guard);

enum { MAX_GRID = 1024 }; /* at least blocks.cu's */

/* The last makes more partial results than a block has threads. */
static const size_t checked[] = {0, 1, 2, 31, 33, 127, 128, 129, 511, 513, 1025, 5000, 70000};

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes =
        (struct sizes){.in = {n * sizeof(uint32_t)}, .out = sizeof(uint32_t), .temp = MAX_GRID * sizeof(uint32_t)};
}

/* The largest lies anywhere, in a block that differs from size to size. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    uint32_t *a = in[0], random = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        a[i] = random;
    }
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    const uint32_t *a = in[0];
    uint32_t *largest = out;
    *largest = 0;
    for (size_t i = 0; i < n; i++)
        *largest = a[i] > *largest ? a[i] : *largest;
}

static double bytes(size_t n, unsigned parameter)
{
    (void)parameter;
    return (double)n * sizeof(uint32_t);
}

static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    in[0] = (gpufilter_view){.width = n, .height = 1, .channels = 1, .dtype = GPUFILTER_U32};
    *ret_n_in = *ret_n_resident = 1;
}

static const struct rung rungs[] = {
    {RUNG_FORMS(blocks_two_launches), .name = "two-launches",
     .about = "a second launch takes the blocks' results together: the end of a kernel is a barrier"},
    {RUNG_FORMS(blocks_atomic_per_block), .name = "atomic-per-block",
     .about = "one atomic per block, on an answer that a memset prepares; not for results that need finishing"},
    {RUNG_FORMS(blocks_last_block_unfenced), .name = "last-block-unfenced", .racy = true,
     .about = "the last block to be counted finishes, but nothing orders the stores before the count."},
    {RUNG_FORMS(blocks_last_block_guard), .name = "last-block-guard",
     .about = "the last block to be counted finishes; a fence on either side of the count orders what it reads"},
    {.program = "reduce op=max", .name = "product", .about = "the daemon's kernel"},
};

/* Small, so that launches and waits are seen beside the memory. */
const struct ladder g_blocks = {.name = "blocks",
                                .title = "the largest of n numbers, by blocks that communicate",
                                .n = (size_t)1 << 21,
                                .counts = "elements",
                                .checked = checked,
                                .n_checked = sizeof(checked) / sizeof(checked[0]),
                                .sizes = sizes,
                                .fill = fill,
                                .reference = reference,
                                .bytes = bytes,
                                .views = views,
                                .rungs = rungs,
                                .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
