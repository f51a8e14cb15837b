/* SPDX-License-Identifier: MIT */
/* threshold, docs/numerics.md, "equalize, threshold, autocontrast". */
#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/params/threshold.h"
#include "reference_bins.h"
#include "reference_image.h"
#include "reference_intensity.h"
#include "reference_ops.h"

struct limits {
    double high;
    bool reached[GF_MAX_CHANNELS]; /* v >= limit counts, not only v > limit */
    double limit[GF_MAX_CHANNELS]; /* NaN: nothing is above */
};

static double tone(const void *context, uint32_t c, double v)
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
    enum gf_status status = gf_reference_intensity_counts(in, c, &counts, err);
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

static void put(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c, struct gf_reference_value v)
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
            put(out, y, x, 0, gf_reference_luma_at(in, y, x));
            if (in->view.channels == 4)
                put(out, y, x, 1, gf_reference_value_at(in, y, x, 3));
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
    gf_reference_intensity(in, out, p.alpha, tone, &l);
    return GF_OK;
}
