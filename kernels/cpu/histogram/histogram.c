/* SPDX-License-Identifier: MIT */
/*
 * The histogram on the CPU: chooses the bins, counts, and converts the counts to results. Called through the op's row.
 */
#include "kernels/shared/histogram.h"
#include "count.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/outputs_histogram.h"
#include "protocol/ops/params/histogram.h"

static enum gf_status make_bins(const struct gf_cpu_call *call, const struct gf_cpu_planes *source, const double *edges,
                                struct gf_bins *ret_bins, struct gf_error *err)
{
    uint32_t n = (uint32_t)call->out[2].view.width - 1;
    const struct gf_histogram_params p = gf_histogram_params_get(&call->step->params);
    uint32_t dtype = source->buf->view.dtype;
    double lo = p.lo, hi = p.hi;
    uint32_t range = edges != NULL ? GF_HIST_RANGE_GIVEN : gf_histogram_range(&p, dtype);
    if (range == GF_HIST_RANGE_AUTO)
        hi = dtype == GF_U8 ? 256.0 : 65536.0;
    if (range == GF_HIST_RANGE_DATA) {
        struct gf_cpu_extremes extremes[GF_MAX_CHANNELS], *all = &extremes[0];
        enum gf_status status = gf_cpu_find_extremes(call, source, true, extremes, err);
        if (status != GF_OK)
            return status;
        for (uint32_t c = 1; c < source->planes; c++) {
            if (!extremes[c].any)
                continue;
            all->lo = !all->any || extremes[c].lo < all->lo ? extremes[c].lo : all->lo;
            all->hi = !all->any || extremes[c].hi > all->hi ? extremes[c].hi : all->hi;
            all->any = true;
        }
        lo = all->any ? all->lo : 0.0;
        hi = all->any ? all->hi : 0.0;
    }
    bool closed = p.last_closed != 0 || range == GF_HIST_RANGE_DATA;
    struct gf_bins bins = edges != NULL ? gf_bins_of_list(edges, edges[0], edges[n], n, closed)
                                        : gf_bins_make(lo, hi, n, dtype == GF_F32, closed);
    for (uint32_t c = 0; c < source->planes; c++)
        ret_bins[c] = bins;
    return GF_OK;
}

static void *row_of(const struct gf_buf *buf, uint64_t y)
{
    return (char *)buf->data + y * buf->view.pitch;
}

static void store_shares(const struct gf_histogram_params *p, const struct gf_bins *bins, const uint64_t *counts,
                         uint64_t pixels, double *out)
{
    const uint64_t *extra = counts + bins->bins;
    double total = (double)(pixels - extra[0] - extra[1] - extra[2]);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < bins->bins; k++) {
        sum = p->cumulative != 0 ? sum + counts[k] : counts[k];
        double width = p->cumulative != 0 ? 1.0 : gf_bins_edge(bins, k + 1) - gf_bins_edge(bins, k);
        double share = (double)sum / (total * width);
        out[k] = share != share ? (double)NAN : share;
    }
}

static void store_counts(const struct gf_histogram_params *p, uint32_t bins, const uint64_t *counts, uint64_t *out)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < bins; k++) {
        sum = p->cumulative != 0 ? sum + counts[k] : counts[k];
        out[k] = sum;
    }
}

enum gf_status gf_cpu_histogram(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_histogram_params p = gf_histogram_params_get(&call->step->params);
    const struct gf_view *view = &call->in[0].view;
    struct gf_cpu_planes source = {&call->in[0], gf_histogram_planes(&p, view->channels),
                                   p.channels == GF_CHANNELS_LUMA};
    struct gf_bins bins[GF_MAX_CHANNELS];
    double *gf_cleanup(gf_freep) given = NULL;
    enum gf_status status = call->in[1].data != NULL ? gf_histogram_edges(&call->in[1], &given, err) : GF_OK;
    if (status == GF_OK)
        status = make_bins(call, &source, given, bins, err);
    if (status != GF_OK)
        return status;
    size_t slots = (size_t)bins[0].bins + GF_BINS_EXTRA;
    uint64_t *gf_cleanup(gf_freep) counts = calloc(slots * source.planes, sizeof(*counts));
    if (counts == NULL)
        return gf_error_no_memory(err, call->step->op->name, slots * source.planes * sizeof(*counts));
    status = gf_cpu_count(call, &source, bins, counts, err);
    if (status != GF_OK)
        return status;
    for (uint32_t c = 0; c < source.planes; c++) {
        const uint64_t *own = counts + c * slots;
        if (p.density != 0)
            store_shares(&p, &bins[0], own, view->width * view->height, row_of(&call->out[0], c));
        else
            store_counts(&p, bins[0].bins, own, row_of(&call->out[0], c));
        memcpy(row_of(&call->out[1], c), own + bins[0].bins, GF_BINS_EXTRA * sizeof(*own));
    }
    double *edges = row_of(&call->out[2], 0);
    for (uint32_t k = 0; k <= bins[0].bins; k++)
        edges[k] = gf_bins_edge(&bins[0], k);
    return GF_OK;
}
