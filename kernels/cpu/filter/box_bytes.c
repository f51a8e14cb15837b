/* SPDX-License-Identifier: MIT */
/*
 * A tile of a box over bytes whose sums fit 16 bits: columns' sums from which the row that leaves is taken and to which
 * the row that comes is added, and windows along the row. Called by linear.c.
 */
#include <string.h>

#include "linear.h"

struct box_bytes {
    uint16_t *columns, *spare, *window; /* spare: two lines of windows */
    uint8_t *in, *out;
};

/* Room of a line in samples, with what vectors read and write past its end. */
static size_t line_samples(const struct gf_cpu_linear *p)
{
    return p->wide_line + p->f->width * (size_t)p->channels + 64;
}

bool gf_cpu_box_of_bytes(const struct gf_filter *f, const struct gf_cpu_linear *p)
{
    return f->integer_exact && p->src.view.dtype == GF_U8 && p->dst.view.dtype == GF_U8 && !p->target.copy_alpha &&
           (uint64_t)f->width * f->height * 255 <= UINT16_MAX;
}

uint64_t gf_cpu_box_bytes_workspace(const struct gf_cpu_linear *p)
{
    return (uint64_t)line_samples(p) * (4 * sizeof(uint16_t) + 2);
}

static struct box_bytes layout(const struct gf_cpu_linear *p, unsigned char *workspace)
{
    size_t line = line_samples(p);
    struct box_bytes s = {.columns = (uint16_t *)(void *)workspace};
    s.spare = s.columns + line;
    s.window = s.spare + 2 * line;
    s.in = (uint8_t *)(s.window + line);
    s.out = s.in + line;
    return s;
}

static const uint8_t *source_row(const struct gf_cpu_linear *p, int64_t y)
{
    return (const uint8_t *)p->src.data + (size_t)y * (size_t)p->src.view.pitch;
}

/* Pixels x0..x1-1 of source row y, -1 for a constant border, all outside the image. */
static void load_outside(const struct gf_cpu_linear *p, int64_t x0, int64_t x1, int64_t y, uint8_t *line)
{
    for (int64_t x = x0; x < x1; x++, line += p->channels) {
        int64_t sx = y < 0 ? -1 : gf_border_index(p->f->border, x, (int64_t)p->src.view.width);
        for (uint32_t c = 0; c < p->channels; c++)
            line[c] = sx < 0 ? (uint8_t)p->source.border[c] : source_row(p, y)[(size_t)sx * p->channels + c];
    }
}

/* Row y of the tile with its halo: where it lies, or put together in `line`. */
static const uint8_t *load_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, uint8_t *line)
{
    int64_t width = (int64_t)p->src.view.width;
    int64_t x0 = tile->x0 + p->f->origin_x - p->f->anchor_x, x1 = x0 + tile->width + p->f->width - 1;
    int64_t sy = gf_border_index(p->f->border, y, (int64_t)p->src.view.height);
    int64_t in0 = x0 < 0 ? 0 : x0, in1 = x1 < width ? x1 : width;
    if (sy < 0 || in0 >= in1) {
        load_outside(p, x0, x1, sy, line);
        return line;
    }
    const uint8_t *inside = source_row(p, sy) + (size_t)in0 * p->channels;
    if (in0 == x0 && in1 == x1)
        return inside;
    load_outside(p, x0, in0, sy, line);
    memcpy(line + (in0 - x0) * p->channels, inside, (size_t)(in1 - in0) * p->channels);
    load_outside(p, in1, x1, sy, line + (in1 - x0) * p->channels);
    return line;
}

void gf_cpu_box_bytes_tile(struct gf_cpu_linear *p, const struct gf_cpu_tile *tile)
{
    struct box_bytes s = layout(p, tile->workspace);
    size_t n = (size_t)tile->width * p->channels, wide = n + (p->f->width - 1) * (size_t)p->channels;
    int64_t rows = p->f->height;
    memset(s.columns, 0, line_samples(p) * sizeof(*s.columns));
    memset(s.out, 0, line_samples(p));
    for (int64_t r = 0; r < tile->height + rows - 1 && !gf_cpu_stopped(&p->stop); r++) {
        const uint8_t *in = load_line(p, tile, gf_cpu_source_y(p, tile->y0, r), s.in), *out = s.out;
        int64_t y = r - rows + 1;
        if (y > 0)
            out = load_line(p, tile, gf_cpu_source_y(p, tile->y0, y - 1), s.out);
        p->simd->filter->box_columns(s.columns, in, out, wide);
        if (y < 0)
            continue;
        p->simd->filter->box_window(s.columns, p->f->width, p->channels, s.spare, n, s.window);
        uint8_t *dst = (uint8_t *)p->dst.data + (size_t)(tile->y0 + y) * (size_t)p->dst.view.pitch;
        p->simd->filter->box_store(s.window, p->target.scale, p->target.offset, dst + (size_t)tile->x0 * p->channels,
                                   n);
    }
}
