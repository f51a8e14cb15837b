/* SPDX-License-Identifier: MIT */
/*
 * pyramid on the CPU, docs/numerics.md, "pyramid": one level after the other, with a temporary picture in between. A
 * row of the result is first the sum of its source rows column by column, then the sum of that line's neighbours. Whole
 * numbers are added exactly, so the order does not matter. For a step down, the even and the odd pixels of the line are
 * kept apart, so that each pixel needs consecutive sums only. Rows of f16, and rows whose colours are weighted by
 * alpha, are converted to lines of floats, and results are converted back from one. Called through the op's row.
 */
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/filter.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/pyramid.h"
#include "protocol/ops/plan/plans.h"
#include "simd_pyramid.h"

/* One level. */
struct stepping {
    const struct gf_cpu_call *call;
    const struct gf_simd_pyramid *simd;
    struct gf_buf src, dst;
    struct gf_cpu_source source;
    struct gf_cpu_target target;
    uint32_t border, channels;
    uint32_t dtype; /* of the rows that are added */
    bool up;
    bool converts; /* rows are added as lines of floats */
    size_t sum;    /* bytes of a sum */
    size_t line;   /* bytes per line; a thread has eight lines */
};

enum line { EVEN, ODD, RESULT, SOURCE }; /* SOURCE is the first of five */

/* A thread's lines, and the last row that was converted to one of the five. */
struct lines {
    unsigned char *room;
    int64_t last;
};

static unsigned char *line_of(const struct stepping *p, const struct lines *lines, uint32_t line)
{
    return lines->room + line * p->line;
}

/* A line of sums, which begins with room for one pixel. */
static unsigned char *sums_of(const struct stepping *p, const struct lines *lines, enum line line)
{
    return line_of(p, lines, line) + GF_PYRAMID_SLACK * sizeof(float);
}

/* Pixel i of n, where i may be one outside: reflect101 in the picture with zeros inserted between its pixels. */
static int64_t neighbour(int64_t i, int64_t n)
{
    return gf_border_index(GF_BORDER_REFLECT101, 2 * i, 2 * n) / 2;
}

/* Row y of the source, which may lie outside. Rows must be asked for in ascending order: a row that is converted stays
 * in its line for the next rows of the result. */
static const void *row_of(const struct stepping *p, int64_t y, struct lines *lines)
{
    const struct gf_simd_samples *samples = p->call->simd->samples;
    const int64_t height = (int64_t)p->src.view.height;
    const int64_t from = p->up ? neighbour(y, height) : gf_border_index(p->border, y, height);
    const void *row = (const unsigned char *)p->src.data + (size_t)from * (size_t)p->src.view.pitch;
    if (!p->converts)
        return row;
    float *line = (void *)line_of(p, lines, SOURCE + (uint32_t)(y + 5) % 5);
    if (y <= lines->last)
        return line;
    samples->load(&p->source, row, line, (size_t)p->src.view.width);
    if (p->source.premultiply)
        samples->premultiply(line, (size_t)p->src.view.width, p->channels);
    lines->last = y;
    return line;
}

/* Where row y of the result is computed: in a line of floats if it is converted. */
static void *begin_row(const struct stepping *p, uint64_t y, const struct lines *lines)
{
    if (p->converts)
        return line_of(p, lines, RESULT);
    return (unsigned char *)p->dst.data + (size_t)y * (size_t)p->dst.view.pitch;
}

static void end_row(const struct stepping *p, uint64_t y, const struct lines *lines)
{
    if (p->converts)
        p->call->simd->samples->store(&p->target, (void *)line_of(p, lines, RESULT), NULL,
                                      (unsigned char *)p->dst.data + (size_t)y * (size_t)p->dst.view.pitch,
                                      (size_t)p->dst.view.width);
}

/* Sets pixel `to`, which lies outside the picture, in the lines of even and odd pixels. */
static void put_outside(const struct stepping *p, unsigned char *even, unsigned char *odd, int64_t to)
{
    const int64_t from = gf_border_index(p->border, to, (int64_t)p->src.view.width),
                  pixel = p->channels * (int64_t)p->sum;
    const int64_t place = to < 0 ? (to - 1) / 2 : to / 2; /* rounded down */
    memcpy((to % 2 == 0 ? even : odd) + place * pixel, (from % 2 == 0 ? even : odd) + from / 2 * pixel, (size_t)pixel);
}

static void make_down(const struct stepping *p, uint64_t y, struct lines *lines)
{
    const int64_t width = (int64_t)p->src.view.width;
    unsigned char *even = sums_of(p, lines, EVEN), *odd = sums_of(p, lines, ODD);
    const void *rows[5];
    for (uint32_t i = 0; i < 5; i++)
        rows[i] = row_of(p, 2 * (int64_t)y + i - 2, lines);
    p->simd->down_columns(p->dtype, p->channels, rows, (size_t)width, even, odd);
    for (int64_t x = width; x < 2 * (int64_t)p->dst.view.width + 1; x++)
        put_outside(p, even, odd, x);
    put_outside(p, even, odd, -1);
    put_outside(p, even, odd, -2);
    p->simd->down_row(p->dtype, p->channels, even, odd, (size_t)p->dst.view.width, begin_row(p, y, lines));
    end_row(p, y, lines);
}

static void make_up(const struct stepping *p, uint64_t y, struct lines *lines)
{
    const int64_t width = (int64_t)p->src.view.width;
    const size_t pixel = p->channels * p->sum;
    unsigned char *line = sums_of(p, lines, EVEN);
    const void *rows[3] = {NULL};
    for (uint32_t i = (uint32_t)(y % 2); i < 3; i++)
        rows[i] = row_of(p, (int64_t)(y / 2) + i - 1, lines);
    p->simd->up_columns(p->dtype, rows, (size_t)width * p->channels, line);
    memcpy(line - pixel, line + (size_t)neighbour(-1, width) * pixel, pixel);
    memcpy(line + (size_t)width * pixel, line + (size_t)(width - 1) * pixel, pixel);
    p->simd->up_row(p->dtype, p->channels, line, (size_t)width, begin_row(p, y, lines));
    end_row(p, y, lines);
}

static void make_rows(void *context, const struct gf_cpu_tile *tile)
{
    const struct stepping *p = context;
    struct lines lines = {tile->room, INT64_MIN};
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++)
        (p->up ? make_up : make_down)(p, y, &lines);
}

static enum gf_status run_level(const struct gf_cpu_call *call, const struct gf_buf *src, const struct gf_buf *dst,
                                struct gf_error *err)
{
    const struct gf_pyramid_params params = gf_pyramid_params_get(&call->step->params);
    const uint32_t dtype = src->view.dtype, channels = src->view.channels;
    const bool weights = gf_weights_alpha(params.alpha, channels), converts = weights || dtype == GF_F16;
    struct stepping p = {.call = call,
                         .simd = call->simd->pyramid,
                         .src = *src,
                         .dst = *dst,
                         .source = {.dtype = dtype, .channels = channels, .premultiply = weights},
                         .target = {.dtype = dtype,
                                    .channels = channels,
                                    .alpha_dtype = dtype,
                                    .scale = 1.0f,
                                    .max = gf_sample_max(dtype),
                                    .unpremultiply = weights},
                         .border = params.border,
                         .channels = channels,
                         .dtype = converts ? GF_F32 : dtype,
                         .up = params.direction == GF_PYRAMID_UP,
                         .converts = converts};
    p.sum = p.dtype == GF_U8 ? sizeof(uint16_t) : sizeof(float);
    uint64_t widest = (p.up ? dst : src)->view.width * p.channels;
    const struct gf_tiles tiles = gf_pyramid_rows(widest, dst->view.height);
    p.line = GF_PYRAMID_LINE(widest) * sizeof(float);
    return gf_cpu_tiles_run(call, &tiles, make_rows, &p, err);
}

enum gf_status gf_cpu_pyramid(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_pyramid_params params = gf_pyramid_params_get(&call->step->params);
    struct gf_buf src = call->in[0], dst;
    enum gf_status status = GF_OK;
    for (uint32_t level = 1; level <= params.level && status == GF_OK; level++) {
        const bool last = level == params.level, up = params.direction == GF_PYRAMID_UP;
        dst = call->out[0];
        if (!last) {
            dst.view = gf_view_tight(src.view.dtype, gf_pyramid_side(src.view.width, up),
                                     gf_pyramid_side(src.view.height, up), src.view.channels);
            dst.data = gf_cpu_pages_alloc(call->pages, gf_view_bytes(&dst.view), false);
        }
        if (dst.data == NULL)
            status = gf_error_no_memory(err, call->step->op->name, gf_view_bytes(&dst.view));
        else
            status = run_level(call, &src, &dst, err);
        if (level > 1)
            gf_cpu_pages_free(call->pages, src.data, gf_view_bytes(&src.view));
        src = dst;
        if (status != GF_OK && !last)
            gf_cpu_pages_free(call->pages, dst.data, gf_view_bytes(&dst.view));
    }
    return status;
}
