/* SPDX-License-Identifier: MIT */
/*
 * A tile of a box by binary doubling, the rule for f32: sums of 1, 2, 4... neighbours are formed, and the window is
 * assembled from them, from the highest set bit of its length downwards; first along rows, then along columns. The
 * column sums of each length have a small ring of lines. If the box is higher than the picture, the rows' windows are
 * formed once and kept, because each of them is read for many rows. Integer images whose sums are all exact in f32 take
 * this path too.
 */
#include <string.h>

#include "linear.h"

struct box {
    float *acc;
    float *levels_x[GF_BOX_LEVELS]; /* [0] is the source line */
    float *kept; /* the windows of all rows of the picture, and those of a row of a constant border; NULL: in
                    levels_y[0] */
    float *levels_y[GF_BOX_LEVELS]; /* rings of gf_box_depth() lines; [0] holds the row windows */
};

static struct box box_layout(const struct gf_cpu_linear *p, unsigned char *workspace)
{
    struct box s = {.acc = (float *)(void *)workspace};
    float *next = s.acc + p->plan.line;
    for (uint32_t l = 0; l < gf_box_levels(p->f->width); l++, next += p->plan.wide_line)
        s.levels_x[l] = next;
    s.kept = p->plan.kept > 0 ? next : NULL;
    next += p->plan.kept * p->plan.line;
    for (uint32_t l = 0; l < gf_box_levels(p->f->height); l++) {
        s.levels_y[l] = next;
        next += gf_box_depth(p->f->height, l) * p->plan.line;
    }
    return s;
}

/* The line of column sums of 2^level lines that starts at line i. */
static float *column_line(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct box *s,
                          uint32_t level, int64_t i)
{
    if (s->kept && level == 0)
        return s->kept + gf_cpu_kept_line(p, gf_cpu_source_y(p, tile) + i) * p->plan.line;
    return s->levels_y[level] + (size_t)i % gf_box_depth(p->f->height, level) * p->plan.line;
}

/* Writes the sum over the mask's width at every pixel of source row y to `out`. */
static void sum_row(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct box *s, int64_t y,
                    float *out)
{
    uint32_t k = p->f->width, top = gf_box_levels(k) - 1;
    size_t n = (size_t)tile->width * p->channels, n_wide = n + (size_t)(k - 1) * p->channels;
    gf_cpu_load_line(p, tile, y, s->levels_x[0]);
    for (uint32_t l = 0; l < top; l++) {
        size_t shift = ((size_t)1 << l) * p->channels;
        n_wide -= shift;
        p->simd->filter->add(s->levels_x[l], s->levels_x[l] + shift, s->levels_x[l + 1], n_wide);
    }
    size_t covered = (size_t)1 << top;
    const float *window = s->levels_x[top];
    for (uint32_t l = top; l-- > 0;) {
        if (!(k >> l & 1))
            continue;
        p->simd->filter->add(window, s->levels_x[l] + covered * p->channels, out, n);
        window = out;
        covered += (size_t)1 << l;
    }
    if (window != out)
        memcpy(out, window, n * sizeof(*out));
}

/* Completes all longer column sums that end with line r, which row windows have just filled. */
static void extend_columns(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct box *s,
                           int64_t r, size_t n)
{
    uint32_t top = gf_box_levels(p->f->height) - 1;
    for (uint32_t l = 0; l < top; l++) {
        int64_t m = (int64_t)1 << l, first = r - 2 * m + 1;
        if (first < 0)
            return;
        p->simd->filter->add(column_line(p, tile, s, l, first), column_line(p, tile, s, l, first + m),
                             column_line(p, tile, s, l + 1, first), n);
    }
}

/* Writes the sum over the mask's height from line i on to acc. */
static void sum_columns(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct box *s, int64_t i,
                        size_t n)
{
    uint32_t k = p->f->height, top = gf_box_levels(k) - 1;
    const float *window = column_line(p, tile, s, top, i);
    int64_t covered = (int64_t)1 << top;
    for (uint32_t l = top; l-- > 0;) {
        if (!(k >> l & 1))
            continue;
        p->simd->filter->add(window, column_line(p, tile, s, l, i + covered), s->acc, n);
        window = s->acc;
        covered += (int64_t)1 << l;
    }
    if (window != s->acc)
        memcpy(s->acc, window, n * sizeof(*s->acc));
}

void gf_cpu_box_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct gf_cpu_linear *p = context;
    struct box s = box_layout(p, tile->room);
    size_t n = (size_t)tile->width * p->channels;
    const int64_t rows = p->f->height, height = (int64_t)tile->height, top = gf_cpu_source_y(p, tile);
    for (size_t k = 0; k < p->plan.kept && !gf_cpu_stopped(tile->stop); k++)
        sum_row(p, tile, &s, gf_cpu_kept_row(p, k), s.kept + k * p->plan.line);
    for (int64_t r = 0; r < height + rows - 1 && !gf_cpu_stopped(tile->stop); r++) {
        if (!s.kept)
            sum_row(p, tile, &s, top + r, column_line(p, tile, &s, 0, r));
        extend_columns(p, tile, &s, r, n);
        int64_t y = r - rows + 1;
        if (y < 0)
            continue;
        sum_columns(p, tile, &s, y, n);
        gf_cpu_store_line(p, tile, y, s.acc);
    }
}
