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

/* A rung's parameter. */
#define PACKED(tile, mask) ((mask) << 16 | (tile))

static void sizes_of(size_t n_results, struct sizes *ret_sizes)
{
    *ret_sizes = (struct sizes){.in = {n_results * sizeof(float), MAX_MASK * MAX_MASK * sizeof(float)},
                                .out = (HEAD + n_results) * sizeof(float)};
}

static void sizes_1d(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    sizes_of(n, ret_sizes);
}

static void sizes_2d(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    sizes_of(n * n, ret_sizes);
}

/* Small integers, so that sums are exact in any order. */
static void fill_of(size_t n_results, float *x, float *mask)
{
    for (size_t i = 0; i < n_results; i++)
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

static uint64_t squared(uint64_t x)
{
    return x * x;
}

static void put_count(uint64_t loads, void *out)
{
    memset(out, 0, HEAD * sizeof(float));
    memcpy(out, &loads, sizeof(loads));
}

static float sum_1d(const float *x, const float *weights, size_t n, size_t mask, size_t i)
{
    float sum = 0;
    for (size_t k = 0; k < mask; k++)
        if (i + k >= mask / 2 && i + k - mask / 2 < n)
            sum += x[i + k - mask / 2] * weights[k];
    return sum;
}

static void reference_1d(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    float *results = (float *)out + HEAD;
    put_count(loads_along(n, tile_of(parameter), mask_of(parameter)), out);
    for (size_t i = 0; i < n; i++)
        results[i] = sum_1d(in[0], in[1], n, mask_of(parameter), i);
}

static void reference_2d(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *x = in[0], *weights = in[1];
    float *results = (float *)out + HEAD;
    size_t mask = mask_of(parameter), radius = mask / 2;
    put_count(squared(loads_along(n, tile_of(parameter), mask)), out);
    for (size_t row = 0; row < n; row++)
        for (size_t col = 0; col < n; col++) {
            float sum = 0;
            for (size_t k = 0; k < mask; k++)
                if (row + k >= radius && row + k - radius < n)
                    sum += sum_1d(x + (row + k - radius) * n, weights + k * mask, n, mask, col);
            results[row * n + col] = sum;
        }
}

/* Every tap outside the ghost cells is a load of the basic kernel. */
static void note(uint64_t taps, double theory, const void *got, char *ret_text, size_t size)
{
    uint64_t loads;
    memcpy(&loads, got, sizeof(loads));
    if (loads > 0)
        snprintf(ret_text, size, "; %llu loads, each for %.2f taps, in theory %.2f", (unsigned long long)loads,
                 (double)taps / (double)loads, theory);
}

static double reuse(unsigned parameter)
{
    double tile = (double)tile_of(parameter), mask = (double)mask_of(parameter);
    return tile * mask / (tile + mask - 1);
}

static void note_1d(size_t n, unsigned parameter, const void *got, char *ret_text, size_t size)
{
    note(loads_along(n, 1, mask_of(parameter)), reuse(parameter), got, ret_text, size);
}

static void note_2d(size_t n, unsigned parameter, const void *got, char *ret_text, size_t size)
{
    note(squared(loads_along(n, 1, mask_of(parameter))), reuse(parameter) * reuse(parameter), got, ret_text, size);
}

#define BASIC(forms, mask)                                                                                             \
    {                                                                                                                  \
        RUNG_FORMS(forms), .name = "mask-" #mask "-basic", .parameter = PACKED(1u, mask##u),                           \
                           .about = "Mask of " #mask ", a load for each tap."                                          \
    }
#define TILED(forms, mask, tile)                                                                                       \
    {                                                                                                                  \
        RUNG_FORMS(forms), .name = "mask-" #mask "-tile-" #tile, .parameter = PACKED(tile##u, mask##u),                \
                           .about = "Mask of " #mask ", tiles of " #tile " in shared memory."                          \
    }

static const struct rung rungs_1d[] = {
    BASIC(reuse_1d_basic, 5),      TILED(reuse_1d_tiled, 5, 8),   TILED(reuse_1d_tiled, 5, 16),
    TILED(reuse_1d_tiled, 5, 32),  TILED(reuse_1d_tiled, 5, 64),  TILED(reuse_1d_tiled, 5, 128),
    TILED(reuse_1d_tiled, 5, 256), BASIC(reuse_1d_basic, 9),      TILED(reuse_1d_tiled, 9, 8),
    TILED(reuse_1d_tiled, 9, 16),  TILED(reuse_1d_tiled, 9, 32),  TILED(reuse_1d_tiled, 9, 64),
    TILED(reuse_1d_tiled, 9, 128), TILED(reuse_1d_tiled, 9, 256),
};

static const struct rung rungs_2d[] = {
    BASIC(reuse_2d_basic, 5),     TILED(reuse_2d_tiled, 5, 8),  TILED(reuse_2d_tiled, 5, 16),
    TILED(reuse_2d_tiled, 5, 32), TILED(reuse_2d_tiled, 5, 64), BASIC(reuse_2d_basic, 9),
    TILED(reuse_2d_tiled, 9, 8),  TILED(reuse_2d_tiled, 9, 16), TILED(reuse_2d_tiled, 9, 32),
    TILED(reuse_2d_tiled, 9, 64),
};

static const size_t checked_1d[] = {0, 1, 2, 5, 8, 9, 31, 32, 33, 255, 256, 257, 2000};
static const size_t checked_2d[] = {0, 1, 2, 7, 8, 9, 31, 33, 65, 100};

const struct ladder g_reuse_1d = {.name = "reuse-1d",
                                  .title = "loads that a tile in shared memory saves under a mask of 5 or 9, counted",
                                  .n = (size_t)1 << 22,
                                  .counts = "elements",
                                  .checked = checked_1d,
                                  .n_checked = sizeof(checked_1d) / sizeof(checked_1d[0]),
                                  .sizes = sizes_1d,
                                  .fill = fill_1d,
                                  .reference = reference_1d,
                                  .note = note_1d,
                                  .rungs = rungs_1d,
                                  .n_rungs = sizeof(rungs_1d) / sizeof(rungs_1d[0])};

const struct ladder g_reuse_2d = {
    .name = "reuse-2d",
    .title = "loads that a tile in shared memory saves under a mask of 5 x 5 or 9 x 9, counted",
    .n = 2048,
    .max_n = (size_t)1 << 18,
    .counts = "rows and columns",
    .checked = checked_2d,
    .n_checked = sizeof(checked_2d) / sizeof(checked_2d[0]),
    .sizes = sizes_2d,
    .fill = fill_2d,
    .reference = reference_2d,
    .note = note_2d,
    .rungs = rungs_2d,
    .n_rungs = sizeof(rungs_2d) / sizeof(rungs_2d[0])};
