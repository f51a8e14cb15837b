/* SPDX-License-Identifier: MIT */
/*
 * The problem of convolution_2d.cu: a picture and a mask of 5 x 5, with zeros outside the picture. The mask is not
 * turned, so strictly this is a correlation; a convolution is the same with the mask turned by 180 degrees. The mask
 * here is not symmetric, so the check fails for a rung that turns it. All numbers are small integers, so sums are exact
 * in any order.
 */
#include "convolution_2d.cu"
#include "samples/patterns/patterns.h"

enum { LINE = 32 }; /* floats in 128 bytes */

/* The layout of the picture in memory: a square, or one pixel narrower with rows packed or padded to whole lines. */
enum { SQUARE, ODD_WIDTH, ROW_PITCH };

static const float g_weights[MASK * MASK] = {1, -2, 3,  2,  -1, 2, 5,  -4, 3, 1,  -3, 4, 9,
                                             6, -2, -1, -5, 7,  2, -3, 2,  1, -2, -1, 4};

/* Sizes around tiles of 28, 32 or 36 pixels in a row and 12, 16 or 20 in a column; a block of register-tiled has 128
 * rows. */
static const size_t checked[] = {0, 1, 2, 3, 12, 13, 16, 17, 28, 29, 31, 32, 33, 34, 57, 65, 131};

static size_t round_up(size_t n)
{
    return (n + LINE - 1) / LINE * LINE;
}

static size_t width_of(size_t n, unsigned parameter)
{
    return parameter == SQUARE || n == 0 ? n : n - 1;
}

static size_t pitch_of(size_t n, unsigned parameter)
{
    size_t width = width_of(n, parameter);
    return parameter == ROW_PITCH ? round_up(width) : width;
}

/* The input has room for each of the three layouts. */
SIZES(.in = {n * round_up(n) * sizeof(float), sizeof(g_weights)}, .out = n * pitch_of(n, parameter) * sizeof(float))

/* The padding counts, too, so that a rung that takes it for pixels is wrong. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *x = in[0], *mask = in[1];
    for (size_t i = 0; i < n * round_up(n); i++)
        x[i] = (float)((uint32_t)i * 2654435761u >> 28) - 7;
    for (size_t k = 0; k < MASK * MASK; k++)
        mask[k] = g_weights[k];
}

/* Adds the contribution of a row of pixels under a row of the mask to a row of results: tap by tap, over all pixels of
 * the row that the tap reaches. */
static void add_row(const float *restrict in, const float *mask, size_t width, float *restrict out)
{
    for (size_t k = 0; k < MASK; k++) {
        const float tap = mask[k];
        size_t begin = k < RADIUS ? RADIUS - k : 0;
        for (size_t x = begin; x < width && x + k - RADIUS < width; x++)
            out[x] += in[x + k - RADIUS] * tap;
    }
}

/* A row's padding stays zero. */
static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *from = in[0], *mask = in[1];
    float *to = out;
    size_t width = width_of(n, parameter), pitch = pitch_of(n, parameter);
    for (size_t i = 0; i < n * pitch; i++)
        to[i] = 0;
    for (size_t y = 0; y < n; y++)
        for (size_t k = 0; k < MASK; k++)
            if (y + k >= RADIUS && y + k - RADIUS < n)
                add_row(from + (y + k - RADIUS) * pitch, mask + k * MASK, width, to + y * pitch);
}

PLAIN_LOOP(sequential)

/* Each pixel read once, each result written once. */
TRAFFIC(bytes, 2.0 * sizeof(float) * (double)n * (double)width_of(n, parameter))

VIEWS(1, PICTURE(n, n, GPUFILTER_F32), PICTURE(MASK, MASK, GPUFILTER_F32))

static const struct rung rungs[] = {
    HOST(sequential, "sequential", "A plain loop on the host.", .max_n = 4096),
    KERNEL(convolution_2d_basic, "basic",
           "One thread for each result; a test for ghost cells at each tap. Two loads for each multiply-add."),
    KERNEL(convolution_2d_constant_mask, "constant-mask",
           "The mask in constant memory, which a whole warp reads at once: half of the loads are gone."),
    KERNEL(convolution_2d_tiled_output, "tiled-output",
           "A block loads its results' pixels and their halo into shared memory, 1.4 for each result instead of 25."),
    KERNEL(convolution_2d_tiled_input, "tiled-input",
           "Each thread loads one pixel, and a third of them only load. Tiles are not aligned any more."),
    KERNEL(convolution_2d_odd_width, "odd-width",
           "tiled-output on a picture that is one pixel narrower: rows begin anywhere in a line of memory.",
           .parameter = ODD_WIDTH),
    KERNEL(convolution_2d_row_pitch, "row-pitch",
           "The same picture with rows padded to whole lines of 128 bytes. Gains little: caches hold split lines.",
           .parameter = ROW_PITCH),
    KERNEL(convolution_2d_register_tiled, "register-tiled",
           "Eight results for each thread, one below the other, their sums in registers: 7.5 loads for each."),
    PRODUCT("correlate border=constant", "product", "The daemon's correlate."),
};

LADDER(g_convolution_2d, .name = "convolution-2d",
       .title = "a square picture under a mask of 5 x 5, zeros outside, f32", .n = 16384, .max_n = (size_t)1 << 19,
       .counts = "rows and columns", .bytes = bytes, .views = views);
