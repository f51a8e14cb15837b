/* SPDX-License-Identifier: MIT */
/*
 * Counts samples by value. Every thread has its own counters, which are added up at the end; if they would be too
 * large, all threads share one set. 8-bit samples, and 16-bit samples if there are many, are counted by value first, so
 * that the bin of each value is looked up once. Called by histogram and the tone ops.
 */
#include "count.h"

#include "kernels/cpu/device/tiles.h"
#include "simd_histogram.h"

#define TASK_PIXELS (1u << 16) /* pixels per task */
#define PRIVATE_BYTES (128u << 20)
#define COPIES 4u        /* copies of few counters, so that equal neighbours do not wait for each other's increment */
#define BYTE_COPIES 2u   /* copies of the counters of bytes; more copies would cost more cache than they save */
#define FEW_SLOTS 512u   /* the most counters that are copied */
#define LUMA_BYTES 8192u /* bytes of brightness computed at a time */
#define LEVELS_8 256u
#define LEVELS_16 65536u

struct count {
    const struct gf_cpu_call *call;
    const struct gf_cpu_planes *source;
    const struct gf_bins *bins; /* per plane; NULL: count by value */
    size_t slots;               /* counters per plane */
    uint64_t *counts;           /* counters of all planes, one set per thread or one shared set */
    bool shared;
    bool finite;                      /* extremes ignore infinities */
    struct gf_cpu_extremes *extremes; /* one per plane and thread */
};

static void add(const struct count *c, uint64_t *counter, uint64_t n)
{
    if (c->shared)
        __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
    else
        *counter += n;
}

static uint64_t *counters_of(const struct count *c, uint32_t thread)
{
    return c->shared ? c->counts : c->counts + (size_t)thread * c->source->planes * c->slots;
}

/* Counts n bytes, `stride` bytes apart. */
static void count_bytes(const uint8_t *p, size_t stride, uint32_t n, uint8_t flip,
                        uint32_t counts[BYTE_COPIES][LEVELS_8])
{
    uint32_t i = 0;
    for (; stride == 1 && i + 8 <= n; i += 8, p += 8) {
        uint64_t eight;
        memcpy(&eight, p, sizeof eight);
        eight ^= flip * UINT64_C(0x0101010101010101);
#pragma GCC unroll 8
        for (uint32_t k = 0; k < 8; k++)
            counts[k % BYTE_COPIES][(uint8_t)(eight >> 8 * k)]++;
    }
    for (; i + BYTE_COPIES <= n; i += BYTE_COPIES, p += BYTE_COPIES * stride) {
        counts[0][p[0] ^ flip]++;
        counts[1][p[stride] ^ flip]++;
    }
    for (; i < n; i++, p += stride)
        counts[0][p[0] ^ flip]++;
}

static void count_row_8(const struct count *c, uint32_t plane, uint64_t y, uint64_t x, uint32_t n, uint64_t *counts)
{
    const struct gf_view *view = &c->source->buf->view;
    const uint8_t *p = (const uint8_t *)c->source->buf->data + y * view->pitch + x * view->channels + plane;
    uint8_t flip = view->dtype == GF_I8 ? 0x80 : 0;
    if (n < BYTE_COPIES * LEVELS_8) {
        for (uint32_t i = 0; i < n; i++)
            counts[p[(size_t)i * view->channels] ^ flip]++;
        return;
    }
    uint32_t few[BYTE_COPIES][LEVELS_8] = {0};
    count_bytes(p, view->channels, n, flip, few);
    for (uint32_t v = 0; v < LEVELS_8; v++)
        counts[v] += (uint64_t)few[0][v] + few[1][v];
}

static void count_row_16(const struct count *c, uint32_t plane, uint64_t y, uint64_t x, uint32_t n, uint64_t *counts)
{
    const struct gf_view *view = &c->source->buf->view;
    const char *row = (const char *)c->source->buf->data + y * view->pitch;
    const uint16_t *p = (const uint16_t *)row + x * view->channels + plane;
    uint16_t flip = view->dtype == GF_I16 ? 0x8000 : 0;
    for (uint32_t i = 0; i < n; i++)
        add(c, &counts[p[(size_t)i * view->channels] ^ flip], 1);
}

/* Counts values that are exact in f64; their bins are estimated in vectors. Increments go to the sets of counters in
 * turn, as for bytes. */
static void count_estimated(const struct count *c, const struct gf_bins *bins, enum gf_bins_kind kind,
                            const struct gf_cpu_values *values, uint32_t n, uint64_t *const counts[COPIES])
{
    int64_t estimate[GF_CPU_VALUES];
    c->call->simd->histogram->bins(bins, values->v, n, estimate);
    for (uint32_t i = 0; i < n; i++)
        if (estimate[i] < 0)
            estimate[i] = gf_bins_find(bins, kind, values->v[i], 0);
    if (c->shared) {
        for (uint32_t i = 0; i < n; i++)
            add(c, &counts[0][estimate[i]], 1);
        return;
    }
    uint32_t i = 0;
    for (; i + COPIES <= n; i += COPIES)
        for (uint32_t k = 0; k < COPIES; k++)
            counts[k][estimate[i + k]]++;
    for (; i < n; i++)
        counts[0][estimate[i]]++;
}

static void count_row_any(const struct count *c, uint32_t plane, uint64_t y, uint64_t x, uint32_t n, uint64_t *counts)
{
    const struct gf_view *view = &c->source->buf->view;
    const struct gf_bins *bins = &c->bins[plane];
    enum gf_bins_kind kind = gf_cpu_values_kind(view->dtype);
    bool estimated = bins->slack < 1.0 && (kind == GF_BINS_FLOAT || (kind == GF_BINS_INT && !bins->unit));
    uint64_t few[COPIES - 1][FEW_SLOTS];
    bool copies = estimated && !c->shared && c->slots <= FEW_SLOTS && n >= COPIES * FEW_SLOTS;
    uint64_t *in_turn[COPIES] = {counts, counts, counts, counts};
    struct gf_cpu_values values;
    for (uint32_t k = 1; copies && k < COPIES; k++)
        in_turn[k] = memset(few[k - 1], 0, sizeof few[k - 1]);
    for (uint32_t done = 0, n_now; done < n; done += n_now) {
        n_now = n - done < GF_CPU_VALUES ? n - done : GF_CPU_VALUES;
        if (estimated) {
            const char *p = (const char *)c->source->buf->data + y * view->pitch;
            p += ((x + done) * view->channels + plane) * gf_dtype_size(view->dtype);
            c->call->simd->samples->widen(view->dtype, p, view->channels, n_now, values.v, NULL);
        } else {
            gf_cpu_values_load(c->source, plane, y, x + done, n_now, &values);
        }
        if (estimated) {
            count_estimated(c, bins, kind, &values, n_now, in_turn);
            continue;
        }
        for (uint32_t i = 0; i < n_now; i++)
            add(c, &counts[gf_bins_find(bins, kind, values.v[i], values.bits[i])], 1);
    }
    for (uint32_t k = 1; copies && k < COPIES; k++)
        for (size_t i = 0; i < c->slots; i++)
            counts[i] += in_turn[k][i];
}

static void extend(struct gf_cpu_extremes *e, double lo, double hi)
{
    bool below = !e->any || lo < e->lo || (lo == e->lo && signbit(lo));
    bool above = !e->any || hi > e->hi || (hi == e->hi && !signbit(hi));
    e->lo = below ? lo : e->lo;
    e->hi = above ? hi : e->hi;
    e->any = true;
}

/* Compares 64-bit integers as integers. The extremes as f64 are rounded outwards at the end. */
static void extend_integers(enum gf_bins_kind kind, const uint64_t *bits, uint32_t n, struct gf_cpu_extremes *e)
{
    uint64_t flip = kind == GF_BINS_S64 ? UINT64_C(1) << 63 : 0, lo = UINT64_MAX, hi = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t key = bits[i] ^ flip;
        lo = key < lo ? key : lo;
        hi = key > hi ? key : hi;
    }
    lo ^= flip;
    hi ^= flip;
    double below = kind == GF_BINS_S64 ? (double)(int64_t)lo : (double)lo;
    double above = kind == GF_BINS_S64 ? (double)(int64_t)hi : (double)hi;
    if (gf_bins_reaches(kind, below, lo, below) == false)
        below = nextafter(below, -INFINITY);
    if (gf_bins_reaches(kind, above, hi, nextafter(above, INFINITY)) ||
        (gf_bins_reaches(kind, above, hi, above) && !gf_bins_equals(kind, above, hi, above)))
        above = nextafter(above, INFINITY);
    extend(e, below, above);
}

static void look_at_row(const struct count *c, uint32_t plane, uint64_t y, uint64_t x, uint32_t n,
                        struct gf_cpu_extremes *e)
{
    enum gf_bins_kind kind = gf_cpu_values_kind(c->source->buf->view.dtype);
    struct gf_cpu_values values;
    for (uint32_t done = 0, n_now; done < n; done += n_now) {
        n_now = n - done < GF_CPU_VALUES ? n - done : GF_CPU_VALUES;
        gf_cpu_values_load(c->source, plane, y, x + done, n_now, &values);
        if (kind == GF_BINS_S64 || kind == GF_BINS_U64) {
            extend_integers(kind, values.bits, n_now, e);
            continue;
        }
        for (uint32_t i = 0; i < n_now; i++) {
            double v = values.v[i];
            if (v != v)
                e->nan = true;
            else if (!c->finite || fabs(v) <= DBL_MAX)
                extend(e, v, v);
        }
    }
}

/* Whether the dtype is an image dtype; all channels of such samples are processed at once. */
static bool has_range(const struct gf_cpu_planes *source)
{
    return (GF_DT_IMAGE & GF_DT(source->buf->view.dtype)) != 0;
}

static double range_value(bool real, int32_t key)
{
    int32_t bits = key ^ ((key >> 31) & INT32_MAX);
    float v;
    memcpy(&v, &bits, sizeof v);
    return real ? (double)v : (double)key;
}

static void look_at_range(const struct count *c, uint64_t y, uint64_t x, uint32_t n, struct gf_cpu_extremes *extremes)
{
    const struct gf_view *view = &c->source->buf->view;
    bool real = view->dtype == GF_F32;
    struct gf_cpu_range range = {.channels = view->channels};
    const char *p = (const char *)c->source->buf->data + y * view->pitch;
    c->call->simd->histogram->range(view->dtype, p + x * view->channels * gf_dtype_size(view->dtype),
                                    (size_t)n * view->channels, c->finite, &range);
    for (uint32_t plane = 0; plane < c->source->planes; plane++) {
        extremes[plane].nan = extremes[plane].nan || range.nan[plane];
        if (range.lo[plane] <= range.hi[plane])
            extend(&extremes[plane], range_value(real, range.lo[plane]), range_value(real, range.hi[plane]));
    }
}

static void run_range(const struct count *c, uint32_t thread, uint64_t y, uint64_t x, uint32_t n);

/* Computes the brightness of a block of pixels and processes the block as a picture of its own. */
static void run_luma(const struct count *c, uint32_t thread, uint64_t y, uint64_t x, uint32_t n)
{
    const struct gf_view *view = &c->source->buf->view;
    uint64_t block[LUMA_BYTES / sizeof(uint64_t)];
    size_t size = gf_dtype_size(view->dtype);
    uint32_t made = view->channels - 2, limit = (uint32_t)(sizeof(block) / (made * size));
    const char *p = (const char *)c->source->buf->data + y * view->pitch + x * view->channels * size;
    for (uint32_t done = 0, n_now; done < n; done += n_now) {
        n_now = n - done < limit ? n - done : limit;
        c->call->simd->samples->brightness(view->dtype, view->channels, p + done * view->channels * size, block, n_now);
        const struct gf_buf buf = {.data = block, .view = gf_view_tight(view->dtype, n_now, 1, made)};
        const struct gf_cpu_planes source = {&buf, 1, false};
        struct count of_block = *c;
        of_block.source = &source;
        run_range(&of_block, thread, 0, 0, n_now);
    }
}

static void run_range(const struct count *c, uint32_t thread, uint64_t y, uint64_t x, uint32_t n)
{
    if (c->source->luma) {
        run_luma(c, thread, y, x, n);
        return;
    }
    uint32_t bytes = (uint32_t)gf_dtype_size(c->source->buf->view.dtype);
    if (c->extremes != NULL && has_range(c->source)) {
        look_at_range(c, y, x, n, c->extremes + thread * c->source->planes);
        return;
    }
    for (uint32_t plane = 0; plane < c->source->planes; plane++) {
        if (c->extremes != NULL) {
            look_at_row(c, plane, y, x, n, &c->extremes[thread * c->source->planes + plane]);
            continue;
        }
        uint64_t *counts = counters_of(c, thread) + plane * c->slots;
        if (c->bins != NULL)
            count_row_any(c, plane, y, x, n, counts);
        else if (bytes == 1)
            count_row_8(c, plane, y, x, n, counts);
        else
            count_row_16(c, plane, y, x, n, counts);
    }
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++)
        run_range(context, tile->slot, y, tile->x, (uint32_t)tile->width);
}

/* Processes the whole picture. Contiguous rows are treated as one row. */
static enum gf_status run_tiles(struct count *c, struct gf_error *err)
{
    const struct gf_view *view = &c->source->buf->view;
    const struct gf_tiles tiles =
        gf_cpu_cut_rows(gf_cpu_is_tight(c->source->buf), view->width, view->height, TASK_PIXELS);
    return gf_cpu_tiles_run(c->call, &tiles, run_tile, c, err);
}

/* Counts, and leaves the sums over all threads in the first set of counters. */
static enum gf_status count_all(struct count *c, struct gf_error *err)
{
    size_t set = c->source->planes * c->slots;
    uint32_t threads = gf_cpu_pool_threads(c->call->pool);
    void *workspace = NULL;
    c->shared = (uint64_t)set * threads * sizeof(uint64_t) > PRIVATE_BYTES;
    uint32_t sets = c->shared ? 1 : threads;
    enum gf_status status = gf_cpu_scratch_get(c->call, (uint64_t)set * sets * sizeof(uint64_t), &workspace, err);
    if (status != GF_OK)
        return status;
    c->counts = workspace;
    memset(c->counts, 0, set * sets * sizeof(uint64_t));
    status = run_tiles(c, err);
    for (uint32_t t = 1; t < sets && status == GF_OK; t++)
        for (size_t i = 0; i < set; i++)
            c->counts[i] += c->counts[t * set + i];
    return status;
}

/* Adds the counts by value to the counts by bin. */
static void fold(const struct count *c, const struct gf_bins *bins, uint64_t *counts)
{
    bool is_signed = gf_dtype_kind(c->source->buf->view.dtype) == GF_KIND_SINT;
    int64_t first = is_signed ? -(int64_t)(c->slots / 2) : 0;
    for (uint32_t plane = 0; plane < c->source->planes; plane++)
        for (size_t i = 0; i < c->slots; i++) {
            uint64_t n = c->counts[plane * c->slots + i];
            int64_t v = first + (int64_t)i;
            if (n != 0)
                counts[(size_t)plane * (bins->bins + GF_BINS_EXTRA) +
                       gf_bins_find(&bins[plane], GF_BINS_INT, (double)v, (uint64_t)v)] += n;
        }
}

enum gf_status gf_cpu_count(const struct gf_cpu_call *call, const struct gf_cpu_planes *source,
                            const struct gf_bins *bins, uint64_t *counts, struct gf_error *err)
{
    const struct gf_view *view = &source->buf->view;
    struct count c = {.call = call, .source = source};
    size_t size = gf_dtype_size(view->dtype);
    bool by_value = size == 1 || (size == 2 && view->width * view->height >= LEVELS_16);
    c.slots = !by_value ? bins->bins + GF_BINS_EXTRA : size == 1 ? LEVELS_8 : LEVELS_16;
    c.bins = by_value ? NULL : bins;
    enum gf_status status = count_all(&c, err);
    if (status != GF_OK)
        return status;
    if (by_value)
        fold(&c, bins, counts);
    else
        memcpy(counts, c.counts, source->planes * c.slots * sizeof(*counts));
    return GF_OK;
}

enum gf_status gf_cpu_find_extremes(const struct gf_cpu_call *call, const struct gf_cpu_planes *source, bool finite,
                                    struct gf_cpu_extremes *ret, struct gf_error *err)
{
    struct count c = {.call = call, .source = source, .finite = finite};
    uint32_t threads = gf_cpu_pool_threads(call->pool);
    void *workspace = NULL;
    enum gf_status status =
        gf_cpu_scratch_get(call, (uint64_t)threads * source->planes * sizeof(struct gf_cpu_extremes), &workspace, err);
    if (status != GF_OK)
        return status;
    c.extremes = workspace;
    memset(c.extremes, 0, (size_t)threads * source->planes * sizeof(struct gf_cpu_extremes));
    status = run_tiles(&c, err);
    if (status != GF_OK)
        return status;
    for (uint32_t plane = 0; plane < source->planes; plane++) {
        struct gf_cpu_extremes all = {0};
        for (uint32_t t = 0; t < threads; t++) {
            const struct gf_cpu_extremes *e = &c.extremes[t * source->planes + plane];
            all.nan = all.nan || e->nan;
            if (e->any)
                extend(&all, e->lo, e->hi);
        }
        ret[plane] = all;
    }
    return GF_OK;
}
