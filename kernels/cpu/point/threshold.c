/* SPDX-License-Identifier: MIT */
/*
 * The threshold on the CPU: a given value, or Otsu's method on the histogram of the brightness or of each colour.
 * Called through the op's row.
 */
#include "protocol/ops/params/threshold.h"
#include "intensity.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/tables.h"

/* The split with the greatest score, the first one if several have it; n if all samples are in one bin. */
static uint32_t otsu(const uint64_t *counts, uint32_t n)
{
    uint64_t samples = 0, sum = 0, w0 = 0, s0 = 0;
    uint32_t best = n;
    double best_score = 0;
    for (uint32_t t = 0; t < n; t++) {
        samples += counts[t];
        sum += counts[t] * t;
    }
    for (uint32_t t = 0; t < n; t++) {
        w0 += counts[t];
        s0 += counts[t] * t;
        if (w0 == 0 || w0 == samples)
            continue;
        double score = gf_otsu_score(w0, s0, samples, sum);
        if (best == n || score > best_score) {
            best = t;
            best_score = score;
        }
    }
    return best;
}

static enum gf_status make_bins(const struct gf_cpu_call *call, const struct gf_cpu_planes *source,
                                struct gf_bins *ret_bins, struct gf_error *err)
{
    uint32_t dtype = source->buf->view.dtype, levels = dtype == GF_U8 ? 256 : 65536;
    double first = (double)gf_sample_min(dtype);
    struct gf_cpu_extremes extremes[GF_MAX_CHANNELS];
    if (dtype == GF_F32) {
        enum gf_status status = gf_cpu_find_extremes(call, source, true, extremes, err);
        if (status != GF_OK)
            return status;
    }
    for (uint32_t c = 0; c < source->planes && c < GF_MAX_CHANNELS; c++) {
        if (dtype != GF_F32)
            ret_bins[c] = gf_bins_make(first, first + levels, levels, false, false);
        else
            ret_bins[c] = gf_bins_make(extremes[c].lo, extremes[c].hi,
                                       gf_threshold_params_get(&call->step->params).bins, true, true);
    }
    return GF_OK;
}

static enum gf_status find_limits(const struct gf_cpu_call *call, struct gf_cpu_limits *limits, struct gf_error *err)
{
    const bool luma = call->out[0].view.channels != call->in[0].view.channels;
    const struct gf_cpu_planes source = {&call->in[0], limits->n, luma};
    struct gf_bins bins[GF_MAX_CHANNELS];
    enum gf_status status = make_bins(call, &source, bins, err);
    if (status != GF_OK)
        return status;
    uint32_t n = bins[0].bins;
    size_t slots = (size_t)n + GF_BINS_EXTRA;
    uint64_t *gf_cleanup(gf_freep) counts = calloc(slots * source.planes, sizeof(*counts));
    if (counts == NULL)
        return gf_error_no_memory(err, call->step->op->name, slots * source.planes * sizeof(*counts));
    status = gf_cpu_count(call, &source, bins, counts, err);
    for (uint32_t c = 0; c < source.planes && status == GF_OK; c++) {
        uint32_t t = otsu(counts + c * slots, n);
        limits->limit[c] = t == n ? NAN : (float)gf_bins_edge(&bins[c], t + 1);
    }
    return status;
}

enum gf_status gf_cpu_threshold(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_threshold_params p = gf_threshold_params_get(&call->step->params);
    struct gf_cpu_limits limits = {.n = gf_computed_channels(p.alpha, call->out[0].view.channels)};
    for (uint32_t c = 0; c < limits.n; c++)
        limits.limit[c] = nextafterf(p.value.v[0], INFINITY);
    enum gf_status status = p.value.n == 0 ? find_limits(call, &limits, err) : GF_OK;
    return status == GF_OK ? gf_cpu_intensity_by_limit(call, &limits, err) : status;
}
