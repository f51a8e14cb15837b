/* SPDX-License-Identifier: MIT */
/*
 * Equalization on the CPU: counts the values, makes a table per colour, maps by the tables. Called through the op's
 * row.
 */
#include "protocol/ops/params/equalize.h"
#include "intensity.h"
#include "kernels/shared/filter.h"
#include "kernels/shared/tables.h"

enum gf_status gf_cpu_equalize(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    uint32_t max = (uint32_t)gf_sample_max(view->dtype), levels = view->dtype == GF_U8 ? 256 : 65536;
    uint32_t sign = view->dtype == GF_I16 ? 0x8000 : 0; /* converts the rank of a sample to its bits */
    double first = (double)gf_sample_min(view->dtype);
    struct gf_cpu_planes source = {
        &call->in[0], gf_computed_channels(gf_equalize_params_get(&call->step->params).alpha, view->channels), false};
    size_t slots = levels + GF_BINS_EXTRA;
    uint64_t *gf_cleanup(gf_freep) counts = calloc(slots * source.planes, sizeof(*counts));
    uint16_t *gf_cleanup(gf_freep) workspace = malloc((size_t)levels * source.planes * sizeof(*workspace));
    uint16_t *tables[GF_MAX_CHANNELS] = {0};
    struct gf_bins bins[GF_MAX_CHANNELS];
    if (counts == NULL || workspace == NULL)
        return gf_error_no_memory(err, call->step->op->name,
                                  source.planes * (slots * sizeof(*counts) + levels * sizeof(*workspace)));
    for (uint32_t c = 0; c < source.planes; c++)
        bins[c] = gf_bins_make(first, first + levels, levels, false, false);
    enum gf_status status = gf_cpu_count(call, &source, bins, counts, err);
    if (status != GF_OK)
        return status;
    for (uint32_t c = 0; c < source.planes; c++) {
        const uint64_t *own = counts + c * slots;
        uint64_t cdf = 0, cmin = 0;
        tables[c] = workspace + (size_t)c * levels;
        for (uint32_t v = 0; v < levels; v++) {
            cdf += own[v];
            cmin = cmin == 0 ? cdf : cmin;
            tables[c][v ^ sign] = (uint16_t)gf_equalize_entry(v ^ sign, cdf, cmin, view->width * view->height, max);
        }
    }
    return gf_cpu_intensity_by_table(call, tables, err);
}
