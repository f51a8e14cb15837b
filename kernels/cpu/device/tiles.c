/* SPDX-License-Identifier: MIT */
#include "tiles.h"

struct tiling {
    const struct gf_cpu_tiles *tiles;
    uint64_t across;
    gf_cpu_tile_fn *fn;
    void *context;
    unsigned char *rooms;
    uint64_t room; /* bytes from one thread's to the next */
    struct gf_cpu_stop stop;
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

uint64_t gf_cpu_tiles_across(const struct gf_cpu_tiles *tiles)
{
    return divide_up(tiles->width, tiles->tile_width);
}

uint64_t gf_cpu_tiles_down(const struct gf_cpu_tiles *tiles)
{
    return divide_up(tiles->height, tiles->tile_height);
}

static void run_tile(void *context, uint32_t task, uint32_t slot)
{
    struct tiling *t = context;
    const struct gf_cpu_tiles *tiles = t->tiles;
    if (gf_cpu_stopped(&t->stop))
        return;
    struct gf_cpu_tile tile = {.x = task % t->across * tiles->tile_width,
                               .y = task / t->across * tiles->tile_height,
                               .room = t->rooms ? t->rooms + slot * t->room : NULL,
                               .slot = slot,
                               .stop = &t->stop};
    tile.width = gf_min_u64(tiles->tile_width, tiles->width - tile.x);
    tile.height = gf_min_u64(tiles->tile_height, tiles->height - tile.y);
    t->fn(t->context, &tile);
}

enum gf_status gf_cpu_tiles_run(const struct gf_cpu_call *call, const struct gf_cpu_tiles *tiles, gf_cpu_tile_fn *fn,
                                void *context, struct gf_error *err)
{
    struct tiling t = {
        .tiles = tiles, .across = gf_cpu_tiles_across(tiles), .fn = fn, .context = context, .stop = {.job = call->job}};
    uint64_t n = t.across * gf_cpu_tiles_down(tiles), all;
    void *rooms = NULL;
    if (!gf_align_u64(tiles->room, 64, &t.room) ||
        !gf_mul_u64(t.room, n == 1 ? 1 : gf_cpu_pool_threads(call->pool), &all))
        return gf_error_set(err, GF_E_NO_MEMORY, "%s: scratch memory too large", call->step->op->name);
    enum gf_status status = all > 0 ? gf_cpu_scratch_get(call->scratch, all, &rooms, err) : GF_OK;
    if (status != GF_OK)
        return status;
    t.rooms = rooms;
    gf_cpu_pool_run(call->pool, run_tile, &t, (uint32_t)n);
    return gf_cpu_stop_error(call, &t.stop, err);
}
