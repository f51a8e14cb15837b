/* SPDX-License-Identifier: MIT */
/*
 * A tile of the bilateral filter. The ring holds source lines with their halo, each channel in a plane of its own.
 * Alpha that is only copied has no plane.
 */
#include <string.h>

#include "linear.h"

struct planes {
    const float **lines; /* as many as the disc is high */
    float *wide;         /* one source line with its halo, interleaved; later one line of results */
    float *made;         /* one line of results, in planes */
    float *ring;
    size_t plane;      /* floats from one plane to the next */
    uint32_t channels; /* the filtered channels */
};

static struct planes layout(const struct gf_cpu_linear *p, unsigned char *workspace)
{
    struct planes s = {.lines = (const float **)(void *)workspace, .plane = p->plan.plane};
    s.channels = p->f->alpha == GF_ALPHA_IGNORE ? p->channels - 1 : p->channels;
    s.wide = (float *)(void *)(workspace + p->plan.head);
    s.made = s.wide + p->plan.wide_line + GF_DISC_SPARE;
    s.ring = s.made + s.channels * s.plane;
    return s;
}

static void make_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct planes *s, int64_t y,
                      float *line)
{
    if (p->channels == 1) {
        gf_cpu_load_line(p, tile, y, line);
        return;
    }
    gf_cpu_load_line(p, tile, y, s->wide);
    for (uint32_t c = 0; c < s->channels; c++)
        p->simd->filter->plane_of(s->wide + c, p->channels, line + c * s->plane, (size_t)gf_cpu_wide(p, tile));
}

void gf_cpu_bilateral_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct gf_cpu_linear *p = context;
    const struct gf_filter *f = p->f;
    struct planes s = layout(p, tile->room);
    size_t line = s.channels * s.plane;
    const int64_t rows = f->height, height = (int64_t)tile->height, top = gf_cpu_source_y(p, tile);
    int64_t made = 0;
    struct gf_cpu_disc disc = {.taps = f->disc,
                               .n_taps = f->n_disc,
                               .range = f->range,
                               .lines = s.lines,
                               .plane = s.plane,
                               .channels = s.channels,
                               .centre = f->anchor_x,
                               .floats = gf_dtype_kind(p->src.view.dtype) == GF_KIND_FLOAT};
    for (int64_t y = 0; y < height && !gf_cpu_stopped(tile->stop); y++) {
        for (; made < y + rows; made++)
            make_line(p, tile, &s, top + made, s.ring + (size_t)(made % rows) * line);
        for (int64_t k = 0; k < rows; k++)
            s.lines[k] = s.ring + (size_t)((y + k) % rows) * line;
        p->simd->filter->disc(&disc, tile->width, s.made);
        float *acc = s.made;
        if (p->channels > 1) {
            acc = s.wide;
            for (uint32_t c = 0; c < s.channels; c++)
                p->simd->filter->plane_to(s.made + c * s.plane, tile->width, acc + c, p->channels);
        }
        gf_cpu_store_line(p, tile, y, acc);
    }
}
