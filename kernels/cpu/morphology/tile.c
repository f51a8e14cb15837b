/* SPDX-License-Identifier: MIT */
/*
 * A tile of one pass: rows are loaded from top to bottom. A rectangle is separable. Each row becomes the extrema over
 * the rectangle's width, through lines that cover 4, 16, ... samples. Lines that cover 4, 16, ... rows are then made in
 * the same way, and a result combines up to five lines of the last level, which overlap. Other elements consist of
 * vertical runs: lines that cover 1, 2, 4, ... rows are made, and a result takes one or two lines for each run. If two
 * passes are joined, the second pass asks the first one for each row that it reads. Called by morphology.c.
 */
#include "tile.h"

#include <string.h>

#include "kernels/cpu/geometry/simd_geometry.h"
#include "kernels/shared/filter.h"
#include "protocol/ops/enums.h"

#define RADIX 4u
#define EDGE_BYTES 64u /* bytes of results computed at an edge, at least: a vector */
#define MAX_TAPS 5u    /* lines combined to a row of a rectangle in the last step */

/* The share of one pass in a tile, and how many rows it has taken. Rows between two joined passes begin with column
 * `left` of the picture; row y is kept at y modulo `kept`. */
struct area {
    struct gf_cpu_pass *p;
    uint64_t x, y, width, height, taken;
    unsigned char *workspace, *between;
    uint64_t left;
    size_t pitch;
    uint32_t kept;
};

/* A piece of a tile, as wide as lines that stay in the L1 cache. The pieces of a tile advance side by side, so that the
 * source is read row by row. */
struct tile {
    struct gf_cpu_pass *p;
    const struct area *area;
    int64_t left;       /* column of the source at which rows begin */
    int64_t x, y;       /* the source's position of the tile, minus the anchor */
    size_t pixels;      /* pixels of a result row */
    size_t wide;        /* pixels of a row with its halo */
    unsigned char *raw; /* room for a row with its halo */
    unsigned char *temp[2];
    unsigned char *ring[GF_CPU_MAX_LEVELS];
    const void **lines;
};

static void put_outside(const struct gf_cpu_pass *p, unsigned char *to, size_t n)
{
    p->call->simd->geometry->repeat(p->pixel, p->outside, to, n);
}

/* Copies pixels `begin` to `end` - 1, which lie outside the row. */
static void copy_border(const struct tile *t, const unsigned char *row, int64_t begin, int64_t end, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    if (p->m->border == GF_BORDER_CONSTANT && begin < end)
        put_outside(p, to, (size_t)(end - begin));
    for (int64_t i = begin; i < end && p->m->border != GF_BORDER_CONSTANT; i++, to += p->pixel) {
        int64_t from = gf_border_index(p->m->border, i, (int64_t)p->src.view.width);
        memcpy(to, row + (size_t)(from - t->left) * p->pixel, p->pixel);
    }
}

/* Copies pixels `begin` to `end` - 1 of a source row as keys; `row` is NULL if the row lies outside. At least the
 * anchor's column lies inside. */
static void copy_row(const struct tile *t, const unsigned char *row, int64_t begin, int64_t end, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    const struct gf_simd_morphology *simd = p->call->simd->morphology;
    int64_t width = (int64_t)p->src.view.width, first = begin < 0 ? 0 : begin, last = end < width ? end : width;
    if (!row) {
        put_outside(p, to, (size_t)(end - begin));
        if (p->from_floats)
            simd->keys(p->dtype, to, to, (size_t)(end - begin) * p->channels);
        return;
    }
    copy_border(t, row, begin, first, to);
    copy_border(t, row, last, end, to + (size_t)(last - begin) * p->pixel);
    const unsigned char *from = row + (size_t)(first - t->left) * p->pixel;
    unsigned char *inner = to + (size_t)(first - begin) * p->pixel, *behind = to + (size_t)(last - begin) * p->pixel;
    if (p->from_floats) {
        simd->keys(p->dtype, to, to, (size_t)(first - begin) * p->channels);
        simd->keys(p->dtype, from, inner, (size_t)(last - first) * p->channels);
        simd->keys(p->dtype, behind, behind, (size_t)(end - last) * p->channels);
    } else {
        memcpy(inner, from, (size_t)(last - first) * p->pixel);
    }
}

static unsigned char *pixel_of(const struct area *a, const struct gf_buf *buf, uint64_t y, uint64_t x)
{
    if (!buf->data)
        return a->between + (size_t)(y % a->kept) * a->pitch + (size_t)(x - a->left) * a->p->pixel;
    return (unsigned char *)buf->data + (size_t)y * (size_t)buf->view.pitch + (size_t)x * a->p->pixel;
}

/* Row y of the source, or NULL if it lies outside. */
static const unsigned char *row_of(const struct tile *t, int64_t y)
{
    const struct gf_cpu_pass *p = t->p;
    int64_t from = gf_border_index(p->m->border, y, (int64_t)p->src.view.height);
    return from < 0 ? NULL : pixel_of(t->area, &p->src, (uint64_t)from, (uint64_t)t->left);
}

/* Returns a row of the source with its halo as keys, in place if possible, otherwise in `to`. */
static const unsigned char *load_row(const struct tile *t, const unsigned char *row, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    if (row && !p->from_floats && t->x >= 0 && t->x + (int64_t)t->wide <= (int64_t)p->src.view.width)
        return row + (size_t)(t->x - t->left) * p->pixel;
    copy_row(t, row, t->x, t->x + (int64_t)t->wide, to);
    return to;
}

/* Folds a line with itself at offsets of `covered` pixels; the last offset is length - covered. */
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

/* Computes results begin .. end - 1 of a row of keys if some of their pixels lie outside. */
static void make_edge(const struct tile *t, const unsigned char *row, int64_t begin, int64_t end, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    if (begin >= end)
        return;
    copy_row(t, row, t->x + begin, t->x + end + p->pass->width - 1, t->raw);
    fold_along(t, t->raw, 1, p->pass->width, (size_t)(end - begin), to + (size_t)begin * p->pixel);
}

/* Computes a row of a narrow rectangle from keys in place, except at the edges. */
static void make_in_place(const struct tile *t, const unsigned char *row, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    int64_t pixels = (int64_t)t->pixels, some = (int64_t)(EDGE_BYTES / p->pixel), begin = t->x < 0 ? -t->x : 0;
    int64_t end = (int64_t)p->src.view.width - p->pass->width + 1 - t->x;
    begin = begin > 0 && begin < some ? some : begin;
    end = end < pixels && end > pixels - some ? pixels - some : end < pixels ? end : pixels;
    if (begin >= end) {
        make_edge(t, row, 0, pixels, to);
        return;
    }
    make_edge(t, row, 0, begin, to);
    fold_along(t, row + (size_t)(t->x + begin - t->left) * p->pixel, 1, p->pass->width, (size_t)(end - begin),
               to + (size_t)begin * p->pixel);
    make_edge(t, row, end, pixels, to);
}

/* The extrema over `width` pixels from each pixel of a line on. */
static void fold_row(const struct tile *t, const unsigned char *line, unsigned char *to)
{
    uint32_t width = t->p->pass->width, covered = 1, next = 0;
    while (covered * MAX_TAPS < width) {
        fold_along(t, line, covered, covered * RADIX, t->pixels + width - covered * RADIX, t->temp[next]);
        line = t->temp[next];
        covered *= RADIX;
        next ^= 1;
    }
    fold_along(t, line, covered, width, t->pixels, to);
}

/* Computes a row of a rectangle. */
static void make_row(const struct tile *t, int64_t y, unsigned char *to)
{
    uint32_t width = t->p->pass->width;
    const unsigned char *row = row_of(t, y);
    if (row && !t->p->from_floats && width > 1 && width <= MAX_TAPS) {
        make_in_place(t, row, to);
        return;
    }
    const unsigned char *line = load_row(t, row, width == 1 ? to : t->raw);
    if (width == 1 && line != to)
        memcpy(to, line, t->pixels * t->p->pixel);
    if (width > 1)
        fold_row(t, line, to);
}

static unsigned char *line_of(const struct tile *t, uint32_t level, uint64_t row)
{
    return t->ring[level] + row % t->p->level[level].capacity * t->p->line;
}

/* Makes the lines that row r, counted from the top of the halo, completes. */
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

/* Turns the extrema of row y of the picture into its final results. */
static void finish_row(const struct tile *t, uint64_t x, uint64_t y, unsigned char *to)
{
    const struct gf_cpu_pass *p = t->p;
    const struct gf_simd_morphology *simd = p->call->simd->morphology;
    if (p->end != GF_END_RESULT) {
        const unsigned char *other = pixel_of(t->area, p->other, y, x);
        bool less = p->end == GF_END_LESS_SOURCE;
        simd->subtract(p->dtype, less ? to : other, less ? other : to, to, t->pixels * p->channels);
    }
    if (p->pass == &p->m->passes[p->m->n_passes - 1] && p->m->copy_alpha)
        simd->copy_alpha(p->dtype, p->channels, pixel_of(t->area, &p->call->in[0], y, x), to, t->pixels);
}

/* Computes row y of the tile and, with `pair`, the next row too. All lines that they need must be complete. */
static void make_result(const struct tile *t, uint64_t x, uint64_t top, uint64_t y, bool pair)
{
    const struct gf_cpu_pass *p = t->p;
    const struct gf_simd_morphology *simd = p->call->simd->morphology;
    unsigned char *dst[2] = {pixel_of(t->area, &p->dst, top + y, x), pixel_of(t->area, &p->dst, top + y + pair, x)};
    unsigned char *const *to = p->stream ? t->temp : dst;
    size_t n = t->pixels * p->channels;
    size_t first[GF_CPU_MAX_LEVELS];
    for (uint32_t k = 0; k < p->n_levels; k++)
        first[k] = (size_t)(y % p->level[k].capacity);
    for (uint32_t i = 0; i < p->n_taps; i++) { /* a mask may have thousands, too many to divide for each */
        const struct gf_cpu_tap *tap = &p->taps[i];
        const size_t row = first[tap->level] + tap->slot, capacity = p->level[tap->level].capacity;
        t->lines[i] = t->ring[tap->level] + (row < capacity ? row : row - capacity) * p->line + tap->x * p->pixel;
    }
    if (pair) {
        t->lines[p->n_taps] = line_of(t, 0, y + p->n_taps);
        simd->fold_pair(p->dtype, p->pass->dilate, t->lines, p->n_taps, to[0], to[1], n, p->to_floats);
    } else {
        if (p->whole_row) {
            fold_row(t, line_of(t, 0, y + p->row_y), t->raw);
            t->lines[p->n_taps] = t->raw;
        }
        simd->fold(p->dtype, p->pass->dilate, t->lines, p->n_taps + p->whole_row, to[0], n, p->to_floats);
    }
    for (uint32_t i = 0; i < 1u + pair; i++) {
        finish_row(t, x, top + y + i, to[i]);
        if (p->stream)
            p->call->simd->geometry->copy(GF_U8, to[i], dst[i], n * p->size, true);
    }
}

static uint64_t ring_lines(const struct gf_cpu_pass *p)
{
    uint64_t lines = 0;
    for (uint32_t i = 0; i < p->n_levels; i++)
        lines += p->level[i].capacity;
    return lines;
}

static uint64_t pass_workspace(const struct gf_cpu_pass *p)
{
    return (3 + p->pieces * ring_lines(p)) * p->line + gf_round_up((p->n_taps + 1) * sizeof(void *), 64);
}

uint64_t gf_cpu_morphology_workspace(const struct gf_cpu_pass *p)
{
    return pass_workspace(p) + (p->before ? pass_workspace(p->before) + p->kept * p->kept_pitch : 0);
}

/* Takes row r of a piece, counted from the top of the halo, and computes the results that it completes. The second row
 * of a pair completes both; a last single row is computed alone. */
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

/* Takes the next row of an area, piece by piece. */
static void take_next(struct area *a)
{
    struct gf_cpu_pass *p = a->p;
    unsigned char *rings = a->workspace + 3 * p->line;
    const uint64_t lines = ring_lines(p);
    for (uint64_t i = 0; i * p->piece < a->width; i++) {
        uint64_t begin = i * p->piece, pixels = a->width - begin < p->piece ? a->width - begin : p->piece;
        struct tile t = {.p = p,
                         .area = a,
                         .left = p->src.data ? 0 : (int64_t)a->left,
                         .x = (int64_t)(a->x + begin) - p->pass->anchor_x,
                         .y = (int64_t)a->y - p->pass->anchor_y,
                         .pixels = (size_t)pixels,
                         .wide = (size_t)pixels + p->pass->width - 1,
                         .raw = a->workspace,
                         .temp = {a->workspace + p->line, a->workspace + 2 * p->line}};
        unsigned char *at = rings + i * lines * p->line;
        for (uint32_t k = 0; k < p->n_levels; k++) {
            t.ring[k] = at;
            at += p->level[k].capacity * p->line;
        }
        t.lines = (const void **)(void *)(rings + p->pieces * lines * p->line);
        step(&t, a->x + begin, a->y, a->taken, a->height);
    }
    a->taken++;
}

/* Widens the first pass's area to everything that the second pass reads, including mirrored rows and columns, which lie
 * on the other side. */
static void widen(struct area *before, const struct gf_cpu_pass *p)
{
    uint64_t across = p->pass->width - 1u, down = p->pass->height - 1u;
    uint64_t right = before->x + before->width + across, bottom = before->y + before->height + down;
    before->x = before->x < across ? 0 : before->x - across;
    before->y = before->y < down ? 0 : before->y - down;
    before->width = (right < p->src.view.width ? right : p->src.view.width) - before->x;
    before->height = (bottom < p->src.view.height ? bottom : p->src.view.height) - before->y;
}

/* Lets the first pass compute the row that the second pass reads next, or in a gradient the row that it is subtracted
 * from. */
static void take_before(struct area *before, const struct area *a)
{
    const struct gf_cpu_pass *p = a->p;
    uint64_t rows = a->taken + 1, all = before->height + before->p->pass->height - 1;
    if (!p->src.data) {
        int64_t y = (int64_t)(a->y + a->taken) - p->pass->anchor_y;
        int64_t from = gf_border_index(p->m->border, y, (int64_t)p->src.view.height);
        if (from < 0)
            return;
        rows = (uint64_t)from - before->y + before->p->pass->height +
               1; /* plus one, because results may be computed in pairs */
    }
    while (before->taken < rows && before->taken < all)
        take_next(before);
}

void gf_cpu_morphology_tile(void *context, const struct gf_cpu_tile *tile)
{
    struct gf_cpu_pass *p = context;
    struct area a = {
        .p = p, .x = tile->x, .y = tile->y, .width = tile->width, .height = tile->height, .workspace = tile->room};
    struct area before = a;
    if (p->before) {
        before.p = p->before;
        before.workspace += pass_workspace(p);
        if (!p->src.data)
            widen(&before, p);
        a.between = before.between = before.workspace + pass_workspace(p->before);
        a.left = before.left = before.x;
        a.pitch = before.pitch = p->kept_pitch;
        a.kept = before.kept = p->kept;
    }
    for (uint64_t r = 0; r < tile->height + p->pass->height - 1; r++) {
        if (r % 16 == 0 && gf_cpu_stopped(tile->stop))
            return;
        if (p->before)
            take_before(&before, &a);
        take_next(&a);
    }
}
