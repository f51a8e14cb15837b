/* SPDX-License-Identifier: MIT */
/*
 * clahe on the CPU. The first pass makes the table of every tile and colour; the second maps the rows of the picture,
 * each row by the tables of two rows of tiles. 16-bit colours are processed one after the other, because their tables
 * are large. Where tiles have few samples, each has a list of its values instead, in which every sample is looked up.
 * Called through the op's row.
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
    uint32_t size;               /* bytes of a sample and of a table entry */
    uint32_t first, n;           /* the colours of this round: first .. first + n - 1 */
    uint32_t few;                /* samples of a tile, if it has a list; otherwise 0 */
    unsigned char *tables;       /* for each colour of the round the tables of all tiles, row by row */
    struct gf_clahe_list *lists; /* or their lists, with room for `few` values and one more sum each */
    uint32_t *sums;
    uint16_t *values;
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

/* Takes all samples of a tile, in their order. Returns how many. */
static uint32_t take_samples(const struct clahe *c, int64_t x0, int64_t y0, uint32_t colour, uint16_t *restrict samples)
{
    const size_t step = 2 * (size_t)c->call->in[0].view.channels;
    const int64_t width = (int64_t)c->call->in[0].view.width;
    uint32_t n = 0;
    for (int64_t y = y0; y < y0 + c->k.height; y++) {
        const unsigned char *restrict row = row_of(c, y, colour);
        for (int64_t x = x0; x < x0 + c->k.width; x++, n++) {
            memcpy(&samples[n], row + (size_t)gf_border_index(GF_BORDER_REFLECT101, x, width) * step, 2);
            samples[n] ^= (uint16_t)c->k.sign;
        }
    }
    return n;
}

/* Lists the values that the samples have: sets their bits, then reads these in order. Returns how many. */
static uint32_t list_values(struct gf_clahe_room *room, uint32_t n, uint16_t *restrict values)
{
    uint32_t found = 0;
    memset(room->words, 0, sizeof room->words);
    memset(room->which, 0, sizeof room->which);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = room->samples[i];
        room->words[v / 64] |= UINT64_C(1) << v % 64;
        room->which[v / 4096] |= UINT64_C(1) << v / 64 % 64;
    }
    for (uint32_t i = 0; i < 16; i++)
        for (uint64_t left = room->which[i]; left != 0; left &= left - 1) {
            const uint32_t word = 64 * i + (uint32_t)__builtin_ctzll(left);
            for (uint64_t bits = room->words[word]; bits != 0; bits &= bits - 1)
                values[found++] = (uint16_t)(64 * word + (uint32_t)__builtin_ctzll(bits));
        }
    return found;
}

/* Makes the list of the tile that begins at (x0, y0), `number` among all lists of the round. */
static void make_list(const struct clahe *c, int64_t x0, int64_t y0, uint32_t colour, struct gf_clahe_room *room,
                      size_t number)
{
    struct gf_clahe_list list = {.first = number * (c->few + UINT64_C(1))};
    uint16_t *values = c->values + list.first;
    uint32_t *sums = c->sums + list.first, excess = 0;
    const uint32_t n = take_samples(c, x0, y0, colour, room->samples);
    list.n = list_values(room, n, values);
    memset(sums, 0, (list.n + 1) * sizeof *sums);
    for (uint32_t i = 0; i < n; i++)
        sums[gf_clahe_rank(values, list.n, room->samples[i])]++;
    for (uint32_t i = 1; i <= list.n; i++) {
        const uint32_t kept = c->k.limit != 0 && sums[i] > c->k.limit ? c->k.limit : sums[i];
        excess += sums[i] - kept;
        sums[i] = sums[i - 1] + kept;
    }
    list.share = gf_clahe_share_of(c->k.levels, excess);
    c->lists[number] = list;
}

/* Makes one table or list: tile->x is the number of clahe's tile, tile->y the colour within the round. */
static void make_table(void *context, const struct gf_cpu_tile *tile)
{
    const struct clahe *c = context;
    uint32_t number = (uint32_t)tile->x, colour = c->first + (uint32_t)tile->y;
    int64_t x0 = (int64_t)(number % c->k.tiles_x) * c->k.width, y0 = (int64_t)(number / c->k.tiles_x) * c->k.height;
    uint32_t *counters = (void *)tile->room;
    size_t table = (size_t)tile->y * c->k.tiles_x * c->k.tiles_y + number;
    if (c->few > 0) {
        make_list(c, x0, y0, colour, (void *)tile->room, table);
        return;
    }
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
    struct gf_cpu_clahe_row row = {.cells = cells,
                                   .before = c->before,
                                   .after = c->after,
                                   .weight = c->weight,
                                   .max = c->k.max,
                                   .values = c->values,
                                   .sums = c->sums,
                                   .sign = c->k.sign,
                                   .scale = c->k.scale};
    uint32_t made = UINT32_MAX; /* identifies the two rows of tiles in `cells`: the sum of their numbers */
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        const struct gf_clahe_place place = gf_clahe_place_of((uint32_t)y, c->k.inverse_y, c->k.tiles_y);
        const unsigned char *above = tables + place.before * row_of_tables,
                            *below = tables + place.after * row_of_tables;
        if (c->few > 0) {
            row.lists[0] = c->lists + (size_t)c->k.tiles_x * (i * c->k.tiles_y + place.before);
            row.lists[1] = c->lists + (size_t)c->k.tiles_x * (i * c->k.tiles_y + place.after);
        }
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
    const uint32_t entries = c->few > 0 ? 1 : c->k.levels;
    for (uint32_t x = 0; x < width; x++) {
        const struct gf_clahe_place place = gf_clahe_place_of(x, c->k.inverse_x, c->k.tiles_x);
        uint32_t cell = place.before == place.after && place.after > 0 ? c->k.tiles_x : place.after;
        c->before[x] = entries * (c->size == 1 ? cell : place.before);
        c->after[x] = entries * place.after;
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
    c.few = plan.few;
    if (plan.few > 0) {
        const uint64_t n = plan.tables.width * plan.tables.height;
        c.lists = (void *)tables;
        c.sums = (void *)(c.lists + n);
        c.values = (void *)(c.sums + n * (plan.few + UINT64_C(1)));
    }
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
