/* SPDX-License-Identifier: MIT */
/*
 * erode, dilate, opening, closing, gradient, tophat and blackhat on the CPU: one pass over the picture after the other,
 * each cut into tiles for the threads (tile.c). Two passes are joined into one if recomputing rows of the first pass at
 * the edges of tiles is worth it. The tiling changes no bit: every result is an extremum of its own. Called through the
 * ops' rows.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/simd/simd_samples.h"
#include "protocol/ops/enums.h"
#include "tile.h"

/* Bytes of all lines of a tile, which stay in the L2 cache, and of a piece of a line, several of which stay in the L1
 * cache. */
#define TILE_BYTES (384u * 1024u)
#define PIECE_BYTES 8192u
#define LINE_ALIGN 64u
/* Tiles per thread, for an even load; and the least height of a tile, because each tile also computes its halo. */
#define TILES_PER_THREAD 4u
#define MIN_TILE_HEIGHT 32u
/* A joined tile is at least this many times as high as the rows that its first pass recomputes. */
#define JOINED_TILE 8u
/* With at least this many runs of one member in a whole row, a line for all of them is faster than a line for each. */
#define WHOLE_ROW 8u
/* With more taps, ordering them takes less time than it saves. */
#define MANY_TAPS 256u
/* Two joined passes may use this much more memory than a picture between them would. It is charged
 * (protocol/ops/footprint.c). */
#define SPARE_BYTES ((uint64_t)2 << 20)

/* Each level's lines cover four lines of the previous level; up to five lines of the last level cover the height. */
static void plan_rectangle(struct gf_cpu_pass *p)
{
    uint32_t height = p->pass->height, covered = 1;
    p->level[p->n_levels++] = (struct gf_cpu_level){.rows = 1};
    for (; covered * 5 < height; covered *= 4)
        p->level[p->n_levels++] = (struct gf_cpu_level){.rows = covered * 4, .n_from = 4};
    for (uint32_t y = 0; y + covered < height; y += covered)
        p->taps[p->n_taps++] = (struct gf_cpu_tap){.level = (uint8_t)(p->n_levels - 1), .y = (uint8_t)y};
    p->taps[p->n_taps++] = (struct gf_cpu_tap){.level = (uint8_t)(p->n_levels - 1), .y = (uint8_t)(height - covered)};
    p->pairs = p->n_levels == 1 && height > 1;
}

/* Finds whether one row of the element is whole, as in a cross, and whether so many runs consist of that row alone that
 * a line for each of them would cost more than one fold along the row. */
static void find_whole_row(struct gf_cpu_pass *p)
{
    const struct gf_element *e = &p->m->element;
    uint32_t alone = 0, members = 0, i = 0;
    while (i < e->n_runs && e->runs[i].length > 1)
        i++;
    if (i == e->n_runs)
        return;
    p->row_y = e->runs[i].y;
    for (i = 0; i < e->n_runs; i++) {
        const struct gf_element_run *run = &e->runs[i];
        members += run->y <= p->row_y && p->row_y < (uint32_t)run->y + run->length;
        alone += run->y == p->row_y && run->length == 1;
    }
    p->whole_row = members == e->width && alone >= WHOLE_ROW;
}

/* A run takes one or two lines whose number of rows is a power of two. */
static void plan_runs(struct gf_cpu_pass *p)
{
    const struct gf_element *e = &p->m->element;
    uint32_t longest = 1;
    find_whole_row(p);
    for (uint32_t i = 0; i < e->n_runs; i++)
        longest = e->runs[i].length > longest ? e->runs[i].length : longest;
    for (uint32_t rows = 1; rows <= longest; rows *= 2)
        p->level[p->n_levels++] = (struct gf_cpu_level){.rows = rows, .n_from = 2};
    for (uint32_t i = 0; i < e->n_runs; i++) {
        const struct gf_element_run *run = &e->runs[i];
        if (p->whole_row && run->y == p->row_y && run->length == 1)
            continue;
        uint32_t level = 31u - (uint32_t)__builtin_clz(run->length), rows = 1u << level;
        struct gf_cpu_tap tap = {.level = (uint8_t)level, .x = run->x, .y = run->y};
        p->taps[p->n_taps++] = tap;
        tap.y = (uint8_t)(run->y + run->length - rows);
        if (run->length > rows)
            p->taps[p->n_taps++] = tap;
    }
}

/* Puts taps in the order of their lines, which stay in the L1 cache while all taps on them are taken. An extremum does
 * not depend on the order. */
static enum gf_status order_taps(struct gf_cpu_pass *p, struct gf_error *err)
{
    uint32_t next[GF_CPU_MAX_LEVELS * 256] = {0}, sum = 0;
    struct gf_cpu_tap *taps = malloc(p->n_taps * sizeof(*taps));
    if (!taps)
        return gf_error_no_memory(err, p->call->step->op->name, p->n_taps * sizeof(*taps));
    for (uint32_t i = 0; i < p->n_taps; i++)
        next[p->taps[i].level * 256 + p->taps[i].y]++;
    for (uint32_t line = 0; line < GF_CPU_MAX_LEVELS * 256; line++) {
        uint32_t n = next[line];
        next[line] = sum;
        sum += n;
    }
    for (uint32_t i = 0; i < p->n_taps; i++)
        taps[next[p->taps[i].level * 256 + p->taps[i].y]++] = p->taps[i];
    free(p->taps);
    p->taps = taps;
    return GF_OK;
}

/* How long each line must be kept: for the lines of the next level, and for results, whose last row is the newest. */
static void plan_rings(struct gf_cpu_pass *p)
{
    for (uint32_t i = 0; i < p->n_levels; i++) {
        struct gf_cpu_level *level = &p->level[i];
        level->capacity = i + 1 < p->n_levels ? (p->level[i + 1].n_from - 1) * level->rows + 1 : 1;
        for (uint32_t k = 0; k < p->n_taps; k++)
            if (p->taps[k].level == i && level->capacity < p->pass->height - level->rows - p->taps[k].y + 1)
                level->capacity = p->pass->height - level->rows - p->taps[k].y + 1;
        if (i == 0 && p->whole_row && level->capacity < p->pass->height - p->row_y)
            level->capacity = p->pass->height - p->row_y;
        level->capacity += p->pairs ? 1 : 0;
    }
    for (uint32_t k = 0; k < p->n_taps; k++)
        p->taps[k].slot = (uint8_t)(p->taps[k].y % p->level[p->taps[k].level].capacity);
}

static enum gf_status plan_pass(struct gf_cpu_pass *p, struct gf_error *err)
{
    const struct gf_element *e = &p->m->element;
    size_t most = e->full ? 5 : 2 * (size_t)e->n_runs;
    p->taps = malloc(most * sizeof(*p->taps));
    if (!p->taps)
        return gf_error_no_memory(err, p->call->step->op->name, most * sizeof(*p->taps));
    if (e->full)
        plan_rectangle(p);
    else
        plan_runs(p);
    plan_rings(p);
    return p->n_taps > MANY_TAPS ? order_taps(p, err) : GF_OK;
}

static void pass_deinit(struct gf_cpu_pass *p)
{
    free(p->taps);
}

/* Chooses the pieces of rows: longer if a halo would outweigh them, and as many side by side as their lines fit in the
 * cache. */
static void plan_width(struct gf_cpu_pass *p)
{
    const uint64_t width = p->dst.view.width, halo = (uint64_t)(p->pass->width - 1) * p->pixel;
    uint64_t lines = 0, line = PIECE_BYTES;
    line = line < 2 * halo ? 2 * halo : line;
    p->piece = line / p->pixel < width ? line / p->pixel : width;
    p->line = (size_t)gf_round_up(p->piece * p->pixel + halo, LINE_ALIGN);
    p->line += p->line % 1024 == 0 ? LINE_ALIGN : 0; /* otherwise lines would map to the same L1 cache sets */
    for (uint32_t i = 0; i < p->n_levels; i++)
        lines += p->level[i].capacity;
    uint64_t room = TILE_BYTES / (lines * p->line), pieces = gf_divide_up(width, p->piece);
    p->pieces = (uint32_t)(room < 1 ? 1 : room < pieces ? room : pieces);
    p->tiles.width = width;
    p->tiles.tile_width = p->piece * p->pieces;
}

/* Enough tiles for the threads, each high compared with the halo that it computes too. */
static void plan_height(struct gf_cpu_pass *p, uint32_t threads)
{
    const uint64_t height = p->dst.view.height, evenly = gf_divide_up(height, threads);
    uint64_t wanted = threads == 1 ? 1 : gf_divide_up((uint64_t)threads * TILES_PER_THREAD, gf_tiles_across(&p->tiles));
    uint64_t lowest = (p->before ? JOINED_TILE : 2) * (uint64_t)p->pass->height;
    lowest = lowest > evenly ? evenly : lowest;
    lowest = lowest < MIN_TILE_HEIGHT ? MIN_TILE_HEIGHT : lowest;
    p->tiles.height = height;
    p->tiles.tile_height = gf_max_u64(lowest, gf_divide_up(height, wanted));
}

static enum gf_status pass_init(struct gf_cpu_pass *p, const struct gf_cpu_call *call, const struct gf_morphology *m,
                                uint32_t pass, const struct gf_buf *at, struct gf_error *err)
{
    const struct gf_morphology_route route = gf_morphology_route(m, pass);
    const struct gf_view *view = &call->in[0].view;
    const bool floats = gf_dtype_kind(view->dtype) == GF_KIND_FLOAT;
    *p = (struct gf_cpu_pass){.call = call,
                              .m = m,
                              .pass = &m->passes[pass],
                              .src = at[route.from],
                              .dst = at[route.to],
                              .other = &at[route.other],
                              .end = route.last ? m->end : GF_END_RESULT,
                              .from_floats = floats && at[route.from].data,
                              .stream = at[route.to].data && gf_cpu_streams(view, &at[route.to].view),
                              .dtype = view->dtype,
                              .channels = view->channels,
                              .size = gf_dtype_size(view->dtype),
                              .pixel = gf_dtype_size(view->dtype) * view->channels};
    p->to_floats = floats && (p->dst.data || m->end == GF_END_FROM_DILATED);
    memcpy(p->outside, m->outside[p->pass->dilate], p->pixel);
    if (floats && !p->from_floats)
        call->simd->morphology->keys(p->dtype, p->outside, p->outside, p->channels);
    return plan_pass(p, err);
}

static enum gf_status run_tiles(struct gf_cpu_pass *p, struct gf_error *err)
{
    p->tiles.room = gf_cpu_morphology_workspace(p);
    return gf_cpu_tiles_run(p->call, &p->tiles, gf_cpu_morphology_tile, p, err);
}

static enum gf_status run_pass(const struct gf_cpu_call *call, const struct gf_morphology *m, uint32_t pass,
                               const struct gf_buf *at, struct gf_error *err)
{
    gf_cleanup(pass_deinit) struct gf_cpu_pass p = {.taps = NULL};
    enum gf_status status = pass_init(&p, call, m, pass, at, err);
    if (status != GF_OK)
        return status;
    plan_width(&p);
    plan_height(&p, gf_cpu_pool_threads(call->pool));
    return run_tiles(&p, err);
}

/* Plans the tiles of a second pass, and the share of the first pass in them. */
static void plan_joined(struct gf_cpu_pass *p, struct gf_cpu_pass *before)
{
    const bool mirrors = p->m->border == GF_BORDER_REFLECT || p->m->border == GF_BORDER_REFLECT101;
    const uint64_t halo = 2 * (p->pass->width - 1u), most = p->dst.view.width;
    p->before = before;
    plan_width(p);
    plan_height(p, gf_cpu_pool_threads(p->call->pool));
    plan_width(before);
    uint64_t wide = p->tiles.tile_width + halo < most ? p->tiles.tile_width + halo : most;
    before->pieces = (uint32_t)gf_divide_up(wide, before->piece);
    p->kept = mirrors ? p->pass->height + 1u : 2;
    p->kept_pitch = (size_t)gf_round_up(wide * p->pixel, LINE_ALIGN);
}

/* Runs two passes joined, unless their lines would take more memory than the picture between them. */
static enum gf_status run_joined(const struct gf_cpu_call *call, const struct gf_morphology *m, const struct gf_buf *at,
                                 bool *ret_done, struct gf_error *err)
{
    gf_cleanup(pass_deinit) struct gf_cpu_pass p = {.taps = NULL};
    gf_cleanup(pass_deinit) struct gf_cpu_pass before = {.taps = NULL};
    enum gf_status status = pass_init(&before, call, m, 0, at, err);
    if (status == GF_OK)
        status = pass_init(&p, call, m, 1, at, err);
    if (status != GF_OK)
        return status;
    plan_joined(&p, &before);
    uint64_t most = gf_view_bytes(&p.dst.view) + SPARE_BYTES;
    *ret_done = gf_cpu_morphology_workspace(&p) <= most / gf_cpu_pool_threads(call->pool) &&
                (p.tiles.tile_height >= p.tiles.height || p.tiles.tile_height >= 2 * (uint64_t)p.pass->height);
    return *ret_done ? run_tiles(&p, err) : GF_OK;
}

/* Allocates the pictures between passes; they have the shape of the result, which is the shape of the source. */
static enum gf_status take_temps(const struct gf_cpu_call *call, uint32_t n, struct gf_buf *temps, struct gf_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        temps[i].data = gf_cpu_pages_alloc(call->pages, gf_view_bytes(&temps[i].view), false);
        if (!temps[i].data)
            return gf_error_no_memory(err, call->step->op->name, gf_view_bytes(&temps[i].view));
    }
    return GF_OK;
}

static enum gf_status run_apart(const struct gf_cpu_call *call, const struct gf_morphology *m, struct gf_buf *at,
                                struct gf_error *err)
{
    uint32_t n_temps = gf_morphology_temps(m);
    enum gf_status status = take_temps(call, n_temps, &at[GF_AT_TEMP], err);
    for (uint32_t i = 0; i < m->n_passes && status == GF_OK; i++)
        status = run_pass(call, m, i, at, err);
    for (uint32_t i = 0; i < n_temps; i++)
        if (at[GF_AT_TEMP + i].data)
            gf_cpu_pages_free(call->pages, at[GF_AT_TEMP + i].data, gf_view_bytes(&at[GF_AT_TEMP + i].view));
    return status;
}

enum gf_status gf_cpu_morphology(const struct gf_cpu_call *call, struct gf_error *err)
{
    gf_cleanup(gf_morphology_deinit) struct gf_morphology m = GF_MORPHOLOGY_NULL;
    const struct gf_buf between = {.view = call->step->out[0]};
    struct gf_buf at[4] = {call->in[0], call->out[0], between, between};
    enum gf_status status = gf_morphology_init(&m, call->step, &call->in[0].view, &call->in[1], err);
    bool done = false;
    if (status == GF_OK && m.n_passes == 2 && (m.border != GF_BORDER_WRAP || m.end == GF_END_FROM_DILATED))
        status = run_joined(call, &m, at, &done, err);
    return status == GF_OK && !done ? run_apart(call, &m, at, err) : status;
}
