/* SPDX-License-Identifier: MIT */
/* The tiles of some ops on the CPU and the threads' workspaces: clahe, distance, match, conv1d, pyramid. */
#ifndef GF_PROTOCOL_PLANS_H
#define GF_PROTOCOL_PLANS_H

#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_geometry.h"
#include "protocol/ops/params/clahe.h"
#include "protocol/ops/program.h"
#include "tiles.h"

#define GF_CLAHE_COUNTERS                                                                                              \
    4u /* counters per 8-bit value, so that equal neighbours do not wait for each other's increment */
/* With at most so many 16-bit samples a tile has a sorted list of its values, which takes less than a table of all. */
#define GF_CLAHE_FEW 512u

/* The sides of clahe's tiles in pixels, docs/numerics.md, "clahe". */
static inline void gf_clahe_sides(const struct gf_step *step, uint32_t ret[2])
{
    const struct gf_clahe_params p = gf_clahe_params_get(&step->params);
    const uint64_t tiles[2] = {GF_PICK(p.tiles, 0), GF_PICK(p.tiles, 1)};
    const uint64_t sides[2] = {step->out[0].width, step->out[0].height};
    const bool divides = sides[0] % tiles[0] == 0 && sides[1] % tiles[1] == 0;
    for (uint32_t axis = 0; axis < 2; axis++)
        ret[axis] = (uint32_t)(sides[axis] / tiles[axis] + (divides ? 0 : 1));
}

/* The tables of all tiles of the picture: for all colours at a time, but for one where tables have 16 bits. */
struct gf_clahe_plan {
    uint32_t size, colours;            /* bytes per sample; colours at a time */
    uint32_t few;                      /* samples of a tile, if it gets a list; otherwise 0 */
    struct gf_tiles tables, rows;      /* one table per tile; rows of samples */
    uint64_t table_bytes, place_bytes; /* of all tables; of the places of columns */
};

/* How the samples clipped off a histogram are redistributed. */
struct gf_clahe_share {
    uint32_t each;           /* added to every value */
    uint32_t step, one_more; /* plus one to every `step`th value from 0 on, `one_more` times */
};

/* A tile of few samples: its different values, in their order, are values[first] and the next, and sums[first + i] is
 * the number of samples with one of the first i of them, clipped. */
struct gf_clahe_list {
    uint64_t first;
    uint32_t n;
    struct gf_clahe_share share;
};

/* A thread's room for a list: the samples, a bit for each value that they have, and a bit for each word of such bits.
 */
struct gf_clahe_room {
    uint64_t words[1024], which[16];
    uint16_t samples[GF_CLAHE_FEW];
};

static inline struct gf_clahe_plan gf_clahe_plan(const struct gf_step *step)
{
    const struct gf_clahe_params p = gf_clahe_params_get(&step->params);
    const struct gf_view *view = &step->out[0];
    const uint64_t across = GF_PICK(p.tiles, 0), tiles = across * GF_PICK(p.tiles, 1);
    uint32_t sides[2];
    struct gf_clahe_plan plan;
    gf_clahe_sides(step, sides);
    const uint64_t samples = (uint64_t)sides[0] * sides[1];
    plan.size = (uint32_t)gf_dtype_size(view->dtype);
    plan.few = plan.size > 1 && samples <= GF_CLAHE_FEW ? (uint32_t)samples : 0;
    plan.colours = plan.size == 1 || plan.few > 0 ? gf_computed_channels(p.alpha, view->channels) : 1;
    const uint64_t levels = plan.size == 1 ? 256 : 65536, tables = tiles * plan.colours;
    plan.tables = (struct gf_tiles){tiles, plan.colours, 1, 1, 0};
    plan.rows = gf_whole_rows(view->width * view->channels, view->height, 1u << 16);
    /* Room for the counters of a table, or for the cells of a row. */
    plan.tables.room = plan.rows.room =
        plan.few > 0 ? sizeof(struct gf_clahe_room)
                     : sizeof(uint32_t) * (plan.size > 1 ? levels : levels * gf_max_u64(GF_CLAHE_COUNTERS, across + 1));
    plan.table_bytes =
        plan.few > 0
            ? tables * (sizeof(struct gf_clahe_list) + (plan.few + UINT64_C(1)) * (sizeof(uint32_t) + sizeof(uint16_t)))
            : tables * levels * plan.size;
    plan.place_bytes = view->width * 3 * sizeof(uint32_t);
    return plan;
}

/* A parabola of distance that is the lowest one from place `from` on. */
struct gf_parabola {
    int32_t at, from;
    int64_t square; /* the square of its height */
};

/* The rows of distance; a thread's room holds the squares of a row, and parabolas. */
static inline struct gf_tiles gf_distance_rows(const struct gf_view *view)
{
    struct gf_tiles rows = gf_whole_rows(view->width, view->height, 65536);
    rows.room = view->width * (sizeof(double) + sizeof(struct gf_parabola));
    return rows;
}

/* Size of a tile of scores of match, and of a part of the template. */
#define GF_MATCH_TILE_COLUMNS 256u
#define GF_MATCH_TILE_ROWS 32u
#define GF_MATCH_PART_COLUMNS 64u
#define GF_MATCH_PART_ROWS 32u

struct gf_match_workspace {
    int32_t words[GF_MATCH_TILE_ROWS + GF_MATCH_PART_ROWS][GF_MATCH_TILE_COLUMNS + GF_MATCH_PART_COLUMNS];
    int32_t templ[(GF_MATCH_PART_ROWS + 2) * GF_MATCH_PART_COLUMNS / 2];
    int32_t part[2][GF_MATCH_TILE_COLUMNS];
    int64_t products[GF_MATCH_TILE_ROWS][GF_MATCH_TILE_COLUMNS];
    int64_t numerators[GF_MATCH_TILE_COLUMNS], squares[GF_MATCH_TILE_COLUMNS]; /* of a row of scores */
};

/* Columns of the picture under a tile of scores and the template. */
static inline uint64_t gf_match_columns(const struct gf_view *scores, const struct gf_view *templ)
{
    return (gf_min_u64(GF_MATCH_TILE_COLUMNS, scores->width) + templ->width - 1) * templ->channels;
}

/* Per thread a room, the keys of the best peaks, two counts of peaks, and the sums and squares of columns. */
static inline uint64_t gf_match_scratch(uint64_t columns, uint32_t peaks, uint32_t threads)
{
    return threads * (sizeof(struct gf_match_workspace) + peaks * sizeof(uint64_t) + 2 * sizeof(uint64_t) +
                      columns * 2 * sizeof(uint32_t));
}

/* Bytes of a tile's sums for a 1-D kernel, and of the elements for these sums and the current taps. */
#define GF_CONV1D_TILE_BYTES 8192u
#define GF_CONV1D_INPUT_BYTES (2 * GF_CONV1D_TILE_BYTES)

static inline uint64_t gf_conv1d_tap_bytes(uint64_t taps, uint32_t dtype)
{
    const uint64_t size = dtype == GF_F32 ? sizeof(float) : sizeof(uint64_t);
    return gf_round_up(taps * size, 64);
}

static inline uint64_t gf_conv1d_scratch(uint64_t taps, uint32_t dtype, uint32_t threads)
{
    return gf_conv1d_tap_bytes(taps, dtype) + (uint64_t)threads * (GF_CONV1D_TILE_BYTES + GF_CONV1D_INPUT_BYTES);
}

/* Rows of one level of pyramid, cut by the samples of the wider picture. A thread has eight lines. */
static inline struct gf_tiles gf_pyramid_rows(uint64_t widest, uint64_t height)
{
    struct gf_tiles rows = gf_whole_rows(widest, height, 128 * 1024);
    rows.room = 8 * GF_PYRAMID_LINE(widest) * sizeof(float);
    return rows;
}

#endif
