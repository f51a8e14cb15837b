/* SPDX-License-Identifier: MIT */
/* The problem of indexing.cu: a matrix times 3. */
#include "indexing.cu"
#include "samples/patterns/patterns.h"

/* Sizes around the sides of blocks (8, 16, 32) and around BLOCK, for a thread per row or column, and multiples of
 * nothing. */
static const size_t checked[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 101, 257};

SIZES(.in = {n * n * sizeof(float)}, .out = n * n * sizeof(float))

/* Small integers, so that products are exact. */
FILL(float, n *n, (float)(i % 4001) - 2000)

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    (void)parameter;
    const float *a = in[0];
    float *b = out;
    for (size_t i = 0; i < n * n; i++)
        b[i] = 3 * a[i];
}

TRAFFIC(bytes, 2 * (double)n * (double)n * sizeof(float))

VIEWS(1, PICTURE(n, n, GPUFILTER_F32))

FORMULA(every, n *n)
FORMULA(side, n)
FORMULA(one, 1)

static const struct rung rungs[] = {
    KERNEL(indexing_one_element_per_block, "one-element-per-block",
           "blocks of one thread; 31 of 32 lanes idle, limited by the start of blocks", .max_n = 4096,
           WORK(every, one)),
    KERNEL(indexing_row_wise, "row-wise-threads", "a thread per row; uncoalesced: a warp touches 32 lines at each step",
           WORK(every, side)),
    KERNEL(indexing_column_wise, "column-wise-threads",
           "a thread per column; coalesced, but too few threads to hide the latency", WORK(every, side)),
    KERNEL(indexing_div_mod, "div-mod", "a thread per element; row and column by a division", WORK(every, one)),
    KERNEL(indexing_grid_2d, "grid-2d", "a grid of blocks of 16x16 in place of the division; a warp is two half lines",
           WORK(every, one)),
    KERNEL(indexing_blocks_2d_columns, "blocks-2d-columns",
           "blocks of 32x8, x along the column; uncoalesced: a warp touches 32 lines", WORK(every, one)),
    KERNEL(indexing_blocks_2d_rows, "blocks-2d-rows",
           "blocks of 32x8, x along the row; a warp is one line; 4 bytes for each thread", WORK(every, one)),
    KERNEL(indexing_folded_columns, "folded-columns",
           "blocks of 256 folded into 16x16, down the columns; a warp touches 16 lines", WORK(every, one)),
    KERNEL(indexing_folded_rows, "folded-rows",
           "blocks of 256 folded into 16x16, along the rows; a warp is two half lines", WORK(every, one)),
    PRODUCT("map scale=3", "map", "the daemon's kernel", WORK(every, one)),
};

LADDER(g_indexing, .name = "indexing", .title = "a matrix times 3, with several ways to find the row and the column",
       .n = 16384, .max_n = 65535, /* rows of a grid; and 32 bits number all elements */ .counts = "rows and columns",
       .bytes = bytes, .views = views);
