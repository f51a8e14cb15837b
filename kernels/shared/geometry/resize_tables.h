/* SPDX-License-Identifier: MIT */
/*
 * The windows and weights of resize as a GPU reads them: four neighbouring results at a time, which share the samples
 * that they read, and tiles of such groups. All tables of a step lie one after the other, to be copied at once. Made by
 * resize_tables.c for kernels/cuda/geometry.
 */
#ifndef GF_KERNELS_RESIZE_TABLES_H
#define GF_KERNELS_RESIZE_TABLES_H

#include "resize.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_RESIZE_GROUP 4      /* results of a group */
#define GF_RESIZE_TILE_ROWS 32 /* of the result, in a tile */
/* Words from one quad of samples of a tile's lines to the next, and of a line of its result. */
#define GF_RESIZE_QUAD_PITCH (4 * GF_RESIZE_TILE_ROWS + 1)
#define GF_RESIZE_OUT_PITCH(groups, channels) ((groups)*GF_RESIZE_GROUP * (channels) + 1)

/* Weights of one pixel of the source in each of a group's results; where it is in none of a window, 0, and for samples
 * that may be infinite or NaN, whose product with 0 shows, NaN: no tap. */
struct gf_resize_weights {
    float of[GF_RESIZE_GROUP];
};

/* Where the window of a column of tiles begins, a flat index and a multiple of 4, and how many quads it has. */
struct gf_resize_span {
    int32_t flat, quads;
};

enum gf_resize_table {
    GF_RESIZE_X_FIRST, /* group g of columns is made of pixels from first[g] on, */
    GF_RESIZE_X_AT,    /* with weights[at[g]] to weights[at[g + 1]] - 1 */
    GF_RESIZE_Y_FIRST,
    GF_RESIZE_Y_AT,
    GF_RESIZE_SPANS,
    GF_RESIZE_X_WEIGHTS,
    GF_RESIZE_Y_WEIGHTS,
    GF_RESIZE_N_TABLES,
    GF_RESIZE_COLUMNS = GF_RESIZE_X_FIRST, /* of nearest: the pixel of the source of each column, */
    GF_RESIZE_ROWS = GF_RESIZE_X_AT,       /* and row */
};

struct gf_resize_tables {
    void *data; /* owned */
    size_t size;
    size_t at[GF_RESIZE_N_TABLES]; /* bytes from `data` on, multiples of 16 */
    uint32_t most_x, most_y;       /* pixels of a window, at most */
    int32_t columns, rows;         /* groups */
    int32_t tile_groups, quads;    /* groups of columns of a tile, quads of the widest; 0: windows are too wide */
};

#define GF_RESIZE_TABLES_NULL ((struct gf_resize_tables){0})

/* Bytes of shared memory of a tile of so many groups of columns and quads. */
static inline size_t gf_resize_tile_bytes(int32_t groups, int32_t quads, int32_t channels)
{
    return ((size_t)quads * GF_RESIZE_QUAD_PITCH +
            (size_t)GF_RESIZE_TILE_ROWS * (size_t)GF_RESIZE_OUT_PITCH(groups, channels)) *
           sizeof(float);
}

/* Of a step over pictures of a dtype; tiles have at most so many bytes. NO_MEMORY. On success the caller calls
 * gf_resize_tables_deinit. */
enum gf_status gf_resize_tables_init(struct gf_resize_tables *tables, const struct gf_resize *resize, uint32_t dtype,
                                     uint32_t channels, size_t tile_bytes, struct gf_error *err);
void gf_resize_tables_deinit(struct gf_resize_tables *tables);

#ifdef __cplusplus
}
#endif
#endif
