/* SPDX-License-Identifier: MIT */
/*
 * A tile of a box over bytes whose sums fit in 16 bits. The column sums are updated from row to row: the entering row
 * is added and the leaving row is subtracted. Windows along the row are then summed from the column sums. Called by
 * linear.c.
 */
#include <string.h>

#include "linear.h"

struct box_bytes {
    uint16_t *columns, *spare, *window; /* spare holds two lines of windows */
    uint8_t *in, *out;
};

bool gf_cpu_box_of_bytes(const struct gf_filter *f, const struct gf_cpu_linear *p)
{
    return f->integer_exact && p->src.view.dtype == GF_U8 && p->dst.view.dtype == GF_U8 && !p->target.copy_alpha &&
           (uint64_t)f->width * f->height * 255 <= UINT16_MAX;
}

static struct box_bytes layout(const struct gf_cpu_linear *p, unsigned char *workspace)
{
    size_t line = gf_box_line(&p->plan);
    struct box_bytes s = {.columns = (uint16_t *)(void *)workspace};
    s.spare = s.columns + line;
    s.window = s.spare + 2 * line;
    s.in = (uint8_t *)(s.window + line);
    s.out = s.in + line;
    return s;
}

static void copy_pixels(const void *context, const void *from, void *to, size_t pixels)
{
    memcpy(to, from, pixels * *(const uint32_t *)context);
}

/* Row y of the tile with its halo: a pointer into the source where possible, otherwise assembled in `line`. */
static const uint8_t *load_line(const struct gf_cpu_linear *p, const struct gf_cpu_border *border,
                                const struct gf_cpu_tile *tile, int64_t y, uint8_t *line)
{
    const int64_t x = gf_cpu_source_x(p, tile), end = x + gf_cpu_wide(p, tile);
    const bool inside = x >= 0 && end <= (int64_t)p->src.view.width;
    if (inside && y >= 0 && y < (int64_t)p->src.view.height)
        return (const uint8_t *)p->src.data + (size_t)y * (size_t)p->src.view.pitch + (size_t)x * p->channels;
    gf_cpu_load_row(border, y, x, end, line);
    return line;
}

void gf_cpu_box_bytes_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct gf_cpu_linear *p = context;
    struct box_bytes s = layout(p, tile->room);
    uint8_t outside[GF_MAX_CHANNELS];
    const struct gf_cpu_border border = {p->f->border, &p->src, copy_pixels, &p->channels, p->channels, outside};
    size_t n = (size_t)tile->width * p->channels, wide = n + (p->f->width - 1) * (size_t)p->channels;
    const int64_t rows = p->f->height, height = (int64_t)tile->height, top = gf_cpu_source_y(p, tile);
    for (uint32_t c = 0; c < p->channels; c++)
        outside[c] = (uint8_t)p->source.border[c];
    memset(s.columns, 0, gf_box_line(&p->plan) * sizeof(*s.columns));
    memset(s.out, 0, gf_box_line(&p->plan));
    for (int64_t r = 0; r < height + rows - 1 && !gf_cpu_stopped(tile->stop); r++) {
        const uint8_t *in = load_line(p, &border, tile, top + r, s.in), *out = s.out;
        int64_t y = r - rows + 1;
        if (y > 0)
            out = load_line(p, &border, tile, top + y - 1, s.out);
        p->simd->filter->box_columns(s.columns, in, out, wide);
        if (y < 0)
            continue;
        p->simd->filter->box_window(s.columns, p->f->width, p->channels, s.spare, n, s.window);
        uint8_t *dst = (uint8_t *)p->dst.data + (size_t)(tile->y + (uint64_t)y) * (size_t)p->dst.view.pitch;
        p->simd->filter->box_store(s.window, p->target.scale, p->target.offset, dst + (size_t)tile->x * p->channels, n);
    }
}
