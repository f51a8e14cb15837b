/* SPDX-License-Identifier: MIT */
/* Ops of the family point that change tones by a histogram, by a range or by a limit: autocontrast, equalize,
 * threshold and clahe. */
#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/autocontrast.h"
#include "protocol/ops/params/clahe.h"
#include "protocol/ops/params/equalize.h"
#include "protocol/ops/params/threshold.h"
#include "reference_bins.h"
#include "reference_image.h"
#include "reference_ops.h"

/* A new value for a sample of channel c. */
typedef double tone_fn(const void *context, uint32_t c, double v);

static void *address(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c)
{
    size_t size = gf_dtype_size(buf->view.dtype);
    return (char *)buf->data + y * buf->view.pitch + (x * buf->view.channels + c) * size;
}

static double intensity_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c)
{
    const void *p = address(buf, y, x, c);
    uint8_t u8;
    uint16_t u16;
    int16_t i16;
    float f32;
    if (buf->view.dtype == GF_U8)
        return memcpy(&u8, p, sizeof(u8)), (double)u8;
    if (buf->view.dtype == GF_U16)
        return memcpy(&u16, p, sizeof(u16)), (double)u16;
    if (buf->view.dtype == GF_I16)
        return memcpy(&i16, p, sizeof(i16)), (double)i16;
    return memcpy(&f32, p, sizeof(f32)), (double)f32;
}

/* How many samples of channel c have each value of an integer dtype, from the least. NO_MEMORY; the caller frees. */
static enum gf_status count_intensities(const struct gf_reference_buf *in, uint32_t c, uint64_t **ret,
                                        struct gf_error *err)
{
    double min = (double)gf_reference_min(in->view.dtype);
    uint64_t *counts = calloc((size_t)((double)gf_reference_max(in->view.dtype) - min) + 1, sizeof(*counts));
    if (counts == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for counts");
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            counts[(size_t)(intensity_at(in, y, x, c) - min)]++;
    *ret = counts;
    return GF_OK;
}

/* Every colour through fn; alpha is copied unless `alpha` says straight. */
static void change_tones(const struct gf_reference_buf *in, const struct gf_reference_buf *out, uint32_t alpha,
                         tone_fn *fn, const void *context)
{
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            for (uint32_t c = 0; c < in->view.channels; c++) {
                double v = intensity_at(in, y, x, c);
                if (alpha == GF_ALPHA_STRAIGHT || !gf_reference_is_alpha(in->view.channels, c))
                    v = fn(context, c, v);
                uint8_t u8 = in->view.dtype == GF_U8 ? (uint8_t)v : 0;
                uint16_t u16 = in->view.dtype == GF_U16 ? (uint16_t)v : 0;
                int16_t i16 = in->view.dtype == GF_I16 ? (int16_t)v : 0;
                float f32 = isnan(v) ? NAN : (float)v;
                const void *from = in->view.dtype == GF_U8    ? (const void *)&u8
                                   : in->view.dtype == GF_U16 ? (const void *)&u16
                                   : in->view.dtype == GF_I16 ? (const void *)&i16
                                                              : (const void *)&f32;
                memcpy(address(out, y, x, c), from, gf_dtype_size(in->view.dtype));
            }
}

/* autocontrast, docs/numerics.md, "equalize, threshold, autocontrast". */

struct contrast {
    uint32_t dtype;
    struct {
        bool any, nan;
        double lo, hi;
    } range[GF_MAX_CHANNELS];
};

static bool less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static double contrasted(const void *context, uint32_t c, double v)
{
    const struct contrast *k = context;
    double lo = k->range[c].lo, hi = k->range[c].hi, d = hi - lo;
    if (k->range[c].nan)
        return (double)NAN;
    if (!k->range[c].any || lo == hi)
        return v;
    if (k->dtype != GF_F32) {
        uint64_t whole = (uint64_t)d, max = (uint64_t)gf_reference_max(k->dtype);
        return (double)(((uint64_t)(v - lo) * max + whole / 2) / whole);
    }
    float difference = (float)v - (float)lo;
    return (double)(difference * (float)(1.0 / d));
}

GF_REFERENCE(autocontrast)
{
    struct contrast k = {.dtype = in->view.dtype};
    (void)op, (void)err;
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            for (uint32_t c = 0; c < in->view.channels; c++) {
                double v = intensity_at(in, y, x, c);
                if (isnan(v)) {
                    k.range[c].nan = gf_autocontrast_params_get(params).nan == GF_NAN_PROPAGATE;
                    continue;
                }
                if (!k.range[c].any || less(v, k.range[c].lo))
                    k.range[c].lo = v;
                if (!k.range[c].any || less(k.range[c].hi, v))
                    k.range[c].hi = v;
                k.range[c].any = true;
            }
    change_tones(in, out, gf_autocontrast_params_get(params).alpha, contrasted, &k);
    return GF_OK;
}

/* equalize, docs/numerics.md, "equalize, threshold, autocontrast". */

struct equalize {
    double min; /* what entry 0 is for */
    double *tables[GF_MAX_CHANNELS];
};

static void equalize_deinit(struct equalize *e)
{
    for (uint32_t c = 0; c < GF_MAX_CHANNELS; c++)
        free(e->tables[c]);
}

static double equalized(const void *context, uint32_t c, double v)
{
    const struct equalize *e = context;
    return e->tables[c][(size_t)(v - e->min)];
}

static enum gf_status make_table(const struct gf_reference_buf *in, uint32_t c, double **ret, struct gf_error *err)
{
    double min = (double)gf_reference_min(in->view.dtype);
    uint64_t max = (uint64_t)gf_reference_max(in->view.dtype), n = in->view.width * in->view.height;
    uint64_t levels = max + 1 + (uint64_t)-min;
    uint64_t *gf_cleanup(gf_freep) counts = NULL;
    enum gf_status status = count_intensities(in, c, &counts, err);
    if (status != GF_OK)
        return status;
    *ret = malloc(levels * sizeof(**ret));
    if (*ret == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a table");
    uint64_t first = 0;
    while (counts[first] == 0)
        first++;
    uint64_t cmin = counts[first], d = n - cmin, cdf = 0;
    for (uint64_t v = 0; v < levels; v++) {
        cdf += counts[v];
        (*ret)[v] = d == 0 ? (double)v + min : v < first ? 0.0 : (double)(((cdf - cmin) * max + d / 2) / d);
    }
    return GF_OK;
}

GF_REFERENCE(equalize)
{
    struct equalize gf_cleanup(equalize_deinit) e = {.min = (double)gf_reference_min(in->view.dtype)};
    (void)op;
    for (uint32_t c = 0; c < in->view.channels; c++) {
        enum gf_status status = make_table(in, c, &e.tables[c], err);
        if (status != GF_OK)
            return status;
    }
    change_tones(in, out, gf_equalize_params_get(params).alpha, equalized, &e);
    return GF_OK;
}

/* threshold, docs/numerics.md, "equalize, threshold, autocontrast". */

struct limits {
    double high;
    bool reached[GF_MAX_CHANNELS]; /* v >= limit counts, not only v > limit */
    double limit[GF_MAX_CHANNELS]; /* NaN: nothing is above */
};

static double thresholded(const void *context, uint32_t c, double v)
{
    const struct limits *l = context;
    return v > l->limit[c] || (l->reached[c] && v == l->limit[c]) ? l->high : 0.0;
}

/* The split of n counts with the greatest score, the smallest of such; n where there is none. */
static uint32_t otsu(const uint64_t *counts, uint32_t n)
{
    uint64_t total = 0, w0 = 0, s0 = 0, sum = 0;
    for (uint32_t t = 0; t < n; t++) {
        total += counts[t];
        sum += counts[t] * t;
    }
    uint32_t best = n;
    double best_score = 0;
    for (uint32_t t = 0; t < n; t++) {
        w0 += counts[t];
        s0 += counts[t] * t;
        if (w0 == 0 || w0 == total)
            continue;
        double a = (double)((gf_reference_i128)total * s0 - (gf_reference_i128)w0 * sum);
        double score = (a * a) / ((double)w0 * (double)(total - w0));
        if (best == n || score > best_score) {
            best = t;
            best_score = score;
        }
    }
    return best;
}

static enum gf_status otsu_integers(const struct gf_reference_buf *in, uint32_t c, struct limits *l,
                                    struct gf_error *err)
{
    uint64_t *gf_cleanup(gf_freep) counts = NULL;
    float min = gf_reference_min(in->view.dtype);
    uint32_t n = (uint32_t)(gf_reference_max(in->view.dtype) - min) + 1;
    enum gf_status status = count_intensities(in, c, &counts, err);
    if (status != GF_OK)
        return status;
    uint32_t t = otsu(counts, n);
    l->limit[c] = t == n ? (double)NAN : (double)t + (double)min;
    return GF_OK;
}

static enum gf_status otsu_floats(const struct gf_reference_buf *in, uint32_t c, uint32_t n, struct limits *l,
                                  struct gf_error *err)
{
    struct gf_reference_range range = {0};
    struct gf_reference_edges gf_cleanup(gf_reference_edges_deinit) edges = {0};
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            gf_reference_range_add(&range, gf_reference_value_at(in, y, x, c));
    enum gf_status status = gf_reference_edges_init(range.lo, range.hi, n, true, GF_F32, &edges, err);
    if (status != GF_OK)
        return status;
    uint64_t *gf_cleanup(gf_freep) counts = calloc((size_t)n + 3, sizeof(*counts));
    if (counts == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %u bins", n);
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            counts[gf_reference_bin(&edges, gf_reference_value_at(in, y, x, c))]++;
    uint32_t t = otsu(counts, n);
    l->reached[c] = true;
    l->limit[c] = t == n ? (double)NAN : edges.e[t + 1];
    return GF_OK;
}

static void put_brightness(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c,
                           struct gf_reference_value v)
{
    size_t size = gf_dtype_size(buf->view.dtype);
    char *p = (char *)buf->data + y * buf->view.pitch + (x * buf->view.channels + c) * size;
    uint16_t i = (uint16_t)v.i;
    float f = (float)v.f;
    memcpy(p, buf->view.dtype == GF_F32 ? (const void *)&f : (const void *)&i, size);
}

/* The picture of each pixel's brightness, and of its alpha. */
static void make_brightness(const struct gf_reference_buf *in, const struct gf_reference_buf *out)
{
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++) {
            put_brightness(out, y, x, 0, gf_reference_luma_at(in, y, x));
            if (in->view.channels == 4)
                put_brightness(out, y, x, 1, gf_reference_value_at(in, y, x, 3));
        }
}

GF_REFERENCE(threshold)
{
    const struct gf_threshold_params p = gf_threshold_params_get(params);
    struct limits l = {.high = (double)gf_reference_max(in->view.dtype)};
    (void)op;
    if (p.channels == GF_TONE_CHANNELS_LUMA && in->view.channels >= 3) {
        make_brightness(in, out);
        in = out; /* each sample is read before it is written */
    }
    for (uint32_t c = 0; c < in->view.channels; c++) {
        enum gf_status status = GF_OK;
        if (p.value.n != 0)
            l.limit[c] = (double)p.value.v[0];
        else if (in->view.dtype == GF_F32)
            status = otsu_floats(in, c, p.bins, &l, err);
        else
            status = otsu_integers(in, c, &l, err);
        if (status != GF_OK)
            return status;
    }
    change_tones(in, out, p.alpha, thresholded, &l);
    return GF_OK;
}

/* clahe, docs/numerics.md, "clahe". */

/* The tiles of a picture, and the table of each for one channel. */
struct clahe {
    const struct gf_reference_buf *in;
    int64_t n_x, n_y, width, height;
    uint64_t levels, limit; /* limit 0: none */
    double min, max;
    double *tables;
};

static void clahe_deinit(struct clahe *c)
{
    free(c->tables);
}

static enum gf_status lay_out(struct clahe *c, const struct gf_clahe_params *p, struct gf_error *err)
{
    const struct gf_view *v = &c->in->view;
    int64_t width = (int64_t)v->width, height = (int64_t)v->height;
    c->n_x = GF_PICK(p->tiles, 0);
    c->n_y = GF_PICK(p->tiles, 1);
    if (width % c->n_x != 0 || height % c->n_y != 0) {
        width += c->n_x - width % c->n_x;
        height += c->n_y - height % c->n_y;
    }
    c->width = width / c->n_x;
    c->height = height / c->n_y;
    c->min = (double)gf_reference_min(v->dtype);
    c->max = (double)gf_reference_max(v->dtype);
    c->levels = (uint64_t)(c->max - c->min) + 1;
    if (p->clip > 0.0)
        c->limit = (uint64_t)fmax(floor(p->clip * (double)(c->width * c->height) / (double)c->levels), 1.0);
    c->tables = malloc((size_t)(c->n_x * c->n_y) * c->levels * sizeof(*c->tables));
    return c->tables != NULL ? GF_OK : gf_error_set(err, GF_E_NO_MEMORY, "no memory for tables");
}

static void count_tile(const struct clahe *c, int64_t tile, uint32_t channel, uint64_t *h)
{
    for (int64_t y = tile / c->n_x * c->height; y < (tile / c->n_x + 1) * c->height; y++)
        for (int64_t x = tile % c->n_x * c->width; x < (tile % c->n_x + 1) * c->width; x++) {
            int64_t from_y = gf_reference_border(GF_BORDER_REFLECT101, y, (int64_t)c->in->view.height);
            int64_t from_x = gf_reference_border(GF_BORDER_REFLECT101, x, (int64_t)c->in->view.width);
            double v = intensity_at(c->in, (uint64_t)from_y, (uint64_t)from_x, channel);
            h[(size_t)(v - c->min)]++;
        }
}

static void clip_counts(const struct clahe *c, uint64_t *h)
{
    uint64_t excess = 0;
    for (uint64_t v = 0; v < c->levels; v++)
        if (h[v] > c->limit) {
            excess += h[v] - c->limit;
            h[v] = c->limit;
        }
    for (uint64_t v = 0; v < c->levels; v++)
        h[v] += excess / c->levels;
    uint64_t rest = excess % c->levels, step = rest == 0 ? 1 : c->levels / rest;
    for (uint64_t v = 0; v < c->levels && rest > 0; v += step, rest--)
        h[v]++;
}

static enum gf_status make_tile_tables(const struct clahe *c, uint32_t channel, struct gf_error *err)
{
    uint64_t *gf_cleanup(gf_freep) h = malloc(c->levels * sizeof(*h));
    if (h == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for counts");
    float scale = (float)c->max / (float)(c->width * c->height);
    for (int64_t tile = 0; tile < c->n_x * c->n_y; tile++) {
        uint64_t sum = 0;
        for (uint64_t v = 0; v < c->levels; v++)
            h[v] = 0;
        count_tile(c, tile, channel, h);
        if (c->limit > 0)
            clip_counts(c, h);
        for (uint64_t v = 0; v < c->levels; v++) {
            sum += h[v];
            float scaled = (float)sum * scale;
            c->tables[(uint64_t)tile * c->levels + v] = fmin((double)rintf(scaled), c->max);
        }
    }
    return GF_OK;
}

/* The tiles next to a row or column, and the weight of the second. */
static float place(int64_t at, int64_t length, int64_t n, int64_t *ret_before, int64_t *ret_after)
{
    float inverse = 1.0f / (float)length, t = (float)at * inverse;
    t = t - 0.5f;
    int64_t below = (int64_t)floorf(t);
    *ret_before = below < 0 ? 0 : below;
    *ret_after = below + 1 > n - 1 ? n - 1 : below + 1;
    return t - (float)below;
}

static double mixed(const struct clahe *c, int64_t y, int64_t x, uint32_t channel)
{
    int64_t top, bottom, left, right;
    float wy = place(y, c->height, c->n_y, &top, &bottom), wx = place(x, c->width, c->n_x, &left, &right);
    size_t v = (size_t)(intensity_at(c->in, (uint64_t)y, (uint64_t)x, channel) - c->min);
    int64_t tiles[4] = {top * c->n_x + left, top * c->n_x + right, bottom * c->n_x + left, bottom * c->n_x + right};
    float e[4];
    for (int i = 0; i < 4; i++)
        e[i] = (float)c->tables[(uint64_t)tiles[i] * c->levels + v];
    float left_weight = 1.0f - wx, p = e[0] * left_weight, q = e[1] * wx, r = e[2] * left_weight, s = e[3] * wx;
    float above = p + q, below = r + s, top_weight = 1.0f - wy;
    above = above * top_weight;
    below = below * wy;
    return (double)(above + below);
}

GF_REFERENCE(clahe)
{
    struct clahe gf_cleanup(clahe_deinit) c = {.in = in};
    const struct gf_clahe_params p = gf_clahe_params_get(params);
    (void)op;
    enum gf_status status = lay_out(&c, &p, err);
    for (uint32_t channel = 0; channel < in->view.channels && status == GF_OK; channel++) {
        bool copied = gf_reference_is_alpha(in->view.channels, channel) && p.alpha != GF_ALPHA_STRAIGHT;
        status = copied ? GF_OK : make_tile_tables(&c, channel, err);
        for (int64_t y = 0; y < (int64_t)in->view.height && status == GF_OK; y++)
            for (int64_t x = 0; x < (int64_t)in->view.width; x++)
                gf_reference_write(out, y, x, channel,
                                   copied ? gf_reference_read(in, y, x, channel) : (float)mixed(&c, y, x, channel));
    }
    return status;
}
