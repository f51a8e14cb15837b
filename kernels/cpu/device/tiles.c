/* SPDX-License-Identifier: MIT */
#include "tiles.h"

struct tiling {
    const struct gf_tiles *tiles;
    uint64_t across;
    gf_cpu_tile_fn *fn;
    void *context;
    unsigned char *rooms;
    uint64_t room; /* bytes from one thread's scratch to the next thread's */
    struct gf_cpu_stop stop;
};

static void run_tile(void *context, uint32_t task, uint32_t slot)
{
    struct tiling *t = context;
    const struct gf_tiles *tiles = t->tiles;
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

enum gf_status gf_cpu_tiles_run(const struct gf_cpu_call *call, const struct gf_tiles *tiles, gf_cpu_tile_fn *fn,
                                void *context, struct gf_error *err)
{
    const uint64_t bytes = gf_tiles_scratch(tiles, gf_cpu_pool_threads(call->pool));
    void *rooms = NULL;
    if (bytes == UINT64_MAX)
        return gf_error_set(err, GF_E_NO_MEMORY, "%s: scratch memory too large", call->step->op->name);
    enum gf_status status = bytes > 0 ? gf_cpu_scratch_get(call, bytes, &rooms, err) : GF_OK;
    if (status != GF_OK)
        return status;
    struct tiling t = {.tiles = tiles,
                       .across = gf_tiles_across(tiles),
                       .fn = fn,
                       .context = context,
                       .rooms = rooms,
                       .room = gf_round_up(tiles->room, 64),
                       .stop = {.job = call->job}};
    gf_cpu_pool_run(call->pool, run_tile, &t, (uint32_t)(t.across * gf_tiles_down(tiles)));
    return gf_cpu_stop_error(call, &t.stop, err);
}

bool gf_cpu_rows_are_one(const struct gf_cpu_call *call)
{
    const struct gf_op *op = call->step->op;
    bool one = gf_cpu_is_tight(&call->out[0]);
    for (uint32_t i = 0; i < op->n_inputs; i++)
        one = one && (gf_input_is_copied(&op->inputs[i]) || gf_cpu_is_tight(&call->in[i]));
    return one;
}
