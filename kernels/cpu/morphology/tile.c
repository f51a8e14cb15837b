/* SPDX-License-Identifier: MIT */
/*
 * A tile of one pass: rows come in from top to bottom. Of a rectangle each row becomes the extrema of as many samples
 * as it is wide, by lines of 4 of these, then of 4 of those, and so on; then come rows of several rows below each
 * other, likewise; a result is made of up to four of the last ones, which overlap. Other elements are runs below each
 * other: rows of 1, 2, 4, ... rows are made, and a result takes two for each run. Called by morphology.c.
 */
#include "tile.h"

#include <string.h>

#include "kernels/shared/filter.h"

#define RADIX 4u
#define MAX_TAPS 5u /* lines of which a row of a rectangle is made at the end */

/* A piece of a tile, as wide as lines that stay in the first-level cache. Those of a tile go down side by side, so that
 * the source is read row by row. */
struct tile {
    struct gf_cpu_pass *p;
    int64_t x, y;       /* of the source, above and left of the tile by the anchor */
    size_t pixels;      /* of a result */
    size_t wide;        /* and of a row with its halo */
    unsigned char *raw; /* a row with its halo */
    unsigned char *temp[2];
    unsigned char *ring[GF_CPU_MAX_LEVELS];
    const void **lines;
};

static void put_outside(const struct gf_cpu_pass *p, unsigned char *to, size_t n)
{
    const unsigned char *pixel = p->m->outside[p->pass->dilate];
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * p->pixel, pixel, p->pixel);
}

/* Pixels `begin` to `end` - 1 of a row, outside of it. */
static void copy_border(const struct gf_cpu_pass *p, const unsigned char *row, int64_t begin, int64_t end,
                        unsigned char *to)
{
    for (int64_t i = begin; i < end; i++, to += p->pixel) {
        int64_t from = gf_border_index(p->m->border, i, (int64_t)p->src.view.width);
        if (from < 0)
            put_outside(p, to, 1);
        else
            memcpy(to, row + (size_t)from * p->pixel, p->pixel);
    }
}

/* Pixels `begin` to `end` - 1 of a row of the source, NULL for one outside, as keys. Some columns are inside: that of
 * the anchor. */
static void copy_row(const struct gf_cpu_pass *p, const unsigned char *row, int64_t begin, int64_t end,
                     unsigned char *to)
{
    const struct gf_simd_morphology *simd = p->call->simd->morphology;
    int64_t width = (int64_t)p->src.view.width, first = begin < 0 ? 0 : begin, last = end < width ? end : width;
    if (!row) {
        put_outside(p, to, (size_t)(end - begin));
        if (p->keys)
            simd->keys(p->dtype, to, to, (size_t)(end - begin) * p->channels);
        return;
    }
    copy_border(p, row, begin, first, to);
    copy_border(p, row, last, end, to + (size_t)(last - begin) * p->pixel);
    unsigned char *inner = to + (size_t)(first - begin) * p->pixel, *behind = to + (size_t)(last - begin) * p->pixel;
    if (p->keys) {
        simd->keys(p->dtype, to, to, (size_t)(first - begin) * p->channels);
        simd->keys(p->dtype, row + (size_t)first * p->pixel, inner, (size_t)(last - first) * p->channels);
        simd->keys(p->dtype, behind, behind, (size_t)(end - last) * p->channels);
    } else {
        memcpy(inner, row + (size_t)first * p->pixel, (size_t)(last - first) * p->pixel);
    }
}

/* Row y of the source, NULL where it is outside. */
static const unsigned char *row_of(const struct tile *t, int64_t y)
{
    const struct gf_cpu_pass *p = t->p;
    int64_t from = gf_border_index(p->m->border, y, (int64_t)p->src.view.height);
    return from < 0 ? NULL : (const unsigned char *)p->src.data + (size_t)from * (size_t)p->src.view.pitch;
}

/* A row of the source with its halo, as keys; where it lies. */
static const unsigned char *load_row(const struct tile *t, const unsigned char *row, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    if (row && !p->keys && t->x >= 0 && t->x + (int64_t)t->wide <= (int64_t)p->src.view.width)
        return row + (size_t)t->x * p->pixel;
    copy_row(p, row, t->x, t->x + (int64_t)t->wide, to);
    return to;
}

/* Extrema of lines `step` bytes apart, the last of `covered` of them beginning at most where `length` ends. */
static void fold_along(const struct tile *t, const unsigned char *line, uint32_t covered, uint32_t length,
                       size_t pixels, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    const void *from[MAX_TAPS];
    size_t n = 0;
    for (uint32_t at = 0; at + covered < length; at += covered)
        from[n++] = line + at * p->pixel;
    from[n++] = line + (length - covered) * p->pixel;
    p->call->simd->morphology->fold(p->dtype, p->pass->dilate, from, n, to, pixels * p->channels, false);
}

/* Results begin..end-1 of a row of integers, of which some pixels are outside. */
static void make_edge(const struct tile *t, const unsigned char *row, int64_t begin, int64_t end, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    if (begin >= end)
        return;
    copy_row(p, row, t->x + begin, t->x + end + p->pass->width - 1, t->raw);
    fold_along(t, t->raw, 1, p->pass->width, (size_t)(end - begin), to + (size_t)begin * p->pixel);
}

/* A row of a narrow rectangle, of integers: where its pixels are all inside, from where they lie. */
static void make_in_place(const struct tile *t, const unsigned char *row, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    int64_t pixels = (int64_t)t->pixels, begin = t->x < 0 ? -t->x : 0;
    int64_t end = (int64_t)p->src.view.width - p->pass->width + 1 - t->x;
    begin = begin < pixels ? begin : pixels;
    end = end > pixels ? pixels : end;
    if (begin >= end) {
        make_edge(t, row, 0, pixels, to);
        return;
    }
    make_edge(t, row, 0, begin, to);
    fold_along(t, row + (size_t)(t->x + begin) * p->pixel, 1, p->pass->width, (size_t)(end - begin),
               to + (size_t)begin * p->pixel);
    make_edge(t, row, end, pixels, to);
}

/* A row of a rectangle: extrema of `width` pixels from each on. */
static void make_row(const struct tile *t, int64_t y, unsigned char *to)
{
    uint32_t width = t->p->pass->width, covered = 1, next = 0;
    const unsigned char *row = row_of(t, y);
    if (row && !t->p->keys && width > 1 && width <= MAX_TAPS) {
        make_in_place(t, row, to);
        return;
    }
    const unsigned char *line = load_row(t, row, width == 1 ? to : t->raw);
    if (width == 1 && line != to)
        memcpy(to, line, t->pixels * t->p->pixel);
    if (width == 1)
        return;
    while (covered * MAX_TAPS < width) {
        fold_along(t, line, covered, covered * RADIX, t->pixels + width - covered * RADIX, t->temp[next]);
        line = t->temp[next];
        covered *= RADIX;
        next ^= 1;
    }
    fold_along(t, line, covered, width, t->pixels, to);
}

static unsigned char *line_of(const struct tile *t, uint32_t level, uint64_t row)
{
    return t->ring[level] + row % t->p->level[level].capacity * t->p->line;
}

/* The lines that row r, counted from the top of the halo, completes. */
static void take_row(const struct tile *t, uint64_t r)
{
    const struct gf_cpu_pass *p = t->p;
    unsigned char *own = line_of(t, 0, r);
    if (p->m->element.full) {
        make_row(t, t->y + (int64_t)r, own);
    } else {
        const unsigned char *line = load_row(t, row_of(t, t->y + (int64_t)r), own);
        if (line != own)
            memcpy(own, line, t->wide * p->pixel);
    }
    size_t n = (p->m->element.full ? t->pixels : t->wide) * p->channels;
    for (uint32_t i = 1; i < p->n_levels && r + 1 >= p->level[i].rows; i++) {
        uint64_t row = r + 1 - p->level[i].rows;
        const void *from[RADIX];
        for (uint32_t k = 0; k < p->level[i].n_from; k++)
            from[k] = line_of(t, i - 1, row + k * p->level[i - 1].rows);
        p->call->simd->morphology->fold(p->dtype, p->pass->dilate, from, p->level[i].n_from, line_of(t, i, row), n,
                                        false);
    }
}

static unsigned char *pixel_of(const struct gf_buf *buf, uint64_t y, uint64_t x, size_t pixel)
{
    return (unsigned char *)buf->data + (size_t)y * (size_t)buf->view.pitch + (size_t)x * pixel;
}

/* What becomes of row y of the picture, where extrema are. */
static void finish_row(const struct tile *t, uint64_t x, uint64_t y, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    const struct gf_simd_morphology *simd = p->call->simd->morphology;
    if (p->end != GF_END_RESULT) {
        const unsigned char *other = pixel_of(p->other, y, x, p->pixel);
        bool less = p->end == GF_END_LESS_SOURCE;
        simd->subtract(p->dtype, less ? to : other, less ? other : to, to, t->pixels * p->channels);
    }
    if (p->pass == &p->m->passes[p->m->n_passes - 1] && p->m->copy_alpha)
        simd->copy_alpha(p->dtype, p->channels, pixel_of(&p->call->in[0], y, x, p->pixel), to, t->pixels);
}

/* Row y of the tile, or where `pair` it and the next one, which are all there. */
static void make_result(const struct tile *t, uint64_t x, uint64_t top, uint64_t y, bool pair)
{
    const struct gf_cpu_pass *p = t->p;
    const struct gf_simd_morphology *simd = p->call->simd->morphology;
    unsigned char *to = pixel_of(&p->dst, top + y, x, p->pixel), *below = to + (pair ? p->dst.view.pitch : 0);
    size_t n = t->pixels * p->channels;
    for (uint32_t i = 0; i < p->n_taps; i++)
        t->lines[i] = line_of(t, p->taps[i].level, y + p->taps[i].y) + p->taps[i].x * p->pixel;
    if (pair) {
        t->lines[p->n_taps] = line_of(t, 0, y + p->n_taps);
        simd->fold_pair(p->dtype, p->pass->dilate, t->lines, p->n_taps, to, below, n, p->keys);
        finish_row(t, x, top + y + 1, below);
    } else {
        simd->fold(p->dtype, p->pass->dilate, t->lines, p->n_taps, to, n, p->keys);
    }
    finish_row(t, x, top + y, to);
}

static uint64_t ring_lines(const struct gf_cpu_pass *p)
{
    uint64_t lines = 0;
    for (uint32_t i = 0; i < p->n_levels; i++)
        lines += p->level[i].capacity;
    return lines;
}

uint64_t gf_cpu_morphology_workspace(const struct gf_cpu_pass *p)
{
    return (3 + p->pieces * ring_lines(p)) * p->line + (p->n_taps + 1) * sizeof(void *);
}

/* Row r of a piece, counted from the top of the halo, and what it completes. Of a pair of results the second completes
 * both; one that is left over is alone. */
static void step(const struct tile *t, uint64_t x, uint64_t y, uint64_t r, uint64_t height)
{
    const struct gf_cpu_pass *p = t->p;
    take_row(t, r);
    if (r + 1 < p->pass->height)
        return;
    uint64_t row = r + 1 - p->pass->height;
    if (!p->pairs || (row % 2 == 0 && row + 1 == height))
        make_result(t, x, y, row, false);
    else if (row % 2 == 1)
        make_result(t, x, y, row - 1, true);
}

void gf_cpu_morphology_tile(struct gf_cpu_pass *p, uint64_t x, uint64_t y, uint64_t width, uint64_t height,
                            unsigned char *workspace)
{
    unsigned char *rings = workspace + 3 * p->line;
    const uint64_t lines = ring_lines(p);
    for (uint64_t r = 0; r < height + p->pass->height - 1; r++) {
        if (r % 16 == 0 && gf_cpu_stopped(&p->stop))
            return;
        for (uint64_t i = 0; i * p->piece < width; i++) {
            uint64_t begin = i * p->piece, pixels = width - begin < p->piece ? width - begin : p->piece;
            struct tile t = {.p = p,
                             .x = (int64_t)(x + begin) - p->pass->anchor_x,
                             .y = (int64_t)y - p->pass->anchor_y,
                             .pixels = (size_t)pixels,
                             .wide = (size_t)pixels + p->pass->width - 1,
                             .raw = workspace,
                             .temp = {workspace + p->line, workspace + 2 * p->line}};
            unsigned char *at = rings + i * lines * p->line;
            for (uint32_t k = 0; k < p->n_levels; k++) {
                t.ring[k] = at;
                at += p->level[k].capacity * p->line;
            }
            t.lines = (const void **)(void *)(rings + p->pieces * lines * p->line);
            step(&t, x + begin, y, r, height);
        }
    }
}
