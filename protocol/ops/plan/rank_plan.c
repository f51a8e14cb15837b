/* SPDX-License-Identifier: MIT */
#include "rank_plan.h"

#include "protocol/ops/params/median.h"
#include "protocol/ops/params/percentile.h"
#include "protocol/ops/params/rank.h"

/* Bytes of a row of a strip of medians of 3 x 3, four lines of which stay in the L2 cache; and rows of a band. */
#define STRIP_BYTES 32768u
#define BAND_ROWS 64u
/* Bytes of keys in a row of a tile of small windows, and rows of such a tile, which stays in the L2 cache. */
#define ROW_BYTES 2048u
#define SMALL_ROWS 32u
/* Sides of a tile of sliding windows: long compared with the window, because the first window of a row costs all its
 * samples. Tiles in sorted order have shorter sides, because the places of their samples are read at random. */
#define COLUMNS_ROWS 256u
#define ORDERED_SIDE 96u
/* The most samples of a window for which counting is faster than sliding; the second is for 4-byte keys. */
#define COUNTED 121u
#define COUNTED_4 49u

/* Tiles of equal size, with sides of at most `columns` and `rows`. */
static struct gf_tiles tiles_alike(const struct gf_view *view, uint64_t columns, uint64_t rows)
{
    return (struct gf_tiles){view->width, view->height, gf_divide_up(view->width, gf_divide_up(view->width, columns)),
                             gf_divide_up(view->height, gf_divide_up(view->height, rows)), 0};
}

static struct gf_rank_plan plan_rows(const struct gf_view *view, size_t pixel)
{
    struct gf_rank_plan plan = {.way = GF_RANK_BY_ROWS};
    uint64_t strips = gf_divide_up(view->width, STRIP_BYTES / pixel);
    plan.tiles = (struct gf_tiles){view->width, view->height, gf_divide_up(view->width, strips), BAND_ROWS, 0};
    plan.pitch = (size_t)gf_round_up((plan.tiles.tile_width + 2) * pixel, 64);
    plan.tiles.room = (GF_RANK_RING + 1) * plan.pitch;
    return plan;
}

struct gf_rank_window gf_rank_window_of(const struct gf_step *step)
{
    const union gf_params *p = &step->params;
    const uint32_t op = step->op->index;
    const struct gf_u32v size = op == GF_INDEX_median ? gf_median_params_get(p).size
                                : op == GF_INDEX_rank ? gf_rank_params_get(p).size
                                                      : gf_percentile_params_get(p).size;
    const float index = gf_rank_params_get(p).index.v[0];
    struct gf_rank_window w = {.width = GF_PICK(size, 0), .height = GF_PICK(size, 1)};
    const uint32_t n = w.width * w.height;
    if (op == GF_INDEX_median)
        w.index = n / 2;
    else if (op == GF_INDEX_percentile)
        w.index = gf_rank_of_percent(gf_percentile_params_get(p).percent.v[0], n);
    else
        w.index = (uint32_t)((int32_t)index + (index < 0.0f ? (int32_t)n : 0));
    return w;
}

struct gf_rank_plan gf_rank_plan(const struct gf_step *step)
{
    const struct gf_rank_window window = gf_rank_window_of(step);
    const struct gf_view *view = &step->out[0];
    const uint32_t width = window.width, height = window.height;
    const size_t key = gf_dtype_size(view->dtype), pixel = view->channels * key;
    const bool median = width == height && window.index == width * height / 2;
    struct gf_rank_plan plan = {.way = GF_RANK_BY_SLIDING};
    if (median && width == 3)
        return plan_rows(view, pixel);
    if (width * height <= (key == 4 ? COUNTED_4 : COUNTED)) {
        plan.way = median && width == 5 ? GF_RANK_BY_NETWORK : GF_RANK_BY_COUNTING;
        plan.tiles = tiles_alike(view, gf_min_u64(view->width, ROW_BYTES / pixel), SMALL_ROWS);
    } else if (key == 1) {
        plan.tiles = tiles_alike(view, GF_RANK_COLUMNS, gf_max_u64(COLUMNS_ROWS, 3 * (uint64_t)height));
    } else {
        plan.tiles = tiles_alike(view, gf_max_u64(ORDERED_SIDE, 2 * (uint64_t)width),
                                 gf_max_u64(ORDERED_SIDE, 2 * (uint64_t)height));
    }
    const uint64_t across = plan.tiles.tile_width + width - 1, down = plan.tiles.tile_height + height - 1;
    plan.pitch = (size_t)gf_round_up(across * pixel + GF_RANK_SLACK, 64);
    plan.out_pitch = (size_t)gf_round_up(plan.tiles.tile_width * pixel + GF_RANK_SLACK, 64);
    plan.keys = plan.pitch * (size_t)down;
    plan.results = plan.out_pitch * (size_t)plan.tiles.tile_height;
    plan.tiles.room = plan.keys + plan.results +
                      (plan.way == GF_RANK_BY_SLIDING ? gf_rank_sliding_work(across, down, key)
                                                      : gf_rank_network_work(across * pixel, height));
    return plan;
}
