/* SPDX-License-Identifier: MIT */
/*
 * crop, pad, flip, rotate and transpose on the CPU. A row that stays a row consists of runs: pixels of a source row in
 * order, in reverse order, or one pixel repeated. A row with its margins is a few runs. Columns become rows in blocks:
 * each block is transposed into a small buffer and copied to the result in whole rows. Sides that are powers of two,
 * whose rows map to the same cache sets, are therefore as fast as others. Called through the ops' rows.
 */
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/geometry/simd_geometry.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/geometry.h"
#include "protocol/ops/enums.h"

/* Bytes of the result per task. */
#define TASK_BYTES (256u * 1024u)
/* Bytes of a row that are made at a time. */
#define LINE_BYTES (8u * 1024u)
/* Bytes of the longest period of a row that is copied from the result itself: runs of a few pixels take long. */
#define PERIOD_BYTES 512u
/* Bytes of border pixels, from which margins are copied. */
#define OUTSIDE_BYTES (4u * 1024u)
/* Rows of a block map to the same cache sets if their pitch is a multiple of this. */
#define SHARED_PITCH 512u
/* Bytes of a transposed block, with the slack of its rows. */
#define BLOCK_BYTES (19u * 1024u)

struct rearranging {
    const struct gf_cpu_call *call;
    struct gf_geometry g;
    const unsigned char *src;
    unsigned char *dst;
    struct gf_view from, to;
    size_t pixel;                         /* bytes */
    bool stream;                          /* source and result are too large for the caches */
    uint64_t block_rows;                  /* rows of a block, in the source */
    bool direct;                          /* blocks are transposed directly into the result */
    unsigned char outside[OUTSIDE_BYTES]; /* for a constant border: as many whole pixels as fit */
};

/* Consecutive pixels of a result row. They begin at pixel `at` of the source row and advance by `step` (1, -1 or 0);
 * `at` is -1 for a constant border. */
struct run {
    int64_t at, n;
    int step;
};

/* A row with its border repeats after this many pixels; INT64_MAX: it does not, and has long runs instead. */
static int64_t period_of(uint32_t border, int64_t n)
{
    if (border == GF_BORDER_WRAP)
        return n;
    if (border == GF_BORDER_REFLECT)
        return 2 * n;
    return border == GF_BORDER_REFLECT101 && n > 1 ? 2 * n - 2 : INT64_MAX;
}

/* The run that begins at column i of a source row of n columns. i may lie outside the row, docs/numerics.md, "Borders".
 */
static struct run run_from(uint32_t border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return (struct run){.at = i, .n = n - i, .step = 1};
    int64_t outside = i < 0 ? -i : INT64_MAX;
    if (border == GF_BORDER_CONSTANT)
        return (struct run){.at = -1, .n = outside};
    if (border == GF_BORDER_REPLICATE)
        return (struct run){.at = i < 0 ? 0 : n - 1, .n = outside};
    if (border == GF_BORDER_REFLECT101 && n == 1)
        return (struct run){.at = 0, .n = INT64_MAX};
    int64_t period = period_of(border, n);
    int64_t m = i % period < 0 ? i % period + period : i % period;
    if (m < n)
        return (struct run){.at = m, .n = n - m, .step = 1};
    return (struct run){.at = border == GF_BORDER_REFLECT ? 2 * n - 1 - m : 2 * n - 2 - m, .n = period - m, .step = -1};
}

/* Makes n pixels of a result row from column x on, few enough to stay in the L1 cache. y is the row of the source, or
 * -1 for a constant border. */
static void make_pixels(const struct rearranging *r, int64_t y, uint64_t x, size_t n, unsigned char *to)
{
    const struct gf_simd_geometry *simd = r->call->simd->geometry;
    const unsigned char *row = r->src + (y < 0 ? 0 : (uint64_t)y) * r->from.pitch;
    const int64_t width = (int64_t)r->from.width;
    const size_t pixel = r->pixel, period = (size_t)period_of(r->g.border, width);
    const bool is_short = y >= 0 && period < PERIOD_BYTES / pixel, stream = r->stream && !is_short;
    for (size_t done = 0; done < n;) {
        if (is_short && done >= period) {
            const size_t same = done % period, more = done - same < n - done ? done - same : n - done;
            memcpy(to + done * pixel, to + same * pixel, more * pixel);
            done += more;
            continue;
        }
        struct run run = y < 0 ? (struct run){.at = -1, .n = INT64_MAX}
                               : run_from(r->g.border, (int64_t)(x + done) + r->g.left, width);
        size_t count = (uint64_t)run.n < n - done ? (size_t)run.n : n - done;
        unsigned char *at = to + done * pixel;
        if (r->g.from_right) /* only without margins */
            simd->reverse(pixel, r->from.dtype, row + ((uint64_t)(width - run.at) - count) * pixel, at, count, stream);
        else if (run.step < 0)
            simd->reverse(pixel, r->from.dtype, row + ((uint64_t)run.at + 1 - count) * pixel, at, count, stream);
        else if (run.step > 0)
            simd->copy(r->from.dtype, row + (uint64_t)run.at * pixel, at, count * pixel, stream);
        else if (run.at < 0) {
            count = count < OUTSIDE_BYTES / pixel ? count : OUTSIDE_BYTES / pixel;
            memcpy(at, r->outside, count * pixel);
        } else {
            simd->repeat(pixel, row + (uint64_t)run.at * pixel, at, count);
            simd->make_canonical(r->from.dtype, at, count * pixel);
        }
        done += count;
    }
}

static void make_rows(void *context, const struct gf_cpu_tile *tile)
{
    const struct rearranging *r = context;
    const uint64_t end = tile->x + tile->width, line = LINE_BYTES / r->pixel;
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++) {
        struct run run = run_from(r->g.border, (int64_t)y + r->g.top, (int64_t)r->from.height);
        int64_t row = r->g.from_bottom ? (int64_t)r->from.height - 1 - run.at : run.at;
        for (uint64_t x = tile->x; x < end; x += line)
            make_pixels(r, row, x, (size_t)gf_min_u64(end - x, line), r->dst + y * r->to.pitch + x * r->pixel);
    }
}

static void fill_outside(struct rearranging *r)
{
    const size_t n = OUTSIDE_BYTES / r->pixel;
    r->call->simd->geometry->repeat(r->pixel, r->g.outside, r->outside, n);
    r->call->simd->geometry->make_canonical(r->from.dtype, r->outside, n * r->pixel);
}

/* Makes a block: `columns` source columns from c on and `rows` rows from y on, where y counts in the result's order. */
static void make_block(const struct rearranging *r, uint64_t y, size_t rows, uint64_t c, size_t columns)
{
    _Alignas(64) unsigned char block[BLOCK_BYTES];
    const struct gf_simd_geometry *simd = r->call->simd->geometry;
    const struct gf_view *from = &r->from;
    uint64_t first = r->g.from_bottom ? from->height - 1 - y : y, row = r->g.from_right ? from->width - 1 - c : c;
    struct gf_pixel_block source = {.from = r->src + first * from->pitch + c * r->pixel,
                                    .pitch = r->g.from_bottom ? -(ptrdiff_t)from->pitch : (ptrdiff_t)from->pitch,
                                    .rows = rows,
                                    .columns = columns};
    const ptrdiff_t step = r->g.from_right ? -(ptrdiff_t)r->to.pitch : (ptrdiff_t)r->to.pitch;
    const ptrdiff_t pitch = r->direct ? step : (ptrdiff_t)(r->block_rows * r->pixel + GF_BLOCK_SLACK);
    unsigned char *dst = r->dst + row * r->to.pitch + y * r->pixel, *to = r->direct ? dst : block;
    simd->transpose(r->pixel, &source, to, pitch);
    for (size_t i = 0; i < columns; i++, to += pitch, dst += step) {
        simd->make_canonical(from->dtype, to, rows * r->pixel);
        if (!r->direct)
            simd->copy(GF_U8, to, dst, rows * r->pixel, r->stream);
    }
}

/* A tile is one of the transposed source: x counts the source's rows. */
static void make_columns(void *context, const struct gf_cpu_tile *tile)
{
    const struct rearranging *r = context;
    const uint64_t end = tile->x + tile->width;
    for (uint64_t y = tile->x; y < end; y += r->block_rows)
        make_block(r, y, (size_t)gf_min_u64(end - y, r->block_rows), tile->y, (size_t)tile->height);
}

/* Chooses blocks. A source row contributes two to four cache lines, which the hardware prefetcher fetches ahead; a
 * block has as many rows as fit. With half as many cache lines it is up to twice as slow. */
static struct gf_tiles split_columns(struct rearranging *r)
{
    size_t pixel = r->pixel;
    r->direct = !r->stream && (pixel == 4 || pixel == 8) && r->to.pitch % SHARED_PITCH != 0;
    uint64_t columns = pixel == 1 ? 128 : pixel <= 4 ? 64 : pixel <= 8 ? 32 : pixel <= 16 ? 16 : 8;
    r->block_rows = (BLOCK_BYTES / columns - GF_BLOCK_SLACK) / pixel / 16 * 16;
    uint64_t rows = TASK_BYTES / (gf_min_u64(r->from.width, columns) * pixel);
    rows = (rows + r->block_rows - 1) / r->block_rows * r->block_rows;
    return (struct gf_tiles){r->from.height, r->from.width, rows, columns, 0};
}

/* A single row that becomes a column, or the reverse, has the same bytes if its pixels are contiguous: treats it as a
 * row. */
static void join_line(struct rearranging *r)
{
    const struct gf_view *from = &r->from;
    bool is_row = from->height == 1;
    if (!r->g.transposed || (!is_row && from->width != 1) || (!is_row && from->pitch != r->pixel) ||
        (is_row && r->to.pitch != r->pixel))
        return;
    r->g = (struct gf_geometry){.from_right = is_row ? r->g.from_right : r->g.from_bottom};
    r->from = gf_view_tight(from->dtype, from->width * from->height, 1, from->channels);
    r->to = r->from;
}

enum gf_status gf_cpu_rearrange(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *src = &call->in[0].view;
    struct rearranging r = {.call = call,
                            .g = gf_geometry_of(call->step, src),
                            .src = call->in[0].data,
                            .dst = call->out[0].data,
                            .from = *src,
                            .to = call->out[0].view,
                            .pixel = gf_dtype_size(src->dtype) * src->channels,
                            .stream = gf_cpu_streams(src, &call->out[0].view)};
    if (r.g.border == GF_BORDER_CONSTANT)
        fill_outside(&r);
    join_line(&r);
    const struct gf_tiles tiles =
        r.g.transposed ? split_columns(&r) : gf_cut_rows(r.to.width, r.to.height, TASK_BYTES / r.pixel);
    return gf_cpu_tiles_run(call, &tiles, r.g.transposed ? make_columns : make_rows, &r, err);
}
