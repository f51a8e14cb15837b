/* SPDX-License-Identifier: MIT */
/*
 * label on the CPU, docs/numerics.md, "label": runs of foreground, joined by union-find. Called through the op's row.
 *
 * Strips of rows are processed independently. First the pixels of a strip become bits; samples are read only here. Then
 * each run that touches no run above starts a set, and any other run joins the sets that it touches. A set is
 * identified by its least number. This number belongs to the run with the part's first pixel, because numbers ascend
 * with pixels: within a strip they are assigned in that order, and a strip's numbers begin after the numbers of all
 * runs before it. After the strips are joined, one pass over all sets in ascending order therefore meets each part at
 * its first pixel and assigns it the next number, independently of the strips.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/label.h"
#include "simd_region.h"

#define STRIP 65536u /* pixels per strip, unless a single row has more */

/* The extent of a set's pixels, and of a part once it is numbered. */
struct extent {
    uint32_t area;
    uint16_t x0, y0, x1, y1; /* x1 and y1 are inclusive */
};

struct strip {
    uint64_t first_run;        /* number of the strip's first run; its sets are numbered from here on */
    uint64_t n_runs, last_row; /* runs in the strip; number of the first run in the strip's last row */
    uint64_t n_sets;
};

struct labelling {
    const struct gf_cpu_call *call;
    const struct gf_simd_region *simd;
    uint64_t width, height;
    struct gf_tiles tiles; /* the strips */
    uint32_t reach;        /* 1 if runs whose ends touch diagonally are connected */
    size_t n_words;        /* words per row */
    uint64_t *words;       /* the picture as bits */
    uint16_t *edges;       /* two rows per thread */
    struct strip *strips;
    uint32_t n_strips;
    uint32_t *set_of_run; /* the set of each run when it was met; `sets` leads to the set's least member */
    uint32_t *sets;       /* a smaller member of the same set, or itself; at the end the number of its part */
    struct extent *extents;
};

/* The runs of a row. */
struct row {
    const uint16_t *edges;
    const uint32_t *sets; /* the set of each run */
    size_t n;
};

static struct strip *strip_of(const struct labelling *l, const struct gf_cpu_tile *tile)
{
    return &l->strips[tile->y / l->tiles.tile_height];
}

static uint16_t *edges_of(const struct labelling *l, uint32_t slot, uint64_t row)
{
    return l->edges + (2 * (size_t)slot + row % 2) * l->n_words * 64;
}

static size_t find_runs(const struct labelling *l, uint64_t y, uint16_t *edges)
{
    return l->simd->edges(l->words + y * l->n_words, l->n_words, edges);
}

/* Finds the least member of a set and shortens the path to it. */
static uint32_t least_of(uint32_t *sets, uint32_t i)
{
    while (sets[i] != i) {
        sets[i] = sets[sets[i]];
        i = sets[i];
    }
    return i;
}

/* Joins the sets of two members; `least` must be the least of its own set. Returns the least member of both. */
static uint32_t join(uint32_t *sets, uint32_t least, uint32_t other)
{
    other = least_of(sets, other);
    if (other < least) {
        sets[least] = other;
        return other;
    }
    sets[other] = least;
    return least;
}

/* Joins all runs of the row above that touch [from, to). *at is the first run that may touch it, and is updated for the
 * next run. Returns UINT32_MAX if none does. */
static inline uint32_t join_above(const struct labelling *l, const struct row *above, uint32_t from, uint32_t to,
                                  size_t *at)
{
    size_t k = *at;
    uint32_t set = UINT32_MAX;
    while (k < above->n && above->edges[2 * k + 1] + l->reach <= from)
        k++;
    *at = k;
    if (k == above->n || above->edges[2 * k] >= to + l->reach)
        return set;
    set = least_of(l->sets, above->sets[k]);
    for (k++; k < above->n && above->edges[2 * k] < to + l->reach; k++)
        set = join(l->sets, set, above->sets[k]);
    *at = k - 1; /* it may touch the next run too */
    return set;
}

static inline void extend(struct extent *e, uint32_t from, uint32_t to, uint64_t y)
{
    e->area += to - from;
    e->x0 = from < e->x0 ? (uint16_t)from : e->x0;
    e->x1 = to - 1 > e->x1 ? (uint16_t)(to - 1) : e->x1;
    e->y1 = (uint16_t)y;
}

/* Gives each run of row y its set; the runs have numbers from `first` on. Returns the next number of a set. */
static uint32_t join_row(const struct labelling *l, const struct row *above, uint64_t y, const uint16_t *edges,
                         size_t n, uint64_t first, uint32_t next)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t from = edges[2 * i], to = edges[2 * i + 1];
        uint32_t set = join_above(l, above, from, to, &at);
        if (set == UINT32_MAX) {
            set = next++;
            l->sets[set] = set;
            l->extents[set] = (struct extent){0, (uint16_t)from, (uint16_t)y, 0, 0};
        }
        l->set_of_run[first + i] = set;
        extend(&l->extents[set], from, to, y);
    }
    return next;
}

static void read_strip(void *context, const struct gf_cpu_tile *tile)
{
    const struct labelling *l = context;
    const struct gf_buf *in = &l->call->in[0];
    uint64_t n = 0;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++)
        n += l->simd->bits(in->view.dtype, (const char *)in->data + y * in->view.pitch, (size_t)l->width,
                           l->words + y * l->n_words);
    strip_of(l, tile)->n_runs = n;
}

static void join_strip(void *context, const struct gf_cpu_tile *tile)
{
    const struct labelling *l = context;
    struct strip *s = strip_of(l, tile);
    struct row above = {.n = 0};
    uint64_t run = s->first_run;
    uint32_t next = (uint32_t)s->first_run;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        uint16_t *edges = edges_of(l, tile->slot, y);
        size_t n = find_runs(l, y, edges);
        next = join_row(l, &above, y, edges, n, run, next);
        above = (struct row){edges, l->set_of_run + run, n};
        s->last_row = run;
        run += n;
    }
    s->n_sets = next - s->first_run;
}

/* Joins the runs of a strip's first row with the runs of the row above, in the previous strip. */
static void join_strips(const struct labelling *l, uint32_t strip)
{
    uint64_t y = strip * l->tiles.tile_height, first = l->strips[strip].first_run;
    uint16_t *above_edges = edges_of(l, 0, 0), *edges = edges_of(l, 0, 1);
    struct row above = {above_edges, l->set_of_run + l->strips[strip - 1].last_row, find_runs(l, y - 1, above_edges)};
    size_t n = find_runs(l, y, edges), at = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t set = join_above(l, &above, edges[2 * i], edges[2 * i + 1], &at);
        if (set != UINT32_MAX)
            (void)join(l->sets, set, l->set_of_run[first + i]);
    }
}

static void merge(struct extent *to, const struct extent *from)
{
    to->area += from->area;
    to->x0 = from->x0 < to->x0 ? from->x0 : to->x0;
    to->x1 = from->x1 > to->x1 ? from->x1 : to->x1;
    to->y1 = from->y1 > to->y1 ? from->y1 : to->y1;
}

/* Numbers the parts in the order of their sets' least members: sets[] becomes the number of each set's part. Extents of
 * parts move to the front, over extents that are no longer needed. */
static uint64_t number_parts(const struct labelling *l)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < l->n_strips; s++) {
        uint64_t first = l->strips[s].first_run;
        for (uint64_t i = first; i < first + l->strips[s].n_sets; i++) {
            if (l->sets[i] == i) {
                l->extents[count] = l->extents[i];
                l->sets[i] = ++count;
            } else { /* a smaller member, which already has its number */
                l->sets[i] = l->sets[l->sets[i]];
                merge(&l->extents[l->sets[i] - 1], &l->extents[i]);
            }
        }
    }
    return count;
}

static void paint_strip(void *context, const struct gf_cpu_tile *tile)
{
    const struct labelling *l = context;
    const struct gf_buf *out = &l->call->out[0];
    uint64_t run = strip_of(l, tile)->first_run;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        uint16_t *edges = edges_of(l, tile->slot, y);
        size_t n = find_runs(l, y, edges);
        l->simd->paint(edges, n, l->set_of_run + run, l->sets, (char *)out->data + y * out->view.pitch,
                       (size_t)l->width);
        run += n;
    }
}

/* Stores the tables as far as the capacity goes, and fills the rest with 0. */
static void store_tables(const struct labelling *l, uint64_t count)
{
    uint32_t *areas = l->call->out[1].data, *boxes = l->call->out[2].data;
    uint64_t capacity = l->call->out[1].view.width, n = count < capacity ? count : capacity;
    for (uint64_t k = 0; areas != NULL && k < n; k++)
        areas[k] = l->extents[k].area;
    for (uint64_t k = 0; boxes != NULL && k < n; k++) {
        const struct extent *e = &l->extents[k];
        const uint32_t box[4] = {e->x0, e->y0, (uint32_t)(e->x1 - e->x0 + 1), (uint32_t)(e->y1 - e->y0 + 1)};
        memcpy(boxes + 4 * k, box, sizeof(box));
    }
    if (areas != NULL)
        memset(areas + n, 0, (size_t)(capacity - n) * sizeof(*areas));
    if (boxes != NULL)
        memset(boxes + 4 * n, 0, (size_t)(capacity - n) * 4 * sizeof(*boxes));
    memcpy(l->call->out[3].data, &count, sizeof(count));
}

/* Allocates bits, edges and strips, the sizes of which are known at once. */
static enum gf_status make_room(struct labelling *l, struct gf_error *err)
{
    uint64_t threads = gf_cpu_pool_threads(l->call->pool);
    uint64_t words = l->height * l->n_words * sizeof(*l->words), strips = l->n_strips * sizeof(*l->strips);
    uint64_t edges = 2 * threads * l->n_words * 64 * sizeof(*l->edges);
    void *room = NULL;
    enum gf_status status = gf_cpu_scratch_get(l->call, words + strips + edges, &room, err);
    if (status != GF_OK)
        return status;
    l->words = room;
    l->strips = (void *)((char *)room + words);
    l->edges = (void *)((char *)room + words + strips);
    return GF_OK;
}

/* Sets the number of each strip's first run and returns the number of runs. */
static uint64_t sum_runs(const struct labelling *l)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < l->n_strips; s++) {
        l->strips[s].first_run = sum;
        sum += l->strips[s].n_runs;
    }
    return sum;
}

enum gf_status gf_cpu_label(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    struct labelling l = {.call = call,
                          .simd = call->simd->region,
                          .width = view->width,
                          .height = view->height,
                          .tiles = gf_whole_rows(view->width, view->height, STRIP),
                          .reach = gf_label_params_get(&call->step->params).connectivity == GF_CONNECTIVITY_EIGHT,
                          .n_words = (size_t)view->width / 64 + 1};
    l.n_strips = (uint32_t)gf_tiles_down(&l.tiles);
    enum gf_status status = make_room(&l, err);
    if (status == GF_OK)
        status = gf_cpu_tiles_run(call, &l.tiles, read_strip, &l, err);
    if (status != GF_OK)
        return status;
    size_t n_runs = (size_t)sum_runs(&l), size = sizeof(*l.set_of_run) + sizeof(*l.sets) + sizeof(*l.extents);
    void *gf_cleanup(gf_freep) room = malloc(n_runs * size + 1);
    if (room == NULL)
        return gf_error_no_memory(err, call->step->op->name, n_runs * size);
    l.extents = room;
    l.set_of_run = (void *)(l.extents + n_runs);
    l.sets = l.set_of_run + n_runs;
    status = gf_cpu_tiles_run(call, &l.tiles, join_strip, &l, err);
    if (status != GF_OK)
        return status;
    for (uint32_t s = 1; s < l.n_strips; s++)
        join_strips(&l, s);
    uint64_t count = number_parts(&l);
    status = gf_cpu_tiles_run(call, &l.tiles, paint_strip, &l, err);
    store_tables(&l, count);
    return status;
}
