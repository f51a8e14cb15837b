/* SPDX-License-Identifier: MIT */
/*
 * One loop over a result for all ops: cuts it into tiles, gives each thread its scratch memory, asks before every tile
 * whether the job is to stop, and says why it stopped.
 */
#ifndef GF_KERNELS_CPU_TILES_H
#define GF_KERNELS_CPU_TILES_H

#include "cpu_ops.h"
#include "protocol/ops/plan/tiles.h"

struct gf_cpu_tile {
    uint64_t x, y, width, height;
    unsigned char *room; /* the thread's, 64-byte aligned; contents undefined but initialised */
    uint32_t slot;       /* the thread's number, below the pool's thread count */
    struct gf_cpu_stop *stop;
};

typedef void gf_cpu_tile_fn(void *context, const struct gf_cpu_tile *tile);

/* Calls fn for every tile, those of a row of tiles one after the other. CANCELLED, DEADLINE, NO_MEMORY. */
enum gf_status gf_cpu_tiles_run(const struct gf_cpu_call *call, const struct gf_tiles *tiles, gf_cpu_tile_fn *fn,
                                void *context, struct gf_error *err);

/* Whether the rows of a buffer follow each other without padding. */
static inline bool gf_cpu_is_tight(const struct gf_buf *buf)
{
    return buf->view.pitch == gf_view_row_bytes(&buf->view);
}

#endif
