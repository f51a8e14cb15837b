/* SPDX-License-Identifier: MIT */
/*
 * The windows and weights of resize as a GPU reads them: groups of four neighbouring results, which share the samples
 * that they read, and tiles of such groups. The tables of a step are contiguous, so that one copy uploads them. Made by
 * resize_tables.c for kernels/cuda/geometry.
 */
#ifndef GF_KERNELS_RESIZE_TABLES_H
#define GF_KERNELS_RESIZE_TABLES_H

#include "resize.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_RESIZE_GROUP 4      /* results of a group */
#define GF_RESIZE_TILE_ROWS 32 /* rows of the result in a tile */
/* Words from one quad of samples of a tile's rows to the next, and in a row of the tile's result. */
#define GF_RESIZE_QUAD_PITCH (4 * GF_RESIZE_TILE_ROWS + 1)
#define GF_RESIZE_OUT_PITCH(groups, channels) ((groups)*GF_RESIZE_GROUP * (channels) + 1)

/* The weights of one source pixel in each result of a group. A pixel outside a result's window has weight 0, or NaN for
 * samples that may be infinite or NaN, whose product with 0 is not 0: it is not a tap. */
struct gf_resize_weights {
    float of[GF_RESIZE_GROUP];
};

/* The window of a column of tiles: its first sample as a flat index, a multiple of 4, and its number of quads. */
struct gf_resize_span {
    int32_t flat, quads;
};

enum gf_resize_table {
    GF_RESIZE_X_FIRST, /* group g of columns is made of source pixels from first[g] on, */
    GF_RESIZE_X_AT,    /* with weights[at[g]] to weights[at[g + 1]] - 1 */
    GF_RESIZE_Y_FIRST,
    GF_RESIZE_Y_AT,
    GF_RESIZE_SPANS,
    GF_RESIZE_X_WEIGHTS,
    GF_RESIZE_Y_WEIGHTS,
    GF_RESIZE_N_TABLES,
    GF_RESIZE_COLUMNS = GF_RESIZE_X_FIRST, /* for nearest: the source pixel of each column, */
    GF_RESIZE_ROWS = GF_RESIZE_X_AT,       /* and of each row */
};

struct gf_resize_tables {
    void *data; /* owned */
    size_t size;
    size_t at[GF_RESIZE_N_TABLES]; /* offsets from `data` in bytes, multiples of 16 */
    uint32_t most_x, most_y;       /* most pixels of a window */
    int32_t columns, rows;         /* in groups */
    int32_t tile_groups, quads;    /* groups of columns per tile, quads of the widest; 0: windows are too wide */
};

#define GF_RESIZE_TABLES_NULL ((struct gf_resize_tables){0})

/* Shared memory of a tile of this many groups of columns and quads, in bytes. */
static inline size_t gf_resize_tile_bytes(int32_t groups, int32_t quads, int32_t channels)
{
    return ((size_t)quads * GF_RESIZE_QUAD_PITCH +
            (size_t)GF_RESIZE_TILE_ROWS * (size_t)GF_RESIZE_OUT_PITCH(groups, channels)) *
           sizeof(float);
}

/* Makes the tables of a step on pictures of a dtype. A tile takes at most `tile_bytes`. NO_MEMORY. On success the
 * caller must call gf_resize_tables_deinit. */
enum gf_status gf_resize_tables_init(struct gf_resize_tables *tables, const struct gf_resize *resize, uint32_t dtype,
                                     uint32_t channels, size_t tile_bytes, struct gf_error *err);
void gf_resize_tables_deinit(struct gf_resize_tables *tables);

#ifdef __cplusplus
}
#endif
#endif
