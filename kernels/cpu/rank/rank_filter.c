/* SPDX-License-Identifier: MIT */
/*
 * median, rank and percentile on the CPU: cuts the result into tiles and lets the pool compute them. A tile of keys
 * with its halo, borders included, is assembled first, so that the loops need not handle borders. Called through the
 * ops' rows.
 */
#include "kernels/cpu/device/border.h"
#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/rank/median3.h"
#include "kernels/cpu/rank/simd_rank.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/rank/rank.h"

struct ranking {
    const struct gf_cpu_call *call;
    struct gf_rank rank;
    struct gf_buf src, dst;
    uint32_t channels, dtype;
    size_t key; /* bytes */
    gf_rank_tile_fn *run;
    struct gf_rank_plan plan;
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
    const struct gf_rank_plan *plan = &r->plan;
    int64_t x = (int64_t)tile->x - r->rank.anchor_x, y = (int64_t)tile->y - r->rank.anchor_y;
    unsigned char *keys = tile->room;
    const struct gf_rank_tile t = {.keys = keys,
                                   .pitch = plan->pitch,
                                   .out = keys + plan->keys,
                                   .out_pitch = plan->out_pitch,
                                   .width = r->rank.width,
                                   .height = r->rank.height,
                                   .index = r->rank.index,
                                   .channels = r->channels,
                                   .columns = (uint32_t)tile->width,
                                   .rows = (uint32_t)tile->height,
                                   .work = keys + plan->keys + plan->results,
                                   .is_stopped = is_stopped,
                                   .context = tile->stop};
    for (uint32_t i = 0; i < t.rows + t.height - 1; i++)
        gf_cpu_load_row(&r->border, y + i, x, x + t.columns + t.width - 1, keys + i * t.pitch);
    r->run(&t);
    if (gf_cpu_stopped(tile->stop)) /* the remaining results of the tile may be unset */
        return;
    for (uint32_t i = 0; i < t.rows; i++)
        r->call->simd->rank->from_keys(r->dtype, t.out + i * t.out_pitch,
                                       (unsigned char *)r->dst.data + (tile->y + i) * r->dst.view.pitch +
                                           tile->x * r->channels * r->key,
                                       (size_t)t.columns * r->channels);
}

static gf_rank_tile_fn *loop_of(const struct gf_simd_rank *simd, enum gf_rank_method way, size_t key)
{
    const uint32_t place = key == 1 ? 0 : key == 2 ? 1 : 2;
    return way == GF_RANK_BY_NETWORK    ? simd->median5[place]
           : way == GF_RANK_BY_COUNTING ? simd->counting[place]
                                        : simd->sliding[place];
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
    r.plan = gf_rank_plan(call->step);
    if (r.plan.way == GF_RANK_BY_ROWS)
        return gf_cpu_median3(call, &r.rank, &r.plan, err);
    r.run = loop_of(call->simd->rank, r.plan.way, r.key);
    for (uint32_t c = 0; c < r.channels; c++) /* little-endian: the low bytes come first */
        memcpy(r.outside + c * r.key, &r.rank.outside[c], r.key);
    r.border = (struct gf_cpu_border){r.rank.border, &r.src, load_keys, &r, r.channels * r.key, r.outside};
    return gf_cpu_tiles_run(call, &r.plan.tiles, run_tile, &r, err);
}
