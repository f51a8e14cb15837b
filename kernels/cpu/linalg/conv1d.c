/* SPDX-License-Identifier: MIT */
/*
 * 1-D kernels on the CPU, docs/numerics.md, "convolve1d, correlate1d". Called by convolve1d and correlate1d through
 * their rows. A line is one row, or a group of neighbouring columns that are processed side by side; an element of a
 * line is `step` samples. Threads take tiles of results. For each tile a thread fetches a run of elements, multiplies
 * it by the taps in ascending order, and goes on with the next run.
 */
#include "kernels/shared/conv1d.h"

#include <math.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "kernels/cpu/simd/simd_samples.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/matmul.h"
#include "max_magnitude.h"
#include "protocol/base/base.h"
#include "protocol/ops/plan/plans.h"
#include "simd_linalg.h"

#define TILE_BYTES GF_CONV1D_TILE_BYTES
#define INPUT_BYTES GF_CONV1D_INPUT_BYTES
#define SLOT_BYTES (TILE_BYTES + INPUT_BYTES)
#define LINE_COLUMNS 64u /* samples per row in a group of columns */
#define GROUP 16u        /* taps handled together at an end of the line */

struct work {
    const struct gf_cpu_call *call;
    const struct gf_buf *src, *dst;
    struct gf_conv1d conv1d;
    uint32_t kind; /* enum gf_cpu_conv1d_kind */
    size_t size;   /* bytes per element of this kind */
    char *taps, *slots;
    union gf_scan_value outside; /* the value of a constant border as an element; f32 in the first bytes */
    uint64_t length, results;    /* elements and results of a sequence */
    uint64_t across;             /* samples across all lines: the samples of one pixel, or of a whole row for columns */
};

/* A tile of results of a line, in a thread's workspace. */
struct tile {
    uint64_t line, first; /* number of the first result */
    size_t step, n;       /* samples per element; number of results */
    char *acc, *x;
    int64_t at; /* number of the element at the start of x, under the first result and tap `tap` */
    uint64_t tap;
    size_t depth; /* number of taps */
};

static size_t clamped(int64_t i, size_t n)
{
    return i < 0 ? 0 : gf_min_u64((uint64_t)i, n);
}

/* The address of an element of a line. */
static char *place(const struct work *w, const struct gf_buf *buf, uint64_t line, uint64_t element)
{
    size_t size = gf_dtype_size(buf->view.dtype);
    if (w->conv1d.cols)
        return (char *)buf->data + element * buf->view.pitch + line * LINE_COLUMNS * size;
    return (char *)buf->data + line * buf->view.pitch + element * w->across * size;
}

/* Loads n samples in the form of the inner loops. */
static void load(const struct work *w, const struct gf_buf *buf, const void *from, size_t n, void *to)
{
    if (w->kind == GF_CONV1D_F32)
        memcpy(to, from, n * sizeof(float));
    else
        w->call->simd->samples->load_values(buf->view.dtype, from, 1, n, to);
}

/* Fetches elements first .. end - 1, which lie inside the source. */
static void fetch_inside(const struct work *w, const struct tile *tile, int64_t first, int64_t end, char *to)
{
    size_t unit = tile->step * w->size;
    if (!w->conv1d.cols && first < end) {
        load(w, w->src, place(w, w->src, tile->line, (uint64_t)first), (size_t)(end - first) * tile->step, to);
        return;
    }
    for (int64_t i = first; i < end; i++, to += unit)
        load(w, w->src, place(w, w->src, tile->line, (uint64_t)i), tile->step, to);
}

static void fetch_outside(const struct work *w, const struct tile *tile, int64_t first, int64_t end, char *to)
{
    size_t unit = tile->step * w->size;
    for (int64_t i = first; i < end; i++, to += unit) {
        int64_t from = gf_border_index(w->conv1d.border, i, (int64_t)w->length);
        if (from >= 0)
            fetch_inside(w, tile, from, from + 1, to);
        else
            for (size_t s = 0; s < tile->step; s++)
                memcpy(to + s * w->size, &w->outside, w->size);
    }
}

/* Fetches all elements under the tile and its taps. In mode=full (bounded), positions outside the source have no taps,
 * and their elements stay unset. */
static void fetch(const struct work *w, const struct tile *tile)
{
    size_t n = tile->n + tile->depth - 1, unit = tile->step * w->size;
    int64_t first = tile->at, end = first + (int64_t)n, length = (int64_t)w->length;
    int64_t from = first < 0 ? 0 : first, to = end < length ? end : length;
    if (from >= to)
        from = to = end; /* nothing is inside */
    fetch_inside(w, tile, from, to, tile->x + (size_t)(from - first) * unit);
    if (w->conv1d.bounded)
        return;
    fetch_outside(w, tile, first, from, tile->x);
    fetch_outside(w, tile, to, end, tile->x + (size_t)(to - first) * unit);
}

/* Applies `depth` taps from the tile's tap k on to results a .. b - 1. */
static void multiply(const struct work *w, const struct tile *tile, size_t k, size_t depth, size_t a, size_t b)
{
    size_t unit = tile->step * w->size;
    struct gf_cpu_conv1d_tile conv1d_tile = {.acc = tile->acc + a * unit,
                                             .x = tile->x + (k + a) * unit,
                                             .taps = w->taps + (tile->tap + k) * w->size,
                                             .step = tile->step,
                                             .depth = depth};
    if (a >= b)
        return;
    conv1d_tile.n = (b - a) * tile->step;
    w->call->simd->linalg->conv1d(w->kind, &conv1d_tile);
}

/* Applies all taps of the tile to the results whose element is inside. A group of taps is applied at once where all of
 * its elements are inside, and tap by tap near the ends. */
static void multiply_bounded(const struct work *w, const struct tile *tile)
{
    int64_t length = (int64_t)w->length;
    for (size_t k = 0; k < tile->depth; k += GROUP) {
        size_t depth = (size_t)gf_min_u64(GROUP, tile->depth - k), n = tile->n;
        int64_t at = tile->at + (int64_t)k;
        size_t a = clamped(-at, n), b = clamped(length - at - (int64_t)depth + 1, n);
        if (a >= b)
            a = b = 0;
        multiply(w, tile, k, depth, a, b);
        for (size_t j = 0; j < depth; j++, at++) {
            size_t first = clamped(-at, n), end = clamped(length - at, n);
            multiply(w, tile, k + j, 1, first, gf_min_u64(end, a));
            multiply(w, tile, k + j, 1, first < b ? b : first, end);
        }
    }
}

static void store(const struct work *w, const struct tile *tile)
{
    size_t samples = tile->n * tile->step, part = w->conv1d.cols ? tile->step : samples;
    if (w->kind == GF_CONV1D_F32) {
        float *line = (float *)(void *)tile->acc;
        for (size_t i = 0; i < samples; i++)
            line[i] = line[i] != line[i] ? NAN : line[i];
    }
    for (size_t i = 0; i < samples; i += part) {
        const char *from = tile->acc + i * w->size;
        char *to = place(w, w->dst, tile->line, tile->first + i / tile->step);
        if (w->kind == GF_CONV1D_F32)
            memcpy(to, from, part * sizeof(float));
        else
            w->call->simd->samples->store_values(w->dst->view.dtype, (const void *)from, part, to, 1);
    }
}

/* The most results of a tile. */
static uint64_t tile_results(const struct work *w)
{
    uint64_t step = w->conv1d.cols ? gf_min_u64(LINE_COLUMNS, w->across) : w->across;
    return TILE_BYTES / w->size / step;
}

static void run_line(const struct work *w, uint64_t line, const struct gf_cpu_tile *at)
{
    const uint64_t taps = w->conv1d.taps;
    struct tile tile = {.line = line, .first = at->x, .n = (size_t)at->width};
    tile.step = (size_t)(w->conv1d.cols ? gf_min_u64(LINE_COLUMNS, w->across - tile.line * LINE_COLUMNS) : w->across);
    tile.acc = w->slots + (size_t)at->slot * SLOT_BYTES;
    tile.x = tile.acc + TILE_BYTES;
    size_t taps_at_once = INPUT_BYTES / w->size / tile.step - tile.n + 1;
    int64_t before = (int64_t)tile.first - w->conv1d.shift;
    memset(tile.acc, 0, tile.n * tile.step * w->size);
    for (uint64_t k = 0; k < taps; k += tile.depth) {
        if (gf_cpu_stopped(at->stop))
            return;
        tile.depth = (size_t)gf_min_u64(taps_at_once, taps - k);
        tile.tap = k;
        tile.at = before + (int64_t)k;
        int64_t end = tile.at + (int64_t)(tile.n + tile.depth - 1);
        bool inside = tile.at >= 0 && end <= (int64_t)w->length;
        if (w->conv1d.bounded && (tile.at >= (int64_t)w->length || end <= 0))
            continue;
        fetch(w, &tile);
        if (inside || !w->conv1d.bounded)
            multiply(w, &tile, 0, tile.depth, 0, tile.n);
        else
            multiply_bounded(w, &tile);
    }
    store(w, &tile);
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    for (uint64_t line = tile->y; line < tile->y + tile->height; line++)
        run_line(context, line, tile);
}

/* Copies the taps in the order of the chain, so that later changes of the operand have no effect. */
static void load_taps(const struct work *w, const struct gf_buf *kernel)
{
    size_t taps = w->conv1d.taps, size = w->size;
    char kept[sizeof(union gf_scan_value)];
    load(w, kernel, kernel->data, taps, w->taps);
    for (size_t i = 0, j = taps - 1; w->conv1d.flip && i < j; i++, j--) {
        memcpy(kept, w->taps + i * size, size);
        memcpy(w->taps + i * size, w->taps + j * size, size);
        memcpy(w->taps + j * size, kept, size);
    }
}

static void set_kind(struct work *w, uint32_t dtype)
{
    float narrow = (float)w->conv1d.value;
    w->kind = dtype == GF_F32   ? GF_CONV1D_F32
              : dtype == GF_F64 ? GF_CONV1D_F64
              : dtype == GF_U32 ? GF_CONV1D_UNSIGNED
                                : GF_CONV1D_SIGNED;
    w->size = w->kind == GF_CONV1D_F32 ? sizeof(float) : sizeof(union gf_scan_value);
    if (w->kind == GF_CONV1D_F32)
        memcpy(&w->outside, &narrow, sizeof(narrow));
    else if (w->kind == GF_CONV1D_F64)
        w->outside.f = w->conv1d.value;
    else
        w->outside.i = (int64_t)w->conv1d.value;
}

static enum gf_status check_data(const struct work *w, const struct gf_buf *kernel, struct gf_error *err)
{
    if (!w->conv1d.checked)
        return GF_OK;
    uint64_t product = gf_conv1d_max_magnitude(&w->conv1d, gf_cpu_max_magnitude(w->call, w->src)) *
                       gf_cpu_max_magnitude(w->call, kernel);
    return product > gf_matmul_limit(w->conv1d.taps) ? gf_conv1d_overflow(w->call->step, product, err) : GF_OK;
}

enum gf_status gf_cpu_conv1d(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_buf *kernel = &call->in[1];
    struct work w = {.call = call, .src = &call->in[0], .dst = &call->out[0]};
    const struct gf_view *src = &w.src->view, *dst = &w.dst->view;
    uint64_t threads = gf_cpu_pool_threads(call->pool);
    void *scratch = NULL;
    w.conv1d = gf_conv1d_init(call->step, src, &kernel->view);
    set_kind(&w, src->dtype);
    w.length = w.conv1d.cols ? src->height : src->width;
    w.results = w.conv1d.cols ? dst->height : dst->width;
    w.across = w.conv1d.cols ? src->width * src->channels : src->channels;
    const uint64_t lines = w.conv1d.cols ? (w.across + LINE_COLUMNS - 1) / LINE_COLUMNS : src->height;
    const struct gf_tiles tiles = {w.results, lines, tile_results(&w), lines / (16 * threads) + 1, 0};
    const uint64_t scratch_bytes = gf_conv1d_scratch(w.conv1d.taps, src->dtype, (uint32_t)threads);
    enum gf_status status = check_data(&w, kernel, err);
    if (status == GF_OK)
        status = gf_cpu_scratch_get(call, scratch_bytes, &scratch, err);
    if (status != GF_OK)
        return status;
    w.taps = scratch;
    w.slots = w.taps + gf_conv1d_tap_bytes(w.conv1d.taps, src->dtype);
    load_taps(&w, kernel);
    return gf_cpu_tiles_run(call, &tiles, run_tile, &w, err);
}
