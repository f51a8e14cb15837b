/* SPDX-License-Identifier: MIT */
/*
 * clahe on the CPU. The first pass makes the table of every tile and colour; the second maps the rows of the picture,
 * each row by the tables of two rows of tiles. 16-bit colours are processed one after the other, because their tables
 * are large. Called through the op's row.
 */
#include "kernels/shared/tone/clahe.h"

#include <string.h>

#include "intensity.h"
#include "kernels/cpu/device/tiles.h"
#include "kernels/shared/filter.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/clahe.h"
#include "protocol/ops/plan/plans.h"
#include "simd_point.h"

#define COUNTERS GF_CLAHE_COUNTERS

struct clahe {
    const struct gf_cpu_call *call;
    struct gf_clahe k;
    uint32_t size;         /* bytes of a sample and of a table entry */
    uint32_t first, n;     /* the colours of this round: first .. first + n - 1 */
    unsigned char *tables; /* for each colour of the round the tables of all tiles, row by row */
    uint32_t *before, *after;
    float *weight;
};

/* The first sample of a colour in row y; a row beyond the picture is mirrored. */
static const unsigned char *row_of(const struct clahe *c, int64_t y, uint32_t colour)
{
    const struct gf_buf *in = &c->call->in[0];
    int64_t from = gf_border_index(GF_BORDER_REFLECT101, y, (int64_t)in->view.height);
    return (const unsigned char *)in->data + (size_t)from * in->view.pitch + (size_t)colour * c->size;
}

/* Counts the 8-bit samples of the tile that begins at (x0, y0). Pixels beyond the picture are mirrored. */
static void count_bytes(const struct clahe *c, int64_t x0, int64_t y0, uint32_t colour, uint32_t *restrict counters)
{
    const size_t step = c->call->in[0].view.channels;
    const int64_t width = (int64_t)c->call->in[0].view.width, x1 = x0 + c->k.width, inside = x1 < width ? x1 : width;
    memset(counters, 0, 256 * COUNTERS * sizeof(*counters));
    for (int64_t y = y0; y < y0 + c->k.height; y++) {
        const unsigned char *restrict row = row_of(c, y, colour);
        int64_t x = x0;
        for (; x + COUNTERS <= inside; x += COUNTERS)
            for (uint32_t i = 0; i < COUNTERS; i++)
                counters[i * 256 + row[(size_t)(x + i) * step]]++;
        for (; x < x1; x++)
            counters[row[(size_t)gf_border_index(GF_BORDER_REFLECT101, x, width) * step]]++;
    }
    for (uint32_t i = 1; i < COUNTERS; i++)
        for (uint32_t v = 0; v < 256; v++)
            counters[v] += counters[i * 256 + v];
}

/* As count_bytes, for 16-bit samples; `sign` turns their bits into their order. */
static void count_words(const struct clahe *c, int64_t x0, int64_t y0, uint32_t colour, uint32_t *restrict counters)
{
    const size_t step = 2 * (size_t)c->call->in[0].view.channels;
    const uint32_t sign = c->k.sign;
    const int64_t width = (int64_t)c->call->in[0].view.width, x1 = x0 + c->k.width, inside = x1 < width ? x1 : width;
    memset(counters, 0, c->k.levels * sizeof(*counters));
    for (int64_t y = y0; y < y0 + c->k.height; y++) {
        const unsigned char *restrict row = row_of(c, y, colour);
        uint16_t bits;
        int64_t x = x0;
        for (; x < inside; x++) {
            memcpy(&bits, row + (size_t)x * step, sizeof(bits));
            counters[bits ^ sign]++;
        }
        for (; x < x1; x++) {
            memcpy(&bits, row + (size_t)gf_border_index(GF_BORDER_REFLECT101, x, width) * step, sizeof(bits));
            counters[bits ^ sign]++;
        }
    }
}

/* Makes one table: tile->x is the number of clahe's tile, tile->y the colour within the round. */
static void make_table(void *context, const struct gf_cpu_tile *tile)
{
    const struct clahe *c = context;
    uint32_t number = (uint32_t)tile->x, colour = c->first + (uint32_t)tile->y;
    int64_t x0 = (int64_t)(number % c->k.tiles_x) * c->k.width, y0 = (int64_t)(number / c->k.tiles_x) * c->k.height;
    uint32_t *counters = (void *)tile->room;
    size_t table = (size_t)tile->y * c->k.tiles_x * c->k.tiles_y + number;
    if (c->size == 1)
        count_bytes(c, x0, y0, colour, counters);
    else
        count_words(c, x0, y0, colour, counters);
    c->call->simd->point->clahe_table(&c->k, counters, c->tables + table * c->k.levels * c->size);
}

/* Copies samples that lie `step` bytes apart. */
static void copy_samples(const unsigned char *from, unsigned char *to, size_t size, size_t step, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        memcpy(to + i * step, from + i * step, size);
}

/* Maps rows of colour i of this round. */
static void run_rows(const struct clahe *c, uint32_t i, const struct gf_cpu_tile *tile)
{
    const struct gf_buf *in = &c->call->in[0], *out = &c->call->out[0];
    const struct gf_simd_point *simd = c->call->simd->point;
    const size_t row_of_tables = (size_t)c->k.tiles_x * c->k.levels * c->size, at = (size_t)(c->first + i) * c->size;
    const unsigned char *tables = c->tables + i * c->k.tiles_y * row_of_tables;
    uint32_t *cells = (void *)tile->room;
    struct gf_cpu_clahe_row row = {
        .cells = cells, .before = c->before, .after = c->after, .weight = c->weight, .max = c->k.max};
    uint32_t made = UINT32_MAX; /* identifies the two rows of tiles in `cells`: the sum of their numbers */
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        const struct gf_clahe_place place = gf_clahe_place_of((uint32_t)y, c->k.inverse_y, c->k.tiles_y);
        const unsigned char *above = tables + place.before * row_of_tables,
                            *below = tables + place.after * row_of_tables;
        if (c->size == 1 && made != place.before + place.after)
            simd->clahe_cells(c->k.tiles_x, above, below, cells);
        made = place.before + place.after;
        row.above = (const void *)above;
        row.below = (const void *)below;
        row.y = place.weight;
        simd->clahe(in->view.dtype, &row, (const unsigned char *)in->data + y * in->view.pitch + at,
                    (unsigned char *)out->data + y * out->view.pitch + at, in->view.width, in->view.channels);
    }
}

/* Maps rows of all colours of this round. The first round also copies alpha where it must stay unchanged. */
static void make_rows(void *context, const struct gf_cpu_tile *tile)
{
    const struct clahe *c = context;
    const struct gf_buf *in = &c->call->in[0], *out = &c->call->out[0];
    uint32_t channels = in->view.channels, alpha = gf_clahe_params_get(&c->call->step->params).alpha;
    size_t colours = gf_computed_channels(alpha, channels);
    for (uint32_t i = 0; i < c->n; i++)
        run_rows(c, i, tile);
    for (uint64_t y = tile->y; y < tile->y + tile->height && colours < channels && c->first == 0; y++)
        copy_samples((const unsigned char *)in->data + y * in->view.pitch + colours * c->size,
                     (unsigned char *)out->data + y * out->view.pitch + colours * c->size, c->size,
                     (size_t)channels * c->size, in->view.width);
}

static void place_columns(const struct clahe *c, uint64_t width)
{
    for (uint32_t x = 0; x < width; x++) {
        const struct gf_clahe_place place = gf_clahe_place_of(x, c->k.inverse_x, c->k.tiles_x);
        uint32_t cell = place.before == place.after && place.after > 0 ? c->k.tiles_x : place.after;
        c->before[x] = c->k.levels * (c->size == 1 ? cell : place.before);
        c->after[x] = c->k.levels * place.after;
        c->weight[x] = place.weight;
    }
}

enum gf_status gf_cpu_clahe(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    struct clahe c = {.call = call, .k = gf_clahe_of(call->step, view)};
    uint32_t colours = gf_computed_channels(gf_clahe_params_get(&call->step->params).alpha, view->channels);
    const struct gf_clahe_plan plan = gf_clahe_plan(call->step);
    c.size = plan.size;
    c.n = plan.colours;
    unsigned char *gf_cleanup(gf_freep) tables = malloc((size_t)plan.table_bytes);
    uint32_t *gf_cleanup(gf_freep) places = malloc((size_t)plan.place_bytes);
    if (tables == NULL || places == NULL)
        return gf_error_no_memory(err, call->step->op->name, plan.table_bytes + plan.place_bytes);
    enum gf_status status = GF_OK;
    c.tables = tables;
    c.before = places;
    c.after = places + view->width;
    c.weight = (float *)(void *)(places + 2 * view->width);
    place_columns(&c, view->width);
    for (; c.first < colours && status == GF_OK; c.first += c.n) {
        status = gf_cpu_tiles_run(call, &plan.tables, make_table, &c, err);
        if (status == GF_OK)
            status = gf_cpu_tiles_run(call, &plan.rows, make_rows, &c, err);
    }
    return status;
}
