/* SPDX-License-Identifier: MIT */
/*
 * The problems of convolution_reuse.cu: an array and a picture under masks of 5 and 9. The result is the number of
 * loads from global memory that a rung counts. It must be exactly the number of elements that the rung's tiles cover,
 * with each tile's halo counted again. The ladder prints it beside the theoretical factor of a tile without borders.
 */
#include "convolution_reuse.cu"
#include "samples/patterns/patterns.h"

#include <stdio.h>
#include <string.h>

static bool is_plane(unsigned parameter)
{
    return (parameter & DIMENSIONS_2d) != 0;
}

static size_t n_results(size_t n, unsigned parameter)
{
    return is_plane(parameter) ? n * n : n;
}

SIZES(.in = {n_results(n, parameter) * sizeof(float), sizeof(g_mask)},
      .out = (HEAD + n_results(n, parameter)) * sizeof(float))

/* Small integers, so that sums are exact in any order. */
static void fill_of(size_t n, float *x, float *mask)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((uint32_t)i * 2654435761u >> 28) - 7;
    for (size_t k = 0; k < MAX_MASK * MAX_MASK; k++)
        mask[k] = (float)(k * 7 % 11) - 4;
}

static void fill_1d(size_t n, void *const in[MAX_INPUTS])
{
    fill_of(n, in[0], in[1]);
}

static void fill_2d(size_t n, void *const in[MAX_INPUTS])
{
    fill_of(n * n, in[0], in[1]);
}

/* The elements that all tiles along one dimension load: the elements of their results and of the halo, without ghost
 * cells. */
static uint64_t loads_along(size_t n, size_t tile, size_t mask)
{
    size_t radius = mask / 2;
    uint64_t loads = 0;
    for (size_t begin = 0; begin < n; begin += tile) {
        size_t end = begin + tile + radius;
        loads += (end < n ? end : n) - (begin > radius ? begin - radius : 0);
    }
    return loads;
}

/* The loads of a rung that has such tiles. */
static uint64_t loads_of(size_t n, size_t tile, unsigned parameter)
{
    uint64_t loads = loads_along(n, tile, mask_of(parameter));
    return is_plane(parameter) ? loads * loads : loads;
}

/* The sum at place i of a row, under a row of the mask. */
static float sum_of_row(const float *x, const float *weights, size_t n, size_t mask, size_t i)
{
    float sum = 0;
    for (size_t k = 0; k < mask; k++)
        if (i + k >= mask / 2 && i + k - mask / 2 < n)
            sum += x[i + k - mask / 2] * weights[k];
    return sum;
}

/* An array is a picture of one row under a mask of one row. */
static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *x = in[0], *weights = in[1];
    float *results = (float *)out + HEAD;
    size_t mask = mask_of(parameter), rows = is_plane(parameter) ? n : 1, mask_rows = is_plane(parameter) ? mask : 1;
    uint64_t loads = loads_of(n, tile_of(parameter), parameter);
    memset(out, 0, HEAD * sizeof(float));
    memcpy(out, &loads, sizeof(loads));
    for (size_t row = 0; row < rows; row++)
        for (size_t col = 0; col < n; col++) {
            float sum = 0;
            for (size_t k = 0; k < mask_rows; k++) {
                size_t from = row + k - mask_rows / 2; /* wraps above the picture */
                if (from < rows)
                    sum += sum_of_row(x + from * n, weights + k * mask, n, mask, col);
            }
            results[row * n + col] = sum;
        }
}

/* Every tap outside the ghost cells is a load of the basic kernel. */
static void note(size_t n, unsigned parameter, const void *got, char *ret_text, size_t size)
{
    uint64_t loads, taps = loads_of(n, 1, parameter);
    double tile = (double)tile_of(parameter), mask = (double)mask_of(parameter);
    double reuse = tile * mask / (tile + mask - 1);
    memcpy(&loads, got, sizeof(loads));
    if (loads > 0)
        snprintf(ret_text, size, "; %llu loads, each for %.2f taps, in theory %.2f", (unsigned long long)loads,
                 (double)taps / (double)loads, is_plane(parameter) ? reuse * reuse : reuse);
}

#define BASIC(dimensions, mask)                                                                                        \
    KERNEL(reuse_##dimensions##_basic, "mask-" #mask "-basic", "Mask of " #mask ", a load for each tap.",              \
           .parameter = DIMENSIONS_##dimensions + (mask << 16) + 1)
#define TILED(dimensions, mask, tile)                                                                                  \
    KERNEL(reuse_##dimensions##_tiled, "mask-" #mask "-tile-" #tile,                                                   \
           "Mask of " #mask ", tiles of " #tile " in shared memory.",                                                  \
           .parameter = DIMENSIONS_##dimensions + (mask << 16) + tile)

static const struct rung rungs_1d[] = {
    BASIC(1d, 5),      TILED(1d, 5, 8),   TILED(1d, 5, 16),  TILED(1d, 5, 32),  TILED(1d, 5, 64),
    TILED(1d, 5, 128), TILED(1d, 5, 256), BASIC(1d, 9),      TILED(1d, 9, 8),   TILED(1d, 9, 16),
    TILED(1d, 9, 32),  TILED(1d, 9, 64),  TILED(1d, 9, 128), TILED(1d, 9, 256),
};

static const struct rung rungs_2d[] = {
    BASIC(2d, 5), TILED(2d, 5, 8), TILED(2d, 5, 16), TILED(2d, 5, 32), TILED(2d, 5, 64),
    BASIC(2d, 9), TILED(2d, 9, 8), TILED(2d, 9, 16), TILED(2d, 9, 32), TILED(2d, 9, 64),
};

static const size_t checked_1d[] = {0, 1, 2, 5, 8, 9, 31, 32, 33, 255, 256, 257, 2000};
static const size_t checked_2d[] = {0, 1, 2, 7, 8, 9, 31, 33, 65, 100};

LADDER_FROM(g_reuse_1d, fill_1d, checked_1d, rungs_1d, .name = "reuse-1d",
            .title = "loads that a tile in shared memory saves under a mask of 5 or 9, counted", .n = (size_t)1 << 22,
            .counts = "elements", .note = note);

LADDER_FROM(g_reuse_2d, fill_2d, checked_2d, rungs_2d, .name = "reuse-2d",
            .title = "loads that a tile in shared memory saves under a mask of 5 x 5 or 9 x 9, counted", .n = 2048,
            .max_n = (size_t)1 << 18, .counts = "rows and columns", .note = note);
