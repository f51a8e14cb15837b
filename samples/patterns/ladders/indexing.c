/* SPDX-License-Identifier: MIT */
/* The problem of indexing.cu: a matrix times 3. */
#include "samples/patterns/patterns.h"

DECLARE_RUNG(indexing_one_element_per_block);
DECLARE_RUNG(indexing_row_wise);
DECLARE_RUNG(indexing_column_wise);
DECLARE_RUNG(indexing_div_mod);
DECLARE_RUNG(indexing_grid_2d);
DECLARE_RUNG(indexing_blocks_2d_columns);
DECLARE_RUNG(indexing_blocks_2d_rows);
DECLARE_RUNG(indexing_folded_columns);
DECLARE_RUNG(indexing_folded_rows);

/* Around the sides of blocks (8, 16, 32), around BLOCK for a thread per row or column, and multiples of nothing. */
static const size_t checked[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 101, 257};

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes = (struct sizes){.in = {n * n * sizeof(float)}, .out = n * n * sizeof(float)};
}

/* Small integers, so that products are exact. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *a = in[0];
    for (size_t i = 0; i < n * n; i++)
        a[i] = (float)(i % 4001) - 2000;
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    const float *a = in[0];
    float *b = out;
    for (size_t i = 0; i < n * n; i++)
        b[i] = 3 * a[i];
}

static double bytes(size_t n, unsigned parameter)
{
    (void)parameter;
    return 2 * (double)n * (double)n * sizeof(float);
}

static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    in[0] = gpufilter_const_view(NULL, n, n, 0, GPUFILTER_F32, 1);
    *ret_n_in = *ret_n_resident = 1;
}

static double every(double n)
{
    return n * n;
}

static double side(double n)
{
    return n;
}

static double one(double n)
{
    (void)n;
    return 1;
}

static const struct rung rungs[] = {
    {RUNG_FORMS(indexing_one_element_per_block), .name = "one-element-per-block", .max_n = 4096, .operations = every,
     .steps = one, .about = "blocks of one thread; 31 of 32 lanes idle, limited by the start of blocks"},
    {RUNG_FORMS(indexing_row_wise), .name = "row-wise-threads", .operations = every, .steps = side,
     .about = "a thread per row; uncoalesced: a warp touches 32 lines at each step"},
    {RUNG_FORMS(indexing_column_wise), .name = "column-wise-threads", .operations = every, .steps = side,
     .about = "a thread per column; coalesced, but too few threads to hide the latency"},
    {RUNG_FORMS(indexing_div_mod), .name = "div-mod", .operations = every, .steps = one,
     .about = "a thread per element; row and column by a division"},
    {RUNG_FORMS(indexing_grid_2d), .name = "grid-2d", .operations = every, .steps = one,
     .about = "a grid of blocks of 16x16 in place of the division; a warp is two half lines"},
    {RUNG_FORMS(indexing_blocks_2d_columns), .name = "blocks-2d-columns", .operations = every, .steps = one,
     .about = "blocks of 32x8, x along the column; uncoalesced: a warp touches 32 lines"},
    {RUNG_FORMS(indexing_blocks_2d_rows), .name = "blocks-2d-rows", .operations = every, .steps = one,
     .about = "blocks of 32x8, x along the row; a warp is one line; 4 bytes for each thread"},
    {RUNG_FORMS(indexing_folded_columns), .name = "folded-columns", .operations = every, .steps = one,
     .about = "blocks of 256 folded into 16x16, down the columns; a warp touches 16 lines"},
    {RUNG_FORMS(indexing_folded_rows), .name = "folded-rows", .operations = every, .steps = one,
     .about = "blocks of 256 folded into 16x16, along the rows; a warp is two half lines"},
    {.name = "map", .program = "map scale=3", .operations = every, .steps = one, .about = "the product's kernel"},
};

const struct ladder g_indexing = {.name = "indexing",
                                  .title = "a matrix times 3, with several ways to find the row and the column",
                                  .n = 16384,
                                  .max_n = 65535, /* rows of a grid; and 32 bits number all elements */
                                  .counts = "rows and columns",
                                  .checked = checked,
                                  .n_checked = sizeof(checked) / sizeof(checked[0]),
                                  .sizes = sizes,
                                  .fill = fill,
                                  .reference = reference,
                                  .bytes = bytes,
                                  .views = views,
                                  .rungs = rungs,
                                  .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
