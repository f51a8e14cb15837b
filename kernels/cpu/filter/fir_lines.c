/* SPDX-License-Identifier: MIT */
/*
 * A tile of a filter with coefficients. MASK: the ring holds source lines with their halo, and one chain runs over all
 * taps. STENCIL: the ring is the same; each chain runs over a list of at most nine taps. SEPARABLE: the ring holds the
 * results of the row taps; where two filters are summed, each ring line holds both row results, one after the other.
 * The ring has one line more than the mask is high, because two result lines are computed at a time.
 */
#include <string.h>

#include "linear.h"

struct fir {
    const float **lines; /* as many as the mask is high, plus one */
    int64_t *sources;    /* for each ring line its source row; -1 for a constant border */
    float *wide;         /* one source line with its halo; SEPARABLE only */
    float *acc[2];
    float *ring;
};

static struct fir fir_layout(const struct gf_cpu_linear *p, unsigned char *workspace)
{
    struct fir s;
    s.lines = (const float **)(void *)workspace;
    s.sources = (int64_t *)(void *)(workspace + p->plan.ring * sizeof(float *));
    s.wide = (float *)(void *)(workspace + p->plan.head);
    s.acc[0] = s.wide + p->plan.wide_line;
    s.acc[1] = s.acc[0] + p->plan.line;
    s.ring = s.acc[1] + p->plan.line;
    return s;
}

/* Fills ring line `slot` for source row y. A row outside the image often equals a row that is already in the ring,
 * which is then copied. */
static void make_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, struct fir *s, int64_t y,
                      size_t slot)
{
    int64_t height = (int64_t)p->src.view.height;
    float *line = s->ring + slot * p->plan.ring_line;
    int64_t source = gf_border_index(p->f->border, y, height);
    s->sources[slot] = INT64_MIN;
    if (y < 0 || y >= height) {
        for (size_t i = 0; i < p->plan.ring; i++) {
            if (s->sources[i] == source) {
                memcpy(line, s->ring + i * p->plan.ring_line, p->plan.ring_line * sizeof(*line));
                s->sources[slot] = source;
                return;
            }
        }
    }
    if (p->f->kind != GF_FILTER_SEPARABLE) {
        gf_cpu_load_line(p, tile, y, line);
    } else {
        gf_cpu_load_line(p, tile, y, s->wide);
        const float *wide = s->wide;
        size_t n = (size_t)tile->width * p->channels;
        p->simd->filter->fir(&wide, p->f->width, 1, p->channels, p->f->taps_x, n, line);
        if (p->f->after == GF_AFTER_SUM)
            p->simd->filter->fir(&wide, p->f->width, 1, p->channels, p->f->second_x, n, line + p->plan.line);
    }
    s->sources[slot] = source;
}

/* Where the samples of a stencil lie in three ring lines: those of its places, then those to be subtracted. */
static void stencil_samples(const struct gf_cpu_linear *p, const struct gf_stencil *stencil, const float *const *lines,
                            const float *at[9])
{
    for (uint32_t t = 0; t < gf_stencil_samples(stencil); t++) {
        uint32_t place = t < stencil->n ? stencil->place[t] : stencil->place[t - stencil->n] - stencil->apart;
        at[t] = lines[place / 3] + place % 3 * p->channels;
    }
}

/* One chain of a stencil over three ring lines. */
static void stencil_line(const struct gf_cpu_linear *p, const struct gf_stencil *stencil, const float *const *lines,
                         size_t n, float *out)
{
    const float *at[9];
    stencil_samples(p, stencil, lines, at);
    p->simd->filter->taps(at, stencil, n, out);
}

/* Whether a result line of a stencil is its chain alone, stored as f32 without another conversion. */
static bool stores_at_once(const struct gf_cpu_linear *p)
{
    const struct gf_cpu_target *t = &p->target;
    return p->f->kind == GF_FILTER_STENCIL && p->f->n_stencils == 1 && t->dtype == GF_F32 && !t->copy_alpha &&
           !t->unpremultiply && !t->encode;
}

/* Computes `lines` result lines from y on and stores them directly. */
static void store_at_once(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct fir *s, int64_t y,
                          int64_t lines)
{
    const struct gf_stencil *stencil = &p->f->stencils[0];
    const struct gf_cpu_taps taps = {stencil, p->target.scale, p->target.offset, p->target.stream};
    const float *at[9];
    for (int64_t k = 0; k < lines; k++) {
        stencil_samples(p, stencil, s->lines + k, at);
        unsigned char *dst =
            (unsigned char *)p->dst.data + (size_t)(tile->y + (uint64_t)(y + k)) * (size_t)p->dst.view.pitch;
        p->simd->filter->taps_f32(at, &taps, (size_t)tile->width * p->channels,
                                  dst + (size_t)tile->x * p->channels * sizeof(float));
    }
}

/* Computes `pair` result lines of a stencil from the lines in s->lines. A second chain uses s->wide as its output. */
static void stencil_lines(const struct gf_cpu_linear *p, struct fir *s, int64_t pair, size_t n)
{
    for (int64_t k = 0; k < pair; k++) {
        stencil_line(p, &p->f->stencils[0], s->lines + k, n, s->acc[k]);
        if (p->f->n_stencils == 1)
            continue;
        stencil_line(p, &p->f->stencils[1], s->lines + k, n, s->wide);
        p->simd->filter->magnitude(s->acc[k], s->wide, n);
    }
}

/* Applies what follows the columns of a separable filter to result line y in acc[k]. */
static void finish_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, struct fir *s, int64_t y,
                        int64_t k, size_t n)
{
    const struct gf_filter *f = p->f;
    if (f->after == GF_AFTER_UNSHARP) {
        gf_cpu_load_line(p, tile, gf_cpu_source_y(p, tile) + y + f->anchor_y, s->wide);
        p->simd->filter->unsharp(s->acc[k], s->wide + (size_t)f->anchor_x * p->channels, f->amount, f->threshold, n);
    } else if (f->after == GF_AFTER_SUM) {
        for (int64_t i = 0; i < f->height; i++)
            s->lines[i] = s->ring + (size_t)(y + i) % p->plan.ring * p->plan.ring_line + p->plan.line;
        p->simd->filter->fir(s->lines, 1, f->height, p->channels, f->second_y, n, s->wide);
        p->simd->filter->add(s->acc[k], s->wide, s->acc[k], n);
    }
}

void gf_cpu_fir_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct gf_cpu_linear *p = context;
    struct fir s = fir_layout(p, tile->room);
    bool mask = p->f->kind == GF_FILTER_MASK;
    const float *coefs = mask ? p->f->coefs : p->f->taps_y;
    uint32_t width = mask ? p->f->width : 1;
    size_t n = (size_t)tile->width * p->channels;
    const int64_t rows = p->f->height, height = (int64_t)tile->height, top = gf_cpu_source_y(p, tile);
    int64_t made = 0;
    for (size_t i = 0; i < p->plan.ring; i++)
        s.sources[i] = INT64_MIN;

    for (int64_t y = 0; y < height && !gf_cpu_stopped(tile->stop); y += 2) {
        int64_t pair = y + 1 < height ? 2 : 1;
        for (; made < y + pair - 1 + rows; made++)
            make_line(p, tile, &s, top + made, (size_t)made % p->plan.ring);
        for (int64_t k = 0; k < rows + pair - 1; k++)
            s.lines[k] = s.ring + (size_t)(y + k) % p->plan.ring * p->plan.ring_line;
        if (stores_at_once(p)) {
            store_at_once(p, tile, &s, y, pair);
            continue;
        }
        if (p->f->kind == GF_FILTER_STENCIL)
            stencil_lines(p, &s, pair, n);
        else if (pair == 2)
            p->simd->filter->fir2(s.lines, width, p->f->height, p->channels, coefs, n, s.acc[0], s.acc[1]);
        else
            p->simd->filter->fir(s.lines, width, p->f->height, p->channels, coefs, n, s.acc[0]);
        for (int64_t k = 0; k < pair; k++) {
            finish_line(p, tile, &s, y + k, k, n);
            gf_cpu_store_line(p, tile, y + k, s.acc[k]);
        }
    }
}
