/* SPDX-License-Identifier: MIT */
/* Where lines come from and go to: source rows with their borders into f32 lines, sums into result rows. */
#include <string.h>

#include "linear.h"

/* Rows between a load and the prefetch for a later one. */
#define PREFETCH_ROWS 2

static const unsigned char *source_pixel(const struct gf_cpu_linear *p, int64_t x, int64_t y)
{
    size_t pixel = p->channels * gf_dtype_size(p->src.view.dtype);
    return (const unsigned char *)p->src.data + (size_t)y * (size_t)p->src.view.pitch + (size_t)x * pixel;
}

/* Pixels x0..x1-1 of row y, all outside the image. */
static void load_outside(const struct gf_cpu_linear *p, int64_t x0, int64_t x1, int64_t y, float *line)
{
    for (int64_t x = x0; x < x1; x++, line += p->channels) {
        int64_t sx = y < 0 ? -1 : gf_border_index(p->f->border, x, (int64_t)p->src.view.width);
        if (sx < 0)
            memcpy(line, p->source.border, p->channels * sizeof(*line));
        else
            p->simd->samples->load(&p->source, source_pixel(p, sx, y), line, 1);
    }
}

/* Asks for the pixels of a later row while this one is worked on: rows are too far apart for the processor to see. */
static void prefetch(const struct gf_cpu_linear *p, int64_t x0, int64_t x1, int64_t y)
{
    if (y >= (int64_t)p->src.view.height)
        return;
    const unsigned char *end = source_pixel(p, x1, y);
    for (const unsigned char *at = source_pixel(p, x0, y); at < end; at += GF_CPU_LINE)
        __builtin_prefetch(at, 0, 2);
}

void gf_cpu_load_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *line)
{
    int64_t width = (int64_t)p->src.view.width;
    int64_t x0 = tile->x0 + p->f->origin_x - p->f->anchor_x;
    int64_t x1 = x0 + tile->width + p->f->width - 1;
    int64_t sy = gf_border_index(p->f->border, y, (int64_t)p->src.view.height);
    int64_t in0 = x0 < 0 ? 0 : x0, in1 = x1 < width ? x1 : width;
    if (sy < 0 || in0 >= in1) {
        load_outside(p, x0, x1, sy, line);
    } else {
        prefetch(p, in0, in1, sy + PREFETCH_ROWS);
        load_outside(p, x0, in0, sy, line);
        p->simd->samples->load(&p->source, source_pixel(p, in0, sy), line + (in0 - x0) * p->channels,
                               (size_t)(in1 - in0));
        load_outside(p, in1, x1, sy, line + (in1 - x0) * p->channels);
    }
    if (p->source.premultiply)
        p->simd->samples->premultiply(line, (size_t)(x1 - x0), p->channels);
}

void gf_cpu_store_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *acc)
{
    size_t pixel = p->channels * gf_dtype_size(p->dst.view.dtype);
    unsigned char *dst =
        (unsigned char *)p->dst.data + (size_t)y * (size_t)p->dst.view.pitch + (size_t)tile->x0 * pixel;
    const unsigned char *src = NULL;
    if (p->target.copy_alpha)
        src = source_pixel(p, tile->x0 + p->f->origin_x, y + p->f->origin_y);
    p->simd->samples->store(&p->target, acc, src, dst, tile->width);
}
