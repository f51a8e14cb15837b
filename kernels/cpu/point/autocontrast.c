/* SPDX-License-Identifier: MIT */
/*
 * Autocontrast on the CPU: finds the range of each colour, then maps by a table or a linear ramp. Called through the
 * op's row.
 */
#include "protocol/ops/params/autocontrast.h"
#include "intensity.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/tables.h"
#include "protocol/ops/enums.h"

static enum gf_status by_table(const struct gf_cpu_call *call, const struct gf_cpu_extremes *extremes, uint32_t planes,
                               struct gf_error *err)
{
    uint32_t dtype = call->in[0].view.dtype, max = (uint32_t)gf_sample_max(dtype);
    size_t levels = dtype == GF_U8 ? 256 : 65536;
    uint16_t *tables[GF_MAX_CHANNELS] = {0};
    /* A client may change samples while they are read, so the table has an entry for every value, not only for
     * lo..hi. */
    uint16_t *gf_cleanup(gf_freep) workspace = calloc(levels * planes, sizeof(*workspace));
    if (workspace == NULL)
        return gf_error_no_memory(err, call->step->op->name, levels * planes * sizeof(*workspace));
    for (uint32_t c = 0; c < planes; c++) {
        int32_t lo = (int32_t)extremes[c].lo, hi = (int32_t)extremes[c].hi;
        if (lo == hi)
            continue;
        tables[c] = workspace + c * levels;
        for (int32_t v = lo; v <= hi; v++)
            tables[c][(uint16_t)v] = (uint16_t)gf_contrast_entry((uint32_t)(v - lo), (uint32_t)(hi - lo), max);
    }
    return gf_cpu_intensity_by_table(call, tables, err);
}

enum gf_status gf_cpu_autocontrast(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_autocontrast_params p = gf_autocontrast_params_get(&call->step->params);
    const struct gf_view *view = &call->in[0].view;
    struct gf_cpu_planes source = {&call->in[0], gf_computed_channels(p.alpha, view->channels), false};
    struct gf_cpu_extremes extremes[GF_MAX_CHANNELS];
    enum gf_status status = gf_cpu_find_extremes(call, &source, false, extremes, err);
    if (status != GF_OK)
        return status;
    if (view->dtype != GF_F32)
        return by_table(call, extremes, source.planes, err);
    struct gf_cpu_ramps ramps = {0};
    for (uint32_t c = 0; c < source.planes; c++) {
        float lo = (float)extremes[c].lo, hi = (float)extremes[c].hi;
        bool lost = extremes[c].nan && p.nan == GF_NAN_PROPAGATE;
        ramps.change[c] = lost || (extremes[c].any && lo != hi);
        ramps.lo[c] = lost ? NAN : lo;
        ramps.slope[c] = gf_contrast_slope(lo, hi);
    }
    return gf_cpu_intensity_by_ramp(call, &ramps, err);
}
