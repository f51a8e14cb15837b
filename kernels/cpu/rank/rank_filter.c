/* SPDX-License-Identifier: MIT */
/*
 * median, rank and percentile on the CPU: cuts the result into tiles and lets the pool find them. A tile of keys with
 * its halo is put together first, borders and all, so that the loops meet none. Called through the ops' rows.
 */
#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/rank/median3.h"
#include "kernels/cpu/rank/simd_rank.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/rank/rank.h"

/* A row of a tile of small windows, in bytes of keys, and how many of them, so that a tile stays in the second-level
 * cache. */
#define ROW_BYTES 2048u
#define SMALL_ROWS 32u
/* Sides of a tile of windows that slide: long against the window, whose first one costs all of its samples. Those by
 * order are sorted, and their places looked up at random. */
#define COLUMNS_ROWS 256u
#define ORDERED_SIDE 96u
/* Samples of a window up to which counting is quicker than sliding, by the bytes of a key. */
#define COUNTED_1 121u
#define COUNTED_2 121u
#define COUNTED_4 49u

struct ranking {
    const struct gf_cpu_call *call;
    struct gf_rank rank;
    struct gf_buf src, dst;
    uint32_t channels, dtype;
    size_t key; /* bytes */
    gf_rank_tile_fn *run;
    struct gf_rank_tile tile; /* the largest; without memory */
    uint32_t tiles_x;
    unsigned char *scratch;
    size_t keys_bytes, out_bytes, slot_bytes;
    struct gf_cpu_stop stop;
};

static const unsigned char *source_at(const struct ranking *r, int64_t y, int64_t x)
{
    return (const unsigned char *)r->src.data + (size_t)y * (size_t)r->src.view.pitch +
           (size_t)x * r->channels * r->key;
}

/* Pixels x0 .. x1 - 1, all outside the picture, of row y of it, -1 for a constant. */
static void load_outside(const struct ranking *r, int64_t y, int64_t x0, int64_t x1, unsigned char *keys)
{
    for (int64_t x = x0; x < x1; x++, keys += r->channels * r->key) {
        int64_t sx = y < 0 ? -1 : gf_border_index(r->rank.border, x, (int64_t)r->src.view.width);
        if (sx >= 0)
            r->call->simd->rank->to_keys(r->dtype, source_at(r, y, sx), keys, r->channels);
        for (uint32_t c = 0; c < r->channels && sx < 0; c++) /* little-endian: the low bytes come first */
            memcpy(keys + c * r->key, &r->rank.outside[c], r->key);
    }
}

static int64_t within(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* A row of keys from (y, x0) on, of so many pixels. */
static void load_row(const struct ranking *r, int64_t y, int64_t x0, int64_t pixels, unsigned char *keys)
{
    int64_t sy = gf_border_index(r->rank.border, y, (int64_t)r->src.view.height), x1 = x0 + pixels;
    int64_t in0 = within(0, x0, x1), in1 = within((int64_t)r->src.view.width, in0, x1);
    size_t pixel = r->channels * r->key;
    if (sy < 0)
        in0 = in1 = x1;
    load_outside(r, sy, x0, in0, keys);
    if (in0 < in1)
        r->call->simd->rank->to_keys(r->dtype, source_at(r, sy, in0), keys + (size_t)(in0 - x0) * pixel,
                                     (size_t)(in1 - in0) * r->channels);
    load_outside(r, sy, in1, x1, keys + (size_t)(in1 - x0) * pixel);
}

static bool is_stopped(void *context)
{
    struct ranking *r = context;
    return gf_cpu_stopped(&r->stop);
}

static void run_tile(void *context, uint32_t task, uint32_t slot)
{
    struct ranking *r = context;
    struct gf_rank_tile t = r->tile;
    uint64_t x = (uint64_t)(task % r->tiles_x) * t.columns, y = (uint64_t)(task / r->tiles_x) * t.rows;
    unsigned char *keys = r->scratch + slot * r->slot_bytes;
    if (is_stopped(r))
        return;
    if (r->dst.view.width - x < t.columns)
        t.columns = (uint32_t)(r->dst.view.width - x);
    if (r->dst.view.height - y < t.rows)
        t.rows = (uint32_t)(r->dst.view.height - y);
    t.keys = keys;
    t.out = keys + r->keys_bytes;
    t.work = t.out + r->out_bytes;
    t.is_stopped = is_stopped;
    t.context = r;
    for (uint32_t i = 0; i < t.rows + t.height - 1; i++)
        load_row(r, (int64_t)(y + i) - r->rank.anchor_y, (int64_t)x - r->rank.anchor_x, t.columns + t.width - 1,
                 keys + i * t.pitch);
    r->run(&t);
    if (is_stopped(r)) /* the rest of the tile may be what scratch memory held before */
        return;
    for (uint32_t i = 0; i < t.rows; i++)
        r->call->simd->rank->from_keys(r->dtype, t.out + i * t.out_pitch,
                                       (unsigned char *)r->dst.data + (y + i) * r->dst.view.pitch +
                                           x * r->channels * r->key,
                                       (size_t)t.columns * r->channels);
}

static uint32_t least(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* Tiles alike, none above these sides. */
static void set_tiles(struct ranking *r, uint32_t columns, uint32_t rows)
{
    uint64_t width = r->dst.view.width, height = r->dst.view.height;
    uint64_t across = (width + columns - 1) / columns, down = (height + rows - 1) / rows;
    r->tile.columns = (uint32_t)((width + across - 1) / across);
    r->tile.rows = (uint32_t)((height + down - 1) / down);
}

static bool is_median(const struct gf_rank *rank, uint32_t side)
{
    return rank->width == side && rank->height == side && rank->index == side * side / 2;
}

/* Which loop finds the samples, in which tiles, and what it works in. */
static size_t choose(struct ranking *r)
{
    const struct gf_simd_rank *simd = r->call->simd->rank;
    const uint32_t place = r->key == 1 ? 0 : r->key == 2 ? 1 : 2, width = r->rank.width, height = r->rank.height;
    const uint32_t counted = r->key == 1 ? COUNTED_1 : r->key == 2 ? COUNTED_2 : COUNTED_4;
    r->tile.width = width;
    r->tile.height = height;
    r->tile.index = r->rank.index;
    r->tile.channels = r->channels;
    if (width * height <= counted) {
        r->run = is_median(&r->rank, 5) ? simd->median5[place] : simd->counting[place];
        set_tiles(r, least(r->dst.view.width, ROW_BYTES / (r->channels * (uint32_t)r->key)), SMALL_ROWS);
        return gf_rank_network_work(&r->tile, r->key);
    }
    r->run = simd->sliding[place];
    if (r->key == 1)
        set_tiles(r, GF_RANK_COLUMNS, COLUMNS_ROWS > 3 * height ? COLUMNS_ROWS : 3 * height);
    else
        set_tiles(r, ORDERED_SIDE > 2 * width ? ORDERED_SIDE : 2 * width,
                  ORDERED_SIDE > 2 * height ? ORDERED_SIDE : 2 * height);
    return gf_rank_sliding_work(&r->tile, r->key);
}

static size_t align(size_t n)
{
    return (n + 63) / 64 * 64;
}

enum gf_status gf_cpu_rank_filter(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    struct ranking r = {.call = call,
                        .rank = gf_rank_of(call->step, view),
                        .src = call->in[0],
                        .dst = call->out[0],
                        .channels = view->channels,
                        .dtype = view->dtype,
                        .key = gf_dtype_size(view->dtype),
                        .stop = {.job = call->job}};
    if (is_median(&r.rank, 3))
        return gf_cpu_median3(call, &r.rank, err);
    size_t work = choose(&r), pixel = r.channels * r.key;
    r.tile.pitch = align((r.tile.columns + r.tile.width - 1) * pixel + GF_RANK_SLACK);
    r.tile.out_pitch = align(r.tile.columns * pixel + GF_RANK_SLACK);
    r.keys_bytes = r.tile.pitch * (r.tile.rows + r.tile.height - 1);
    r.out_bytes = r.tile.out_pitch * r.tile.rows;
    r.slot_bytes = align(r.keys_bytes + r.out_bytes + work);
    r.tiles_x = (uint32_t)((view->width + r.tile.columns - 1) / r.tile.columns);
    uint32_t n_tasks = r.tiles_x * (uint32_t)((view->height + r.tile.rows - 1) / r.tile.rows);
    uint32_t slots = n_tasks == 1 ? 1 : gf_cpu_pool_threads(call->pool);
    void *scratch;
    enum gf_status status = gf_cpu_scratch_get(call->scratch, (uint64_t)slots * r.slot_bytes, &scratch, err);
    if (status != GF_OK)
        return status;
    r.scratch = scratch;
    gf_cpu_pool_run(call->pool, run_tile, &r, n_tasks);
    return gf_cpu_stop_error(call, &r.stop, err);
}
