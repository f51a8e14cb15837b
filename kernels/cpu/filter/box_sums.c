/* SPDX-License-Identifier: MIT */
/* A tile of a large box on an integer image, where f32 sums would not be exact: exact running sums in integers. */
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

void gf_cpu_box_sum_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct gf_cpu_linear *p = context;
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
