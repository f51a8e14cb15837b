/* SPDX-License-Identifier: MIT */
/*
 * distance on the CPU, docs/numerics.md, "distance". Called through the op's row.
 *
 * First columns: the height of a pixel is its distance to the nearest 0 in its column, found from above and from below,
 * for many columns at once. Samples are read only here. Then rows: over each column of the row with a height h lies the
 * parabola (x - column)^2 + h^2, and the squared distance is the lowest of them (the lower envelope). The parabolas of
 * the envelope, and where each begins, are found from left to right: a new one removes the last ones that are above it
 * where they begin. Between two pixels that are 0, no column outside matters, so a row is processed in such parts. All
 * numbers are whole.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "protocol/base/base.h"
#include "protocol/ops/plan/plans.h"
#include "simd_distance.h"

#define STRIP 256u /* columns per task */

struct distances {
    const struct gf_cpu_call *call;
    const struct gf_simd_distance *simd;
    uint64_t width, height;
    uint16_t *heights; /* of all pixels; GF_NO_HEIGHT in a column without a 0 */
};

/* Whether the job must stop, asked every 64 rows: a tile has all rows of the picture. */
static bool stops_at(uint64_t y, const struct gf_cpu_tile *tile)
{
    return y % 64 == 0 && gf_cpu_stopped(tile->stop);
}

static void measure_columns(void *context, const struct gf_cpu_tile *tile)
{
    const struct distances *d = context;
    const struct gf_buf *in = &d->call->in[0];
    const uint64_t x = tile->x;
    const size_t n = (size_t)tile->width, size = gf_dtype_size(in->view.dtype);
    const uint16_t *before = NULL;
    for (uint64_t y = 0; y < d->height && !stops_at(y, tile); y++) {
        uint16_t *heights = d->heights + y * d->width + x;
        d->simd->below(in->view.dtype, (const char *)in->data + y * in->view.pitch + x * size, before, heights, n);
        before = heights;
    }
    for (uint64_t y = d->height - 1; y > 0 && !stops_at(y, tile); y--) {
        uint16_t *heights = d->heights + (y - 1) * d->width + x;
        d->simd->above(heights + d->width, heights, n);
    }
}

static int64_t value_at(const struct gf_parabola *p, int64_t x)
{
    return (x - p->at) * (x - p->at) + p->square;
}

/* The last place where the parabola at the smaller column is not above the other one. The quotient of two numbers below
 * 2^35 is either whole, or farther from a whole number than the rounding error of f64, so its floor is exact. */
static int64_t last_place(const struct gf_parabola *p, int64_t at, int64_t square)
{
    int64_t up = at * at - (int64_t)p->at * p->at + square - p->square;
    return (int64_t)floor((double)up / (double)(2 * (at - p->at)));
}

/* Finds the lowest parabolas over columns [from, to) and returns how many there are; the first begins at `from`. */
static size_t find_lowest(const uint16_t *heights, int64_t from, int64_t to, struct gf_parabola *found)
{
    size_t n = 0;
    for (int64_t x = from; x < to; x++) {
        if (heights[x] == GF_NO_HEIGHT)
            continue;
        int64_t square = (int64_t)heights[x] * heights[x], begin = from;
        const struct gf_parabola next = {(int32_t)x, 0, square};
        while (n > 0 && value_at(&found[n - 1], found[n - 1].from) > value_at(&next, found[n - 1].from))
            n--;
        if (n > 0)
            begin = last_place(&found[n - 1], x, square) + 1;
        if (begin >= to)
            continue;
        found[n] = next;
        found[n++].from = (int32_t)begin;
    }
    return n;
}

/* Computes the squares of columns [from, to) of a row. */
static void measure_part(const uint16_t *heights, int64_t from, int64_t to, struct gf_parabola *room, double *squares)
{
    size_t n = find_lowest(heights, from, to, room);
    for (int64_t x = from; n == 0 && x < to; x++)
        squares[x] = (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        int64_t end = i + 1 < n ? room[i + 1].from : to;
        for (int64_t x = room[i].from; x < end; x++)
            squares[x] = (double)value_at(&room[i], x);
    }
}

/* Processes a row in parts that begin and end at a 0 or at an end of the row. If every pixel in between has a 0 beside,
 * above or below it, as is frequent in noise, no search is needed. */
static void measure_row(const uint16_t *heights, int64_t width, struct gf_parabola *room, double *squares)
{
    int64_t from = 0;
    while (from < width) {
        int64_t to = from + 1;
        uint16_t highest = heights[from];
        for (; to < width && heights[to] != 0; to++)
            highest = heights[to] > highest ? heights[to] : highest;
        bool closed = heights[from] == 0 && to < width;
        if (highest <= 1 || (closed && to - from <= 3)) {
            squares[from] = heights[from];
            for (int64_t x = from + 1; x < to; x++)
                squares[x] = 1.0;
        } else {
            measure_part(heights, from, to < width ? to + 1 : to, room, squares);
        }
        from = to;
    }
}

static void measure_rows(void *context, const struct gf_cpu_tile *tile)
{
    const struct distances *d = context;
    const struct gf_buf *out = &d->call->out[0];
    double *squares = (void *)tile->room;
    struct gf_parabola *room = (void *)(squares + d->width);
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        measure_row(d->heights + y * d->width, (int64_t)d->width, room, squares);
        (out->view.dtype == GF_U32 ? d->simd->whole : d->simd->roots)(squares, (size_t)d->width,
                                                                      (char *)out->data + y * out->view.pitch);
    }
}

enum gf_status gf_cpu_distance(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    struct distances d = {.call = call, .simd = call->simd->distance, .width = view->width, .height = view->height};
    const struct gf_tiles columns = {d.width, d.height, STRIP, d.height, 0};
    const struct gf_tiles rows = gf_distance_rows(view);
    uint16_t *gf_cleanup(gf_freep) heights = malloc((size_t)(d.width * d.height) * sizeof(*heights));
    if (heights == NULL)
        return gf_error_no_memory(err, call->step->op->name, d.width * d.height * sizeof(*heights));
    d.heights = heights;
    enum gf_status status = gf_cpu_tiles_run(call, &columns, measure_columns, &d, err);
    return status == GF_OK ? gf_cpu_tiles_run(call, &rows, measure_rows, &d, err) : status;
}
