/* SPDX-License-Identifier: MIT */
/* The family histogram: histogram and histogram2d. */
#include <math.h>
#include <string.h>

#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_histogram.h"
#include "protocol/ops/params/histogram.h"
#include "protocol/ops/params/histogram2d.h"
#include "reference_bins.h"
#include "reference_ops.h"

/* histogram, docs/numerics.md, "histogram". */

static void put(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, const void *value)
{
    memcpy((char *)buf->data + y * buf->view.pitch + x * 8, value, 8);
}

static struct gf_reference_value sample(const struct gf_histogram_params *p, const struct gf_reference_buf *in,
                                        uint64_t y, uint64_t x, uint32_t plane)
{
    return p->channels == GF_CHANNELS_LUMA ? gf_reference_luma_at(in, y, x) : gf_reference_value_at(in, y, x, plane);
}

static struct gf_reference_range find_range(const struct gf_histogram_params *p, const struct gf_reference_buf *in,
                                            uint32_t planes)
{
    struct gf_reference_range range = {0};
    if (gf_histogram_range(p, in->view.dtype) == GF_HIST_RANGE_AUTO)
        return (struct gf_reference_range){true, 0.0, in->view.dtype == GF_U8 ? 256.0 : 65536.0};
    if (gf_histogram_range(p, in->view.dtype) == GF_HIST_RANGE_GIVEN)
        return (struct gf_reference_range){true, p->lo, p->hi};
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            for (uint32_t c = 0; c < planes; c++)
                gf_reference_range_add(&range, sample(p, in, y, x, c));
    return range;
}

static enum gf_status make_edges(const struct gf_histogram_params *p, const struct gf_reference_buf *in, uint32_t n,
                                 struct gf_reference_edges *ret, struct gf_error *err)
{
    struct gf_reference_range range = find_range(p, in, gf_histogram_planes(p, in->view.channels));
    bool closed = p->last_closed != 0 || gf_histogram_range(p, in->view.dtype) == GF_HIST_RANGE_DATA;
    return gf_reference_edges_init(range.lo, range.hi, n, closed, in->view.dtype, ret, err);
}

static enum gf_status given_edges(const struct gf_reference_buf *list, bool closed, struct gf_reference_edges *ret,
                                  struct gf_error *err)
{
    uint32_t n = (uint32_t)list->view.width - 1;
    double *e = malloc(((size_t)n + 1) * sizeof(*e));
    if (e == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the edges of %u bins", n);
    *ret = (struct gf_reference_edges){n, closed, e}; /* freed by the caller, whatever comes */
    for (uint32_t k = 0; k <= n; k++) {
        struct gf_reference_value v = gf_reference_value_at(list, 0, k, 0);
        e[k] = v.is_float ? v.f : (double)v.i;
        if (isnan(e[k]) || (k > 0 && e[k] < e[k - 1]))
            return gf_error_set(err, GF_E_BAD_PARAM, "edge %u is NaN or below the one before it", k);
    }
    return GF_OK;
}

/* One row of counts, as they are, summed up, or as densities. */
static void store_counts(const struct gf_histogram_params *p, const struct gf_reference_edges *edges,
                         const uint64_t *counts, uint32_t row, const struct gf_reference_buf *out)
{
    uint64_t total = 0, sum = 0;
    for (uint32_t k = 0; k < edges->n; k++)
        total += counts[k];
    for (uint32_t k = 0; k < edges->n; k++) {
        sum = p->cumulative != 0 ? sum + counts[k] : counts[k];
        double width = p->cumulative != 0 ? 1.0 : edges->e[k + 1] - edges->e[k];
        double density = (double)sum / ((double)total * width);
        if (isnan(density))
            density = (double)NAN;
        put(out, row, k, p->density != 0 ? (const void *)&density : (const void *)&sum);
    }
}

GF_REFERENCE(histogram)
{
    const struct gf_histogram_params p = gf_histogram_params_get(params);
    uint32_t planes = gf_histogram_planes(&p, in->view.channels), n = (uint32_t)out[2].view.width - 1;
    struct gf_reference_edges gf_cleanup(gf_reference_edges_deinit) edges = {0};
    (void)op;
    enum gf_status status =
        in[1].data != NULL ? given_edges(&in[1], p.last_closed != 0, &edges, err) : make_edges(&p, in, n, &edges, err);
    if (status != GF_OK)
        return status;
    uint64_t *gf_cleanup(gf_freep) counts = malloc(((size_t)n + 3) * sizeof(*counts));
    if (counts == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %u bins", n);
    for (uint32_t c = 0; c < planes; c++) {
        memset(counts, 0, ((size_t)n + 3) * sizeof(*counts));
        for (uint64_t y = 0; y < in->view.height; y++)
            for (uint64_t x = 0; x < in->view.width; x++)
                counts[gf_reference_bin(&edges, sample(&p, in, y, x, c))]++;
        store_counts(&p, &edges, counts, c, &out[0]);
        for (uint32_t k = 0; k < 3; k++)
            put(&out[1], c, k, &counts[n + k]);
    }
    for (uint32_t k = 0; k <= n; k++)
        put(&out[2], 0, k, &edges.e[k]);
    return GF_OK;
}

/* histogram2d, docs/numerics.md, "histogram2d". */

/* One side of the pairs. */
struct side {
    const struct gf_reference_buf *buf;
    struct gf_pair_axis axis;
    struct gf_reference_edges edges;
};

static void sides_deinit(struct side (*sides)[2])
{
    for (uint32_t k = 0; k < 2; k++)
        gf_reference_edges_deinit(&(*sides)[k].edges);
}

static enum gf_status side_init(const struct gf_histogram2d_params *p, const struct gf_reference_buf *in, uint32_t k,
                                struct side *ret, struct gf_error *err)
{
    struct gf_view views[2] = {in[0].view};
    if (in[1].data != NULL)
        views[1] = in[1].view;
    ret->axis = gf_histogram2d_axis(p, views, k);
    ret->buf = &in[ret->axis.input];
    struct gf_reference_range range = {true, ret->axis.lo, ret->axis.hi};
    bool of_data = ret->axis.range == GF_HIST_RANGE_DATA;
    if (of_data)
        range = (struct gf_reference_range){0};
    for (uint64_t y = 0; of_data && y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            gf_reference_range_add(&range, gf_reference_value_at(ret->buf, y, x, ret->axis.channel));
    return gf_reference_edges_init(range.lo, range.hi, ret->axis.bins, p->last_closed != 0 || of_data,
                                   ret->buf->view.dtype, &ret->edges, err);
}

static void add(const struct gf_reference_buf *out, uint64_t y, uint64_t x)
{
    uint64_t n;
    memcpy(&n, (const char *)out->data + y * out->view.pitch + x * 8, 8);
    n++;
    put(out, y, x, &n);
}

GF_REFERENCE(histogram2d)
{
    const struct gf_histogram2d_params p = gf_histogram2d_params_get(params);
    struct side gf_cleanup(sides_deinit) sides[2] = {{0}};
    (void)op;
    for (uint32_t k = 0; k < 2; k++) {
        enum gf_status status = side_init(&p, in, k, &sides[k], err);
        if (status != GF_OK)
            return status;
        for (uint32_t i = 0; i <= sides[k].edges.n; i++)
            put(&out[2 + k], 0, i, &sides[k].edges.e[i]);
    }
    for (uint64_t y = 0; y < out[0].view.height; y++)
        memset((char *)out[0].data + y * out[0].view.pitch, 0, out[0].view.width * 8);
    memset(out[1].data, 0, 16);
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++) {
            uint32_t bin[2], n[2] = {sides[0].edges.n, sides[1].edges.n};
            for (uint32_t k = 0; k < 2; k++)
                bin[k] =
                    gf_reference_bin(&sides[k].edges, gf_reference_value_at(sides[k].buf, y, x, sides[k].axis.channel));
            if (bin[0] < n[0] && bin[1] < n[1])
                add(&out[0], bin[0], bin[1]);
            else
                add(&out[1], 0, bin[0] == n[0] + 2 || bin[1] == n[1] + 2 ? 1 : 0);
        }
    return GF_OK;
}
