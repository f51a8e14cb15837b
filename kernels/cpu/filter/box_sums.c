/* SPDX-License-Identifier: MIT */
/*
 * A tile of a large box on an integer image, where f32 sums would not be exact: exact running sums in integers, along
 * columns first; or, if the box is higher than the picture, along each of its rows once, and then along columns.
 */
#include <string.h>

#include "linear.h"

struct sums {
    float *acc;
    float *line;
    int32_t *columns; /* sums over the mask's height; the sum of 4095 16-bit samples fits */
};

bool gf_cpu_box_in_integers(const struct gf_filter *f, uint32_t dtype)
{
    return f->integer_exact && (float)f->width * (float)f->height * gf_sample_magnitude(dtype) > 0x1p24f;
}

/* Adds source row y to the column sums, or subtracts it. */
static void add_row(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct sums *s, int64_t y,
                    bool add)
{
    size_t n = (size_t)gf_cpu_wide(p, tile) * p->channels;
    gf_cpu_load_line(p, tile, y, s->line);
    for (size_t i = 0; i < n; i++) {
        int32_t v = (int32_t)s->line[i];
        s->columns[i] += add ? v : -v;
    }
}

static void sum_columns(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, const struct sums *s)
{
    size_t step = p->channels, k = p->f->width;
    for (size_t c = 0; c < step; c++) {
        const int32_t *column = s->columns + c;
        int64_t sum = 0;
        for (size_t x = 0; x + 1 < k; x++)
            sum += column[x * step];
        for (size_t x = 0; x < tile->width; x++) {
            sum += column[(x + k - 1) * step];
            s->acc[x * step + c] = (float)sum;
            sum -= column[x * step];
        }
    }
}

/* Writes the sums over the mask's width at every pixel of source row y to `sums`. */
static void sum_row(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile, int64_t y, float *line,
                    int32_t *restrict sums)
{
    size_t step = p->channels, k = p->f->width;
    gf_cpu_load_line(p, tile, y, line);
    for (size_t c = 0; c < step; c++) {
        int32_t sum = 0;
        for (size_t x = 0; x + 1 < k; x++)
            sum += (int32_t)line[x * step + c];
        for (size_t x = 0; x < tile->width; x++) {
            sum += (int32_t)line[(x + k - 1) * step + c];
            sums[x * step + c] = sum;
            sum -= (int32_t)line[x * step + c];
        }
    }
}

static void add_sums(int64_t *restrict columns, const int32_t *restrict sums, size_t n)
{
    for (size_t i = 0; i < n; i++)
        columns[i] += sums[i];
}

/* A tile that is as high as the picture, of a box that is higher. */
static void sum_kept(const struct gf_cpu_linear *p, const struct gf_cpu_tile *tile)
{
    const size_t n = (size_t)tile->width * p->channels, line = p->plan.line;
    const int64_t rows = p->f->height, top = gf_cpu_source_y(p, tile);
    int64_t *columns = (void *)tile->room;
    float *acc = (void *)(columns + line), *wide = acc + line;
    int32_t *kept = (void *)(wide + p->plan.wide_line);
    for (size_t k = 0; k < p->plan.kept && !gf_cpu_stopped(tile->stop); k++)
        sum_row(p, tile, gf_cpu_kept_row(p, k), wide, kept + k * line);
    memset(columns, 0, n * sizeof *columns);
    for (int64_t r = 0; r < rows - 1; r++)
        add_sums(columns, kept + gf_cpu_kept_line(p, top + r) * line, n);
    for (int64_t y = 0; y < (int64_t)tile->height && !gf_cpu_stopped(tile->stop); y++) {
        const int32_t *leaves = kept + gf_cpu_kept_line(p, top + y) * line;
        add_sums(columns, kept + gf_cpu_kept_line(p, top + y + rows - 1) * line, n);
        for (size_t i = 0; i < n; i++) {
            acc[i] = (float)columns[i];
            columns[i] -= leaves[i];
        }
        gf_cpu_store_line(p, tile, y, acc);
    }
}

void gf_cpu_box_sum_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct gf_cpu_linear *p = context;
    if (p->plan.kept > 0) {
        sum_kept(p, tile);
        return;
    }
    struct sums s = {.acc = (float *)(void *)tile->room};
    s.line = s.acc + p->plan.line;
    s.columns = (int32_t *)(void *)(s.line + p->plan.wide_line);
    memset(s.columns, 0, p->plan.wide_line * sizeof(*s.columns));
    const int64_t rows = p->f->height, height = (int64_t)tile->height, top = gf_cpu_source_y(p, tile);
    for (int64_t r = 0; r < height + rows - 1 && !gf_cpu_stopped(tile->stop); r++) {
        add_row(p, tile, &s, top + r, true);
        int64_t y = r - rows + 1;
        if (y < 0)
            continue;
        sum_columns(p, tile, &s);
        gf_cpu_store_line(p, tile, y, s.acc);
        add_row(p, tile, &s, top + y, false);
    }
}
