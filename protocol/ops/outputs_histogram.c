/* SPDX-License-Identifier: MIT */
/* Output shapes of histogram, and the range and number of its bins. Called by op_shapes.c and the backends. */
#include "outputs_histogram.h"

#include "enums.h"
#include "op_outputs.h"

uint32_t gf_histogram_bins(const struct gf_histogram_params *p, const struct gf_view *in)
{
    if (gf_view_given(&in[1]))
        return (uint32_t)in[1].width - 1;
    if (p->bins != 0)
        return p->bins;
    return in[0].dtype == GF_U8 ? 256 : in[0].dtype == GF_U16 ? 65536 : 0;
}

uint32_t gf_histogram_range(const struct gf_histogram_params *p, uint32_t dtype)
{
    if (p->range != GF_HIST_RANGE_AUTO)
        return p->range;
    if (p->lo != 0.0 || p->hi != 0.0)
        return GF_HIST_RANGE_GIVEN;
    return dtype == GF_U8 || dtype == GF_U16 ? GF_HIST_RANGE_AUTO : GF_HIST_RANGE_DATA;
}

uint32_t gf_histogram_planes(const struct gf_histogram_params *p, uint32_t channels)
{
    if (p->channels == GF_CHANNELS_LUMA)
        return 1;
    return p->channels == GF_CHANNELS_COLOUR && channels % 2 == 0 ? channels - 1 : channels;
}

enum gf_status gf_outputs_histogram(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                    struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_histogram_params *p = &params->histogram;
    uint32_t bins = gf_histogram_bins(p, in), planes = gf_histogram_planes(p, in->channels);
    (void)op, (void)err;
    ret_out[0] = gf_view_tight(p->density != 0 ? GF_F64 : GF_U64, bins, planes, 1);
    ret_out[1] = gf_view_tight(GF_U64, 3, planes, 1);
    ret_out[2] = gf_view_tight(GF_F64, (uint64_t)bins + 1, 1, 1);
    return GF_OK;
}
