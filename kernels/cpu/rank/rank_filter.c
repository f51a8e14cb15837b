/* SPDX-License-Identifier: MIT */
/*
 * median, rank and percentile on the CPU: cuts the result into tiles and lets the pool find them. A tile of keys with
 * its halo is put together first, borders and all, so that the loops meet none. Called through the ops' rows.
 */
#include "kernels/cpu/device/border.h"
#include "kernels/cpu/device/tiles.h"
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
    size_t keys_bytes, out_bytes;
    struct gf_cpu_border border; /* source rows as keys */
    unsigned char outside[GF_MAX_CHANNELS * sizeof(int32_t)];
};

static void load_keys(const void *context, const void *from, void *to, size_t pixels)
{
    const struct ranking *r = context;
    r->call->simd->rank->to_keys(r->dtype, from, to, pixels * r->channels);
}

static bool is_stopped(void *stop)
{
    return gf_cpu_stopped(stop);
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    const struct ranking *r = context;
    struct gf_rank_tile t = r->tile;
    int64_t x = (int64_t)tile->x - r->rank.anchor_x, y = (int64_t)tile->y - r->rank.anchor_y;
    unsigned char *keys = tile->room;
    t.columns = (uint32_t)tile->width;
    t.rows = (uint32_t)tile->height;
    t.keys = keys;
    t.out = keys + r->keys_bytes;
    t.work = t.out + r->out_bytes;
    t.is_stopped = is_stopped;
    t.context = tile->stop;
    for (uint32_t i = 0; i < t.rows + t.height - 1; i++)
        gf_cpu_load_row(&r->border, y + i, x, x + t.columns + t.width - 1, keys + i * t.pitch);
    r->run(&t);
    if (gf_cpu_stopped(tile->stop)) /* the rest of the tile may be what scratch memory held before */
        return;
    for (uint32_t i = 0; i < t.rows; i++)
        r->call->simd->rank->from_keys(r->dtype, t.out + i * t.out_pitch,
                                       (unsigned char *)r->dst.data + (tile->y + i) * r->dst.view.pitch +
                                           tile->x * r->channels * r->key,
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
                        .key = gf_dtype_size(view->dtype)};
    if (is_median(&r.rank, 3))
        return gf_cpu_median3(call, &r.rank, err);
    size_t work = choose(&r), pixel = r.channels * r.key;
    r.tile.pitch = align((r.tile.columns + r.tile.width - 1) * pixel + GF_RANK_SLACK);
    r.tile.out_pitch = align(r.tile.columns * pixel + GF_RANK_SLACK);
    r.keys_bytes = r.tile.pitch * (r.tile.rows + r.tile.height - 1);
    r.out_bytes = r.tile.out_pitch * r.tile.rows;
    for (uint32_t c = 0; c < r.channels; c++) /* little-endian: the low bytes come first */
        memcpy(r.outside + c * r.key, &r.rank.outside[c], r.key);
    r.border = (struct gf_cpu_border){r.rank.border, &r.src, load_keys, &r, pixel, r.outside};
    const struct gf_cpu_tiles tiles = {view->width, view->height, r.tile.columns, r.tile.rows,
                                       r.keys_bytes + r.out_bytes + work};
    return gf_cpu_tiles_run(call, &tiles, run_tile, &r, err);
}
