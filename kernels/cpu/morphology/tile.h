/* SPDX-License-Identifier: MIT */
/* The interface between the passes of morphology.c and the tiles of tile.c. */
#ifndef GF_KERNELS_CPU_MORPHOLOGY_TILE_H
#define GF_KERNELS_CPU_MORPHOLOGY_TILE_H

#include "kernels/cpu/device/tiles.h"
#include "kernels/shared/morphology/morphology.h"
#include "simd_morphology.h"

/* Levels cover 1, 2, 4, ... rows, or 1, 4, 16, ...; 255 rows at most. */
#define GF_CPU_MAX_LEVELS 8u

/* Lines of a tile, each the extremum of `rows` rows from its own row on. The last `capacity` lines are kept. */
struct gf_cpu_level {
    uint32_t rows, capacity;
    uint32_t n_from; /* lines of the previous level that make one, each offset by the rows that one of them covers */
};

/* A line that contributes to a result: its level, its offset from the first member, and the offset of its place among
 * the lines that its level keeps. */
struct gf_cpu_tap {
    uint8_t level, x, y, slot;
};

/* One pass of a step over its picture, or two joined passes. A picture without data stands for the rows that the first
 * pass hands to the second. */
struct gf_cpu_pass {
    const struct gf_cpu_call *call;
    const struct gf_morphology *m;
    const struct gf_morphology_pass *pass;
    struct gf_cpu_pass *before; /* the joined first pass, which computes its rows when this pass needs them, while they
                                   are in the cache; otherwise NULL */
    uint32_t kept;              /* rows of the first pass kept at a time */
    size_t kept_pitch;
    struct gf_buf src, dst;
    const struct gf_buf *other;  /* the other operand of `end`, otherwise NULL */
    enum gf_morphology_end end;  /* GF_END_RESULT in all passes but the last */
    bool from_floats, to_floats; /* whether the source holds floats instead of keys, and whether the result does */
    bool stream;                 /* results are written with streaming stores */
    unsigned char outside[GF_MORPHOLOGY_MAX_PIXEL]; /* a pixel outside, in the form of the source */
    uint32_t dtype, channels;
    size_t size, pixel; /* bytes */
    struct gf_cpu_level level[GF_CPU_MAX_LEVELS];
    uint32_t n_levels;
    struct gf_cpu_tap *taps; /* owned */
    uint32_t n_taps;
    bool whole_row; /* row `row_y` of the element is whole: one line for all its members is made when needed */
    uint32_t row_y;
    bool pairs; /* results are computed two rows at a time, from consecutive rows of level 0 */
    struct gf_tiles tiles;
    uint64_t piece;  /* pixels of a tile's row processed at a time */
    uint32_t pieces; /* pieces per tile, at most */
    size_t line;     /* bytes of a piece with its halo, plus padding */
};

/* Bytes of a tile's workspace. */
uint64_t gf_cpu_morphology_workspace(const struct gf_cpu_pass *p);
/* Computes a tile of a struct gf_cpu_pass. */
gf_cpu_tile_fn gf_cpu_morphology_tile;

#endif
