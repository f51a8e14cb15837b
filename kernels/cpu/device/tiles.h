/* SPDX-License-Identifier: MIT */
/*
 * The loop over a result that all ops share: it cuts the result into tiles, gives each thread its scratch memory,
 * checks before every tile whether the job must stop, and reports why it stopped.
 */
#ifndef GF_KERNELS_CPU_TILES_H
#define GF_KERNELS_CPU_TILES_H

#include "cpu_ops.h"
#include "protocol/ops/plan/tiles.h"

struct gf_cpu_tile {
    uint64_t x, y, width, height;
    unsigned char *room; /* the thread's scratch, 64-byte aligned; the contents are initialised but unspecified */
    uint32_t slot;       /* the thread's number, below the pool's thread count */
    struct gf_cpu_stop *stop;
};

typedef void gf_cpu_tile_fn(void *context, const struct gf_cpu_tile *tile);

/* Calls fn for every tile. Tiles are claimed row by row, from left to right. CANCELLED, DEADLINE, NO_MEMORY. */
enum gf_status gf_cpu_tiles_run(const struct gf_cpu_call *call, const struct gf_tiles *tiles, gf_cpu_tile_fn *fn,
                                void *context, struct gf_error *err);

/* Whether the buffer's rows are contiguous, without padding. */
static inline bool gf_cpu_is_tight(const struct gf_buf *buf)
{
    return buf->view.pitch == gf_view_row_bytes(&buf->view);
}

/* Whether the rows of the result and of all inputs that have its pixels are contiguous, so that they may be processed
 * as one row. */
bool gf_cpu_rows_are_one(const struct gf_cpu_call *call);

/* As gf_cut_rows; all rows are cut as one if `one` is true. */
static inline struct gf_tiles gf_cpu_cut_rows(bool one, uint64_t width, uint64_t height, uint64_t task)
{
    return one ? gf_cut_rows(width * height, 1, task) : gf_cut_rows(width, height, task);
}

#endif
