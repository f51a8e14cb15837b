/* SPDX-License-Identifier: MIT */
/*
 * canny on the CPU, docs/numerics.md, "canny". Called through the op's row.
 *
 * Strips of rows are processed independently. A strip computes the gradients row by row, including the rows above and
 * below it, and then the ridges of each row as bits; samples are read only here. Pixels connected to strong pixels are
 * found 64 at a time: a word that has gained strong bits waits once on a stack, and passes them to the words around it.
 * Each strip does this on its own; then words beside the borders of strips start it again for the whole picture. The
 * result is the least set that contains the strong pixels and every weak pixel that touches the set, so the order does
 * not matter.
 */
#include <math.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/region/canny.h"
#include "protocol/base/base.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/params/canny.h"
#include "simd_canny.h"

#define STRIP 131072u  /* pixels per strip */
#define STRIP_ROWS 16u /* rows per strip, at least: the rows above and below are computed twice */
#define LOOK 65536u    /* words between two checks whether to stop */

struct edges {
    const struct gf_cpu_call *call;
    const struct gf_simd_canny *simd;
    int64_t thresholds[2];
    uint64_t width, height;
    struct gf_tiles strips;
    uint64_t *weak, *strong; /* of all rows; strong pixels are weak too */
    uint32_t *stack;         /* indices of words; a strip's stack begins at its first word */
    uint8_t *waits;          /* per word: it is on the stack */
    char *rooms;             /* the threads' rooms */
    struct gf_canny_plan plan;
};

/* The words that may grow, [first, first + n), and the stack of waiting words. */
struct growth {
    const struct edges *e;
    size_t first, n;
    uint32_t *stack;
    size_t waiting;
};

static struct gf_canny_line line_at(char *room, const struct gf_canny_offsets *at)
{
    return (struct gf_canny_line){room + at->dx, room + at->dy, room + at->magnitudes};
}

/* ---- gradients and ridges ---- */

static void clear_magnitudes(const struct edges *e, const struct gf_canny_line *line, size_t from, size_t n)
{
    size_t size = gf_canny_magnitude_size(&e->plan.kind);
    memset((char *)line->magnitudes - size + from * size, 0, n * size);
}

/* Computes the gradients of row y. In the rows above and below the picture they are 0. */
static void make_line(const struct edges *e, int64_t y, const struct gf_canny_workspace *room,
                      const struct gf_canny_line *line)
{
    const struct gf_buf *in = &e->call->in[0];
    const void *rows[2 * GF_CANNY_RADIUS + 1];
    int64_t r = e->plan.kind.radius, last = (int64_t)e->height - 1;
    size_t n = (size_t)e->width;
    if (y < 0 || y > last) {
        clear_magnitudes(e, line, 0, n + 2);
        return;
    }
    for (int64_t k = -r; k <= r; k++) {
        int64_t at = gf_border_index(GF_BORDER_REPLICATE, y + k, last + 1);
        rows[k + r] = (const char *)in->data + (uint64_t)at * in->view.pitch;
    }
    e->simd->gradients(&e->plan.kind, rows, n, room, line);
    clear_magnitudes(e, line, 0, 1);
    clear_magnitudes(e, line, n + 1, 1);
}

static void find_ridges(const struct edges *e, const struct gf_cpu_tile *strip)
{
    const struct gf_canny_plan *plan = &e->plan;
    char *at = e->rooms + strip->slot * plan->room;
    const struct gf_canny_workspace room = {at + plan->smooth, at + plan->slope, line_at(at, &plan->samples)};
    struct gf_canny_line lines[] = {line_at(at, &plan->rows[0]), line_at(at, &plan->rows[1]),
                                    line_at(at, &plan->rows[2])};
    int64_t first = (int64_t)strip->y, end = first + (int64_t)strip->height;
    make_line(e, first - 1, &room, &lines[0]);
    make_line(e, first, &room, &lines[1]);
    for (int64_t y = first; y < end; y++) {
        size_t word = (size_t)y * e->plan.words;
        make_line(e, y + 1, &room, &lines[2]);
        e->simd->ridges(&plan->kind, lines, (size_t)e->width, e->thresholds, e->weak + word, e->strong + word);
        struct gf_canny_line above = lines[0];
        lines[0] = lines[1];
        lines[1] = lines[2];
        lines[2] = above;
    }
}

/* ---- what is connected ---- */

/* The bits of all runs of `within` that contain a seed; seeds must lie in `within`. Adding a seed carries to the end of
 * its run. */
static uint64_t fill(uint64_t seeds, uint64_t within)
{
    seeds |= within & ~(within + seeds);
    for (unsigned step = 1; step < 64 && (seeds >> 1 & within & ~seeds) != 0; step *= 2) {
        seeds |= seeds >> step & within;
        within &= within >> step;
    }
    return seeds;
}

static void wait(struct growth *g, size_t word)
{
    if (g->e->waits[word] != 0)
        return;
    g->e->waits[word] = 1;
    g->stack[g->waiting++] = (uint32_t)word;
}

/* Makes the weak bits among `bits` of a word strong, and their runs too. */
static void give(struct growth *g, size_t word, uint64_t bits)
{
    if (word - g->first >= g->n)
        return;
    uint64_t weak = g->e->weak[word], strong = g->e->strong[word], more = bits & weak & ~strong;
    if (more == 0)
        return;
    g->e->strong[word] = fill(strong | more, weak);
    wait(g, word);
}

/* The neighbours of a row's last word are words of the next row; but the last bit of a row is never weak, and so never
 * strong. */
static void give_around(struct growth *g, size_t word)
{
    size_t row = g->e->plan.words;
    uint64_t strong = g->e->strong[word], wide = strong | strong << 1 | strong >> 1;
    give(g, word - row, wide);
    give(g, word + row, wide);
    if ((strong & 1) != 0) {
        give(g, word - row - 1, UINT64_C(1) << 63);
        give(g, word - 1, UINT64_C(1) << 63);
        give(g, word + row - 1, UINT64_C(1) << 63);
    }
    if (strong >> 63 != 0) {
        give(g, word - row + 1, 1);
        give(g, word + 1, 1);
        give(g, word + row + 1, 1);
    }
}

static void grow(struct growth *g, struct gf_cpu_stop *stop)
{
    for (uint64_t turns = 1; g->waiting > 0; turns++) {
        size_t word = g->stack[--g->waiting];
        if (turns % LOOK == 0 && gf_cpu_stopped(stop))
            return;
        g->e->waits[word] = 0;
        give_around(g, word);
    }
}

static void find_strip(void *context, const struct gf_cpu_tile *strip)
{
    const struct edges *e = context;
    size_t first = (size_t)strip->y * e->plan.words;
    struct growth g = {.e = e, .first = first, .n = (size_t)strip->height * e->plan.words};
    find_ridges(e, strip);
    g.stack = e->stack + first;
    memset(e->waits + first, 0, g.n);
    for (size_t word = first; word < first + g.n; word++)
        if (e->strong[word] != 0) {
            e->strong[word] = fill(e->strong[word], e->weak[word]);
            wait(&g, word);
        }
    grow(&g, strip->stop);
}

/* Restarts growth from the strong pixels beside borders of strips, in one task. */
static void join_strips(void *context, const struct gf_cpu_tile *all)
{
    const struct edges *e = context;
    struct growth g = {.e = e, .n = (size_t)e->height * e->plan.words, .stack = e->stack};
    for (uint64_t y = e->strips.tile_height; y < e->height; y += e->strips.tile_height) {
        size_t below = (size_t)y * e->plan.words;
        for (size_t word = below - e->plan.words; word < below + e->plan.words; word++)
            if (e->strong[word] != 0)
                wait(&g, word);
    }
    grow(&g, all->stop);
}

static void paint_strip(void *context, const struct gf_cpu_tile *strip)
{
    const struct edges *e = context;
    const struct gf_buf *out = &e->call->out[0];
    for (uint64_t y = strip->y; y < strip->y + strip->height; y++)
        e->simd->paint(e->strong + y * e->plan.words, (uint8_t *)out->data + y * out->view.pitch, (size_t)e->width);
}

static enum gf_status make_room(struct edges *e, struct gf_error *err)
{
    void *scratch;
    enum gf_status status =
        gf_cpu_scratch_get(e->call, gf_canny_scratch(&e->plan, gf_cpu_pool_threads(e->call->pool)), &scratch, err);
    if (status != GF_OK)
        return status;
    char *at = scratch;
    e->weak = (void *)(at + e->plan.weak);
    e->strong = (void *)(at + e->plan.strong);
    e->stack = (void *)(at + e->plan.stack);
    e->waits = (void *)(at + e->plan.waits);
    e->rooms = at + e->plan.rooms;
    return GF_OK;
}

enum gf_status gf_cpu_canny(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    const struct gf_canny_params p = gf_canny_params_get(&call->step->params);
    struct edges e = {.call = call,
                      .simd = call->simd->canny,
                      .thresholds = {gf_canny_threshold(&p, p.low), gf_canny_threshold(&p, p.high)},
                      .width = view->width,
                      .height = view->height,
                      .strips = gf_whole_rows(view->width, view->height, STRIP),
                      .plan = gf_canny_plan(call->step, view)};
    const struct gf_tiles once = {1, 1, 1, 1, 0};
    e.strips.tile_height = gf_max_u64(e.strips.tile_height, STRIP_ROWS);
    enum gf_status status = make_room(&e, err);
    if (status == GF_OK)
        status = gf_cpu_tiles_run(call, &e.strips, find_strip, &e, err);
    if (status == GF_OK)
        status = gf_cpu_tiles_run(call, &once, join_strips, &e, err);
    if (status == GF_OK)
        status = gf_cpu_tiles_run(call, &e.strips, paint_strip, &e, err);
    return status;
}
