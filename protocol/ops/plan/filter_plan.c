/* SPDX-License-Identifier: MIT */
#include "filter_plan.h"

#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/box.h"

/*
 * Floats in the lines of a tile, so that they stay in the L2 cache; the shortest line worth having; and the longest, so
 * that wide images still have several tiles per row.
 */
#define TILE_FLOATS (96u * 1024u)
#define MIN_LINE 512u
#define MAX_LINE 8192u
/* Bytes of a tile's lines, at most, if its halo asks for longer lines. */
#define MAX_TILE_BYTES (64u << 20)
/* Tiles per thread, for an even load. */
#define TILES_PER_THREAD 4u
/* A tile with fewer rows would mostly load its halo. */
#define MIN_TILE_HEIGHT 16u

static void set_mask(struct gf_filter_plan *plan, const struct gf_step *step, const struct gf_view *mask)
{
    uint32_t sides[2] = {3, 3};
    for (uint32_t axis = 0; axis < 2; axis++)
        switch (step->op->work.kind) {
        case GF_WORK_MASK:
            sides[axis] = (uint32_t)(axis == 0 ? mask->width : mask->height);
            break;
        case GF_WORK_DISC:
            sides[axis] = 1 + 2 * gf_bilateral_radius(&step->params);
            break;
        case GF_WORK_BOX:
            sides[axis] = GF_PICK(gf_box_params_get(&step->params).size, axis);
            break;
        case GF_WORK_SEPARABLE:
            sides[axis] = (uint32_t)gf_separable_taps(step->op, &step->params, axis);
        }
    plan->width = sides[0];
    plan->height = sides[1];
}

static size_t line_floats(uint64_t samples)
{
    size_t n = (size_t)gf_round_up(samples, GF_LINE_ALIGN);
    /* The extra floats keep lines that are a power of two apart from mapping to the same L1 cache sets. */
    return n % 1024 == 0 ? n + GF_LINE_ALIGN : n;
}

/* Chooses lines that fit in the cache, or longer ones if a wide mask's halo would outweigh them. */
static void plan_width(struct gf_filter_plan *plan, bool box)
{
    const uint64_t halo = (uint64_t)(plan->width - 1) * plan->channels, lines = box ? 2 * plan->ring : plan->ring;
    uint64_t n = gf_max_u64(MIN_LINE, gf_min_u64(MAX_LINE, TILE_FLOATS / lines));
    if (n < 2 * halo && 2 * halo * lines * sizeof(float) <= MAX_TILE_BYTES)
        n = 2 * halo;
    const uint64_t across = gf_divide_up(plan->tiles.width, n / plan->channels);
    plan->tiles.tile_width = gf_divide_up(plan->tiles.width, across);
    const uint64_t samples = plan->tiles.tile_width * plan->channels;
    plan->line = line_floats(samples);
    plan->wide_line = line_floats(samples + GF_LINE_ALIGN + halo);
}

/* Enough tiles for all threads, each high compared with the halo that it loads. Every tile of a box that is higher than
 * the picture reads all rows. */
static void plan_height(struct gf_filter_plan *plan, uint32_t threads)
{
    const uint64_t height = plan->tiles.height;
    if (plan->kept > 0) {
        plan->tiles.tile_height = height;
        return;
    }
    const uint64_t across = gf_tiles_across(&plan->tiles);
    const uint64_t wanted = threads == 1 ? 1 : gf_divide_up((uint64_t)threads * TILES_PER_THREAD, across);
    uint64_t lowest = gf_min_u64((uint64_t)plan->height * 2, gf_divide_up(height, threads));
    lowest = gf_max_u64(lowest, MIN_TILE_HEIGHT);
    const uint64_t h = gf_max_u64(lowest, gf_divide_up(height, wanted));
    plan->tiles.tile_height = gf_divide_up(height, gf_divide_up(height, h));
}

struct gf_filter_plan gf_filter_plan(const struct gf_step *step, const struct gf_view *mask, uint32_t threads)
{
    const struct gf_view *out = &step->out[0];
    const uint32_t kind = step->op->work.kind;
    struct gf_filter_plan plan = {.channels = out->channels, .tiles = {.width = out->width, .height = out->height}};
    set_mask(&plan, step, mask);
    plan.ring = (size_t)plan.height + 1;
    plan.kept = kind == GF_WORK_BOX && plan.height > out->height ? (size_t)out->height + 1 : 0;
    plan_width(&plan, kind == GF_WORK_BOX);
    plan_height(&plan, threads);
    plan.ring_line = kind == GF_WORK_SEPARABLE ? step->op->work.weight * plan.line : plan.wide_line;
    plan.head = (size_t)gf_round_up(plan.ring * (sizeof(float *) + sizeof(int64_t)), 64);
    plan.plane =
        ((size_t)plan.tiles.tile_width + plan.width + GF_DISC_SPARE) / GF_LINE_ALIGN * GF_LINE_ALIGN + GF_LINE_ALIGN;
    return plan;
}

static uint64_t box_floats(const struct gf_filter_plan *plan)
{
    uint64_t floats = (1 + plan->kept) * (uint64_t)plan->line + gf_box_levels(plan->width) * (uint64_t)plan->wide_line;
    for (uint32_t level = 0; level < gf_box_levels(plan->height); level++)
        floats += gf_box_depth(plan->height, level) * (uint64_t)plan->line;
    return floats;
}

uint64_t gf_filter_scratch(const struct gf_filter_plan *plan, enum gf_filter_engine engine, uint32_t channels)
{
    const uint64_t line = plan->line, wide = plan->wide_line;
    switch (engine) {
    case GF_ENGINE_TAPS:
        return plan->head + (2 * line + wide + plan->ring * (uint64_t)plan->ring_line) * sizeof(float);
    case GF_ENGINE_BOX:
        return box_floats(plan) * sizeof(float);
    case GF_ENGINE_BOX_SUMS:
        if (plan->kept > 0)
            return line * (sizeof(float) + sizeof(int64_t) + plan->kept * sizeof(int32_t)) + wide * sizeof(float);
        return line * sizeof(float) + wide * (sizeof(float) + sizeof(int32_t));
    case GF_ENGINE_BOX_BYTES:
        return (uint64_t)gf_box_line(plan) * (4 * sizeof(uint16_t) + 2);
    case GF_ENGINE_DISC:
        return plan->head +
               (wide + GF_DISC_SPARE + (plan->height + UINT64_C(1)) * channels * plan->plane) * sizeof(float);
    }
    return UINT64_MAX;
}
