/* SPDX-License-Identifier: MIT */
/* Between the passes of morphology.c and the lines of tile.c. */
#ifndef GF_KERNELS_CPU_MORPHOLOGY_TILE_H
#define GF_KERNELS_CPU_MORPHOLOGY_TILE_H

#include "kernels/cpu/device/tiles.h"
#include "kernels/shared/morphology/morphology.h"
#include "simd_morphology.h"

/* Extrema of 1, 2, 4, ... rows below each other, or of 1, 4, 16, ...; of 255 at most. */
#define GF_CPU_MAX_LEVELS 8u

/* Lines of a tile, each the extremum of `rows` rows from its own on; the last `capacity` of them are kept. */
struct gf_cpu_level {
    uint32_t rows, capacity;
    uint32_t n_from; /* lines of the level before, as many rows apart as one of them covers, that make one */
};

/* A line that takes part in a result: of a level, so many rows and columns from the first member's on. */
struct gf_cpu_tap {
    uint8_t level, x, y;
};

/* One pass of a step over its picture, or two. A picture without data is the rows that one leaves for the other. */
struct gf_cpu_pass {
    const struct gf_cpu_call *call;
    const struct gf_morphology *m;
    const struct gf_morphology_pass *pass;
    struct gf_cpu_pass *before; /* makes its rows when this one needs them, while they are in the cache; else NULL */
    uint32_t kept;              /* of those, at a time */
    size_t kept_pitch;
    struct gf_buf src, dst;
    const struct gf_buf *other;                     /* of the end, else NULL */
    enum gf_morphology_end end;                     /* GF_END_RESULT in passes before the last one */
    bool from_floats, to_floats;                    /* what is read are floats, not keys; likewise what is made */
    bool stream;                                    /* results go past the caches */
    unsigned char outside[GF_MORPHOLOGY_MAX_PIXEL]; /* a pixel outside, like those that are read */
    uint32_t dtype, channels;
    size_t size, pixel; /* bytes */
    struct gf_cpu_level level[GF_CPU_MAX_LEVELS];
    uint32_t n_levels;
    struct gf_cpu_tap *taps; /* owned */
    uint32_t n_taps;
    bool whole_row; /* row `row_y` of the element is whole: one line for all of its members, made when it is needed */
    uint32_t row_y;
    bool pairs; /* results are made two rows at a time, of rows of level 0 that follow each other */
    struct gf_tiles tiles;
    uint64_t piece;  /* pixels of a row of a tile that are worked on at a time */
    uint32_t pieces; /* of a tile, at most */
    size_t line;     /* bytes of a piece with its halo, and room behind it */
};

/* Bytes that a tile works in. */
uint64_t gf_cpu_morphology_workspace(const struct gf_cpu_pass *p);
/* Makes a tile of a struct gf_cpu_pass. */
gf_cpu_tile_fn gf_cpu_morphology_tile;

#endif
