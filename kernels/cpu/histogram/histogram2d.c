/* SPDX-License-Identifier: MIT */
/*
 * histogram2d on the CPU. For a block of pairs, each side yields its part of the counter's index; then the counters are
 * incremented. 8-bit and 16-bit samples look their part up in a table. Every thread has its own 32-bit counters, which
 * are added up at the end; if they would be too large, too small for the picture, or more than there are pairs, all
 * threads count in the result. Called through the op's row.
 */
#include <string.h>

#include "count.h"
#include "kernels/cpu/device/tiles.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_histogram.h"
#include "protocol/ops/params/histogram2d.h"
#include "simd_histogram.h"

#define TASK_PIXELS (1u << 16)
#define PRIVATE_BYTES (128u << 20)
#define LEVELS 65536u
/* Used instead of a part of an index, which is below 2^24. */
#define OUTSIDE (1u << 29)
#define IS_NAN (1u << 30)

/* One side of the pairs. */
struct side {
    const struct gf_buf *buf;
    uint32_t channel;
    struct gf_bins bins;
    uint32_t step;   /* counters from one bin to the next */
    uint32_t *table; /* the part of the index for each 8-bit or 16-bit value; NULL: bins are searched */
};

struct pairs {
    const struct gf_cpu_call *call;
    struct side sides[2];
    uint64_t pixels;
    uint64_t slots;   /* counters: pairs of bins, then pairs outside, then pairs with NaN */
    uint64_t *beside; /* pairs outside and with NaN, of all threads; NULL: each thread has its own counters */
    uint32_t *counts; /* each thread's counters */
};

static enum gf_status make_bins(const struct gf_cpu_call *call, const struct gf_pair_axis *axis, struct side *ret,
                                struct gf_error *err)
{
    const struct gf_buf *buf = &call->in[axis->input];
    struct gf_cpu_planes source = {buf, axis->channel + 1, false};
    double lo = axis->lo, hi = axis->hi;
    bool of_data = axis->range == GF_HIST_RANGE_DATA;
    if (of_data) {
        struct gf_cpu_extremes extremes[GF_MAX_CHANNELS];
        enum gf_status status = gf_cpu_find_extremes(call, &source, true, extremes, err);
        if (status != GF_OK)
            return status;
        const struct gf_cpu_extremes *own = &extremes[axis->channel];
        lo = own->any ? own->lo : 0.0;
        hi = own->any ? own->hi : 0.0;
    }
    bool closed = gf_histogram2d_params_get(&call->step->params).last_closed != 0 || of_data;
    *ret = (struct side){.buf = buf,
                         .channel = axis->channel,
                         .bins = gf_bins_make(lo, hi, axis->bins, buf->view.dtype == GF_F32, closed)};
    return GF_OK;
}

static inline uint32_t part_of(const struct side *s, uint32_t bin)
{
    return bin < s->bins.bins ? bin * s->step : bin == s->bins.bins + 2 ? IS_NAN : OUTSIDE;
}

/* Fills the table with the part of each value, indexed by its bits. */
static void fill_table(struct side *s)
{
    const uint32_t dtype = s->buf->view.dtype, levels = gf_dtype_size(dtype) == 1 ? 256 : LEVELS;
    const bool is_signed = gf_dtype_kind(dtype) == GF_KIND_SINT;
    for (uint32_t bits = 0; bits < levels; bits++) {
        int64_t v = is_signed && bits >= levels / 2 ? (int64_t)bits - levels : (int64_t)bits;
        s->table[bits] = part_of(s, gf_bins_find(&s->bins, GF_BINS_INT, (double)v, (uint64_t)v));
    }
}

static inline __attribute__((always_inline)) void look_up(const uint32_t *table, size_t size, const char *p,
                                                          size_t pixel, uint32_t n, uint32_t *ret)
{
    for (uint32_t i = 0; i < n; i++) {
        uint16_t bits = (uint8_t)p[i * pixel];
        if (size == 2)
            memcpy(&bits, p + i * pixel, sizeof(bits));
        ret[i] = table[bits];
    }
}

/* Finds the parts of n samples of a row. */
static void find_parts(const struct pairs *p, const struct side *s, uint64_t y, uint64_t x, uint32_t n, uint32_t *ret)
{
    const struct gf_view *v = &s->buf->view;
    const size_t size = gf_dtype_size(v->dtype), pixel = v->channels * size;
    const char *from = (const char *)s->buf->data + y * v->pitch + x * pixel + s->channel * size;
    const enum gf_bins_kind kind = gf_cpu_values_kind(v->dtype);
    struct gf_cpu_values values;
    int64_t estimate[GF_CPU_VALUES];
    if (s->table != NULL && size == 1) {
        look_up(s->table, 1, from, pixel, n, ret);
    } else if (s->table != NULL) {
        look_up(s->table, 2, from, pixel, n, ret);
    } else if (s->bins.slack < 1.0 && (kind == GF_BINS_FLOAT || (kind == GF_BINS_INT && !s->bins.unit))) {
        p->call->simd->samples->widen(v->dtype, from, v->channels, n, values.v, NULL);
        p->call->simd->histogram->bins(&s->bins, values.v, n, estimate);
        for (uint32_t i = 0; i < n; i++)
            ret[i] =
                part_of(s, estimate[i] >= 0 ? (uint32_t)estimate[i] : gf_bins_find(&s->bins, kind, values.v[i], 0));
    } else {
        const struct gf_cpu_planes source = {s->buf, s->channel + 1, false};
        gf_cpu_values_load(&source, s->channel, y, x, n, &values);
        for (uint32_t i = 0; i < n; i++)
            ret[i] = part_of(s, gf_bins_find(&s->bins, kind, values.v[i], values.bits[i]));
    }
}

/* The index of the counter of a pair. */
static inline uint64_t slot_of(const struct pairs *p, uint32_t a, uint32_t b)
{
    return (a | b) < OUTSIDE ? a + b : p->slots - (((a | b) & IS_NAN) != 0 ? 1 : 2);
}

static void count(const struct pairs *p, const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t *counts)
{
    for (uint32_t i = 0; i < n; i++)
        counts[slot_of(p, a[i], b[i])]++;
}

/* The same in the result. A client may change the result meanwhile, which changes nothing but the client's counts. */
static void count_shared(const struct pairs *p, const uint32_t *a, const uint32_t *b, uint32_t n)
{
    const struct gf_buf *out = &p->call->out[0];
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *to = &p->beside[((a[i] | b[i]) & IS_NAN) != 0];
        if ((a[i] | b[i]) < OUTSIDE)
            to = (uint64_t *)(void *)((char *)out->data + a[i] * out->view.pitch) + b[i];
        __atomic_fetch_add(to, 1, __ATOMIC_RELAXED);
    }
}

static const uint8_t *bytes_at(const struct side *s, uint64_t y, uint64_t x)
{
    const struct gf_view *v = &s->buf->view;
    return (const uint8_t *)s->buf->data + y * v->pitch + x * v->channels + s->channel;
}

/* Counts n pairs of bytes, the most common case. */
static void count_bytes(const struct pairs *p, uint64_t y, uint64_t x, uint64_t n, uint32_t *counts)
{
    const uint8_t *a = bytes_at(&p->sides[0], y, x), *b = bytes_at(&p->sides[1], y, x);
    const size_t step_a = p->sides[0].buf->view.channels, step_b = p->sides[1].buf->view.channels;
    const uint32_t *table_a = p->sides[0].table, *table_b = p->sides[1].table;
    for (uint64_t i = 0; i < n; i++, a += step_a, b += step_b)
        counts[slot_of(p, table_a[*a], table_b[*b])]++;
}

static void run_row(const struct pairs *p, uint64_t y, const struct gf_cpu_tile *tile)
{
    uint32_t *counts = p->beside != NULL ? NULL : p->counts + tile->slot * p->slots, parts[2][GF_CPU_VALUES];
    const uint64_t end = tile->x + tile->width;
    const bool bytes = p->beside == NULL && gf_dtype_size(p->sides[0].buf->view.dtype) == 1 &&
                       gf_dtype_size(p->sides[1].buf->view.dtype) == 1;
    if (bytes)
        count_bytes(p, y, tile->x, tile->width, counts);
    for (uint64_t x = tile->x; !bytes && x < end; x += GF_CPU_VALUES) {
        const uint32_t n = (uint32_t)gf_min_u64(end - x, GF_CPU_VALUES);
        for (uint32_t k = 0; k < 2; k++)
            find_parts(p, &p->sides[k], y, x, n, parts[k]);
        if (p->beside != NULL)
            count_shared(p, parts[0], parts[1], n);
        else
            count(p, parts[0], parts[1], n, counts);
    }
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++)
        run_row(context, y, tile);
}

/* The sum of a counter over all threads. */
static uint64_t sum_of(const struct pairs *p, uint64_t slot)
{
    const uint32_t threads = gf_cpu_pool_threads(p->call->pool);
    uint64_t sum = 0;
    for (uint32_t t = 0; t < threads; t++)
        sum += p->counts[t * p->slots + slot];
    return sum;
}

static void store(const struct pairs *p)
{
    const struct gf_buf *out = p->call->out;
    const uint64_t na = p->sides[0].bins.bins, nb = p->sides[1].bins.bins;
    for (uint64_t a = 0; p->beside == NULL && a < na; a++) {
        uint64_t *row = (void *)((char *)out[0].data + a * out[0].view.pitch);
        for (uint64_t b = 0; b < nb; b++)
            row[b] = sum_of(p, a * nb + b);
    }
    for (uint32_t k = 0; k < 2; k++) {
        double *edges = out[2 + k].data;
        ((uint64_t *)out[1].data)[k] = p->beside != NULL ? p->beside[k] : sum_of(p, na * nb + k);
        for (uint32_t i = 0; i <= p->sides[k].bins.bins; i++)
            edges[i] = gf_bins_edge(&p->sides[k].bins, i);
    }
}

/* Clears a row of the result in which all threads will count. */
static void clear_row(void *context, const struct gf_cpu_tile *tile)
{
    const struct pairs *p = context;
    const struct gf_buf *out = &p->call->out[0];
    for (uint64_t a = tile->y; a < tile->y + tile->height; a++)
        memset((char *)out->data + a * out->view.pitch, 0, (size_t)gf_view_row_bytes(&out->view));
}

/* Allocates the counters, which are cleared, and the tables. */
static enum gf_status make_room(struct pairs *p, struct gf_error *err)
{
    const uint32_t threads = gf_cpu_pool_threads(p->call->pool);
    void *room = NULL;
    p->slots = (uint64_t)p->sides[0].bins.bins * p->sides[1].bins.bins + 2;
    const uint64_t own = p->slots * threads * sizeof(*p->counts);
    const bool shared = own > PRIVATE_BYTES || p->pixels > UINT32_MAX || p->slots > p->pixels;
    const uint64_t counters = shared ? 2 * sizeof(*p->beside) : own;
    enum gf_status status = gf_cpu_scratch_get(p->call, counters + 2 * LEVELS * sizeof(uint32_t), &room, err);
    if (status != GF_OK)
        return status;
    memset(room, 0, counters);
    p->beside = shared ? room : NULL;
    p->counts = room;
    p->sides[0].step = shared ? 1 : p->sides[1].bins.bins;
    p->sides[1].step = 1;
    for (uint32_t k = 0; k < 2; k++)
        if (gf_dtype_size(p->sides[k].buf->view.dtype) <= 2) {
            p->sides[k].table = (uint32_t *)((char *)room + counters) + (size_t)k * LEVELS;
            fill_table(&p->sides[k]);
        }
    return GF_OK;
}

enum gf_status gf_cpu_histogram2d(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view views[2] = {call->in[0].view,
                                     call->in[1].data != NULL ? call->in[1].view : (struct gf_view){0}};
    struct pairs p = {.call = call, .pixels = views[0].width * views[0].height};
    const struct gf_tiles tiles = gf_cut_rows(views[0].width, views[0].height, TASK_PIXELS);
    enum gf_status status = GF_OK;
    const struct gf_histogram2d_params params = gf_histogram2d_params_get(&call->step->params);
    const struct gf_tiles rows = gf_whole_rows(call->out[0].view.width, call->out[0].view.height, TASK_PIXELS);
    for (uint32_t k = 0; k < 2 && status == GF_OK; k++) {
        const struct gf_pair_axis axis = gf_histogram2d_axis(&params, views, k);
        status = make_bins(call, &axis, &p.sides[k], err);
    }
    if (status == GF_OK)
        status = make_room(&p, err);
    if (status == GF_OK && p.beside != NULL)
        status = gf_cpu_tiles_run(call, &rows, clear_row, &p, err);
    if (status == GF_OK)
        status = gf_cpu_tiles_run(call, &tiles, run_tile, &p, err);
    if (status == GF_OK)
        store(&p);
    return status;
}
