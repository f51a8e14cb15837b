/* SPDX-License-Identifier: MIT */
/*
 * The problem of convolution_1d.cu: an array and a mask of 9, with zeros outside the array. The mask is not reversed,
 * so strictly this is a correlation; a convolution is the same with the reversed mask. The mask here is not symmetric,
 * so the check fails for a rung that reverses it. All numbers are small integers, so sums are exact in any order.
 */
#include "convolution_1d.cu"
#include "samples/patterns/patterns.h"

static const float g_weights[MASK] = {1, -2, 3, 5, 9, 4, -3, 2, -1};

/* Sizes around a block of 256 threads and around tiles of 248, 256 and 1024 results. */
static const size_t checked[] = {0,   1,   2,   4,   5,   9,   31,   32,   33,   247,  248, 249,
                                 255, 256, 257, 261, 497, 515, 1023, 1024, 1025, 2050, 4999};

SIZES(.in = {n * sizeof(float), sizeof(g_weights)}, .out = n * sizeof(float))

static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *x = in[0], *mask = in[1];
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((uint32_t)i * 2654435761u >> 28) - 7;
    for (size_t k = 0; k < MASK; k++)
        mask[k] = g_weights[k];
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *x = in[0], *mask = in[1];
    float *y = out;
    (void)parameter;
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (size_t k = 0; k < MASK; k++)
            if (i + k >= RADIUS && i + k - RADIUS < n)
                sum += x[i + k - RADIUS] * mask[k];
        y[i] = sum;
    }
}

PLAIN_LOOP(sequential)

/* Each element read once, each result written once. */
TRAFFIC(bytes, 2.0 * sizeof(float) * (double)n)

VIEWS(1, PICTURE(n, 1, GPUFILTER_F32), PICTURE(MASK, 1, GPUFILTER_F32))

static const struct rung rungs[] = {
    HOST(sequential, "sequential", "A plain loop on the host."),
    KERNEL(convolution_1d_basic, "basic",
           "One thread for each result; a test for ghost cells at each tap. Two loads for each multiply-add."),
    KERNEL(convolution_1d_constant_mask, "constant-mask",
           "The mask in constant memory, which a whole warp reads at once: half of the loads are gone."),
    KERNEL(convolution_1d_read_only_mask, "read-only-mask",
           "The mask through the read-only path: loads again, but the mask may have any size, and lanes may read "
           "different taps."),
    KERNEL(convolution_1d_tiled_output, "tiled-output",
           "A block loads its results' elements and their halo into shared memory; some threads load two."),
    KERNEL(convolution_1d_tiled_input, "tiled-input",
           "Each thread loads one element; those at the tile's ends only load. Tiles are not aligned any more."),
    KERNEL(convolution_1d_halo_from_cache, "halo-from-cache",
           "Only the block's own elements in shared memory; the halo is left to the caches."),
    KERNEL(convolution_1d_register_tiled, "register-tiled",
           "Four results for each thread, from 12 elements in registers: 3 wide loads, and no shared memory."),
    PRODUCT("correlate1d border=constant", "product", "The daemon's correlate1d."),
};

LADDER(g_convolution_1d, .name = "convolution-1d", .title = "an array under a mask of 9, zeros outside, f32",
       .n = (size_t)1 << 28, .counts = "elements", .bytes = bytes, .views = views);
