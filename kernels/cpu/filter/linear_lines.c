/* SPDX-License-Identifier: MIT */
/* Loads source rows with their border into f32 lines, and stores sums as result rows. */
#include "linear.h"

/* How many rows ahead of the load the prefetch reads. */
#define PREFETCH_ROWS 2

static const unsigned char *source_pixel(const struct gf_cpu_linear *p, int64_t x, int64_t y)
{
    size_t pixel = p->channels * gf_dtype_size(p->src.view.dtype);
    return (const unsigned char *)p->src.data + (size_t)y * (size_t)p->src.view.pitch + (size_t)x * pixel;
}

/* Prefetches the pixels of a later row: rows are too far apart for the hardware prefetcher. */
static void prefetch(const struct gf_cpu_linear *p, int64_t x0, int64_t x1, int64_t y)
{
    const int64_t width = (int64_t)p->src.view.width, first = x0 < 0 ? 0 : x0, last = x1 < width ? x1 : width;
    if (y < 0 || y >= (int64_t)p->src.view.height || first >= last)
        return;
    const unsigned char *end = source_pixel(p, last, y);
    for (const unsigned char *at = source_pixel(p, first, y); at < end; at += GF_CPU_LINE)
        __builtin_prefetch(at, 0, 2);
}

void gf_cpu_load_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *line)
{
    const int64_t x = gf_cpu_source_x(p, tile), pixels = gf_cpu_wide(p, tile);
    prefetch(p, x, x + pixels, y + PREFETCH_ROWS);
    gf_cpu_load_row(&p->border, y, x, x + pixels, line);
    if (p->source.premultiply)
        p->simd->samples->premultiply(line, (size_t)pixels, p->channels);
}

void gf_cpu_store_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *acc)
{
    size_t pixel = p->channels * gf_dtype_size(p->dst.view.dtype);
    const int64_t x = (int64_t)tile->x;
    y += (int64_t)tile->y;
    unsigned char *dst = (unsigned char *)p->dst.data + (size_t)y * (size_t)p->dst.view.pitch + (size_t)x * pixel;
    const unsigned char *src = p->target.copy_alpha ? source_pixel(p, x + p->f->origin_x, y + p->f->origin_y) : NULL;
    p->simd->samples->store(&p->target, acc, src, dst, (size_t)tile->width);
}
