/* SPDX-License-Identifier: MIT */
/*
 * clahe, prepared, and its arithmetic, docs/numerics.md, "clahe": tiles, the clipping of a histogram, table entries,
 * the mean of four tables. Host and device compile the same text. Used by both backends.
 */
#ifndef GF_KERNELS_CLAHE_H
#define GF_KERNELS_CLAHE_H

#include "kernels/backend.h"
#include "kernels/shared/bins.h"
#include "protocol/ops/params/clahe.h"
#include "protocol/ops/plan/plans.h"

struct gf_clahe {
    uint32_t tiles_x, tiles_y;
    uint32_t width, height;     /* of a tile, in pixels */
    uint32_t levels;            /* number of sample values: 256 or 65536 */
    uint32_t sign;              /* from the order of samples to their bits: 0x8000 for i16, otherwise 0 */
    uint32_t limit;             /* most samples kept per value; 0: all */
    float max, scale;           /* of a result; factor from sums to results */
    float inverse_x, inverse_y; /* tiles per pixel */
};

/* The position of a row or column among the tiles. */
struct gf_clahe_place {
    uint32_t before, after; /* the tiles with the nearest centres */
    float weight;           /* of the tile after */
};

/* Prepares a step of clahe. */
static inline struct gf_clahe gf_clahe_of(const struct gf_step *step, const struct gf_view *src)
{
    const struct gf_clahe_params p = gf_clahe_params_get(&step->params);
    uint32_t sides[2];
    gf_clahe_sides(step, sides);
    struct gf_clahe k = {.tiles_x = GF_PICK(p.tiles, 0),
                         .tiles_y = GF_PICK(p.tiles, 1),
                         .width = sides[0],
                         .height = sides[1],
                         .levels = src->dtype == GF_U8 ? 256u : 65536u,
                         .sign = src->dtype == GF_I16 ? 0x8000u : 0u,
                         .max = src->dtype == GF_U8    ? 255.0f
                                : src->dtype == GF_U16 ? 65535.0f
                                                       : 32767.0f};
    uint64_t samples = (uint64_t)k.width * k.height;
    double limit = p.clip * (double)samples / (double)k.levels;
    if (p.clip > 0.0)
        k.limit = limit < 1.0 ? 1 : limit < (double)samples ? (uint32_t)limit : (uint32_t)samples;
    k.scale = k.max / (float)samples;
    k.inverse_x = 1.0f / (float)k.width;
    k.inverse_y = 1.0f / (float)k.height;
    return k;
}

/* How `excess`, the samples above the limit, is redistributed. */
GF_BOTH struct gf_clahe_share gf_clahe_share_of(uint32_t levels, uint32_t excess)
{
    struct gf_clahe_share s = {excess / levels, 1, excess % levels};
    if (s.one_more > 0)
        s.step = levels / s.one_more;
    return s;
}

/* The samples of value v in the clipped histogram. */
GF_BOTH uint32_t gf_clahe_clipped(const struct gf_clahe *k, const struct gf_clahe_share *s, uint32_t v, uint32_t count)
{
    uint32_t kept = k->limit != 0 && count > k->limit ? k->limit : count;
    return kept + s->each + (v % s->step == 0 && v / s->step < s->one_more ? 1 : 0);
}

/* What values 0 to v get of the clipped samples. */
GF_BOTH uint32_t gf_clahe_shared(const struct gf_clahe_share *s, uint32_t v)
{
    uint32_t chosen = v / s->step + 1;
    return s->each * (v + 1) + (chosen < s->one_more ? chosen : s->one_more);
}

/* How many of n ascending values are at most v. */
GF_BOTH uint32_t gf_clahe_rank(const uint16_t *values, uint32_t n, uint32_t v)
{
    uint32_t at = 0;
    for (; n > 1; n -= n / 2)
        at += values[at + n / 2 - 1] <= v ? n / 2 : 0;
    return at + (values[at] <= v ? 1 : 0);
}

/* The result of a value, from `sum`, the samples of a clipped tile up to it. */
GF_BOTH uint32_t gf_clahe_entry(const struct gf_clahe *k, uint32_t sum)
{
    float v = rintf((float)sum * k->scale);
    return (uint32_t)(v < k->max ? v : k->max);
}

GF_BOTH struct gf_clahe_place gf_clahe_place_of(uint32_t at, float inverse, uint32_t tiles)
{
    float t = (float)at * inverse - 0.5f, below = floorf(t);
    struct gf_clahe_place place = {below < 0.0f ? 0 : (uint32_t)below, (uint32_t)(below + 1.0f), t - below};
    if (place.after > tiles - 1)
        place.after = tiles - 1;
    return place;
}

/* The mean of the entries of four tiles: above before and after, below before and after. */
GF_BOTH float gf_clahe_mean(float a, float b, float c, float d, float x, float y)
{
    float above = a * (1.0f - x) + b * x, below = c * (1.0f - x) + d * x;
    return above * (1.0f - y) + below * y;
}

#endif
