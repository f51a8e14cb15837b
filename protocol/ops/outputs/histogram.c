/* SPDX-License-Identifier: MIT */
/* Output shapes of histogram and histogram2d, and the range and number of their bins. Called by op_shapes.c and the
 * backends. */
#include "protocol/ops/outputs_histogram.h"

#include <inttypes.h>

#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/histogram.h"
#include "protocol/ops/params/histogram2d.h"

#define MAX_PAIR_BINS 16777216u /* in total, as many as histogram has */

uint32_t gf_histogram_bins(const struct gf_histogram_params *p, const struct gf_view *in)
{
    if (gf_view_given(&in[1]))
        return (uint32_t)in[1].width - 1;
    if (p->bins != 0)
        return p->bins;
    return in[0].dtype == GF_U8 ? 256 : in[0].dtype == GF_U16 ? 65536 : 0;
}

static uint32_t range_of(uint32_t range, double lo, double hi, uint32_t dtype)
{
    if (range != GF_HIST_RANGE_AUTO)
        return range;
    if (lo != 0.0 || hi != 0.0)
        return GF_HIST_RANGE_GIVEN;
    return dtype == GF_U8 || dtype == GF_U16 ? GF_HIST_RANGE_AUTO : GF_HIST_RANGE_DATA;
}

uint32_t gf_histogram_range(const struct gf_histogram_params *p, uint32_t dtype)
{
    return range_of(p->range, p->lo, p->hi, dtype);
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
    const struct gf_histogram_params p = gf_histogram_params_get(params);
    uint32_t bins = gf_histogram_bins(&p, in), planes = gf_histogram_planes(&p, in->channels);
    (void)op, (void)err;
    ret_out[0] = gf_view_tight(p.density != 0 ? GF_F64 : GF_U64, bins, planes, 1);
    ret_out[1] = gf_view_tight(GF_U64, 3, planes, 1);
    ret_out[2] = gf_view_tight(GF_F64, (uint64_t)bins + 1, 1, 1);
    return GF_OK;
}

struct gf_pair_axis gf_histogram2d_axis(const struct gf_histogram2d_params *p, const struct gf_view *in, uint32_t axis)
{
    bool two = gf_view_given(&in[1]);
    uint32_t dtype = in[two ? axis : 0].dtype, all = dtype == GF_U8 ? 256 : dtype == GF_U16 ? 65536 : 0;
    struct gf_pair_axis a = {.input = two ? axis : 0,
                             .channel = p->channels.n == 0 ? (two ? 0 : axis) : GF_PICK(p->channels, axis) - 1,
                             .bins = GF_PICK(p->bins, axis),
                             .lo = GF_PICK(p->lo, axis),
                             .hi = GF_PICK(p->hi, axis)};
    a.range = range_of(p->range, a.lo, a.hi, dtype);
    a.hi = a.range == GF_HIST_RANGE_AUTO ? all : a.hi;
    a.bins = a.bins == 0 ? all : a.bins;
    return a;
}

static enum gf_status check_pair_axis(const struct gf_op *op, const struct gf_view *in, uint32_t axis,
                                      const struct gf_pair_axis *a, struct gf_error *err)
{
    static const char *const sides[] = {"first", "second"};
    const struct gf_view *v = &in[a->input];
    char lo[GF_NUMBER_TEXT], hi[GF_NUMBER_TEXT];
    if (a->channel >= v->channels && axis == 1 && v->channels == 1 && a->input == 0)
        return gf_error_set(
            err, GF_E_BAD_VIEW,
            "%s: %s has 1 channel, but pairs need two; give a second picture, or one with more channels", op->name,
            op->inputs[0].name);
    if (a->channel >= v->channels)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: channels: the %s is %" PRIu32 ", but %s has %" PRIu32, op->name,
                            sides[axis], a->channel + 1, op->inputs[a->input].name, v->channels);
    if (a->bins == 0)
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s: bins=0 counts every value of u8 or u16; for %s (the %s) give a number, such as bins=64", op->name,
            gf_dtype_word(v->dtype), sides[axis]);
    if (a->range == GF_HIST_RANGE_GIVEN && !(a->lo < a->hi))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: lo=%s is not below hi=%s for the %s", op->name,
                            gf_text_from_f64(a->lo, lo, sizeof lo), gf_text_from_f64(a->hi, hi, sizeof hi),
                            sides[axis]);
    return GF_OK;
}

enum gf_status gf_outputs_histogram2d(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                      struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_histogram2d_params p = gf_histogram2d_params_get(params);
    struct gf_pair_axis axes[2];
    if (gf_view_given(&in[1]) && (in[1].width != in[0].width || in[1].height != in[0].height))
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: %s is %" PRIu64 "x%" PRIu64 " and %s is %" PRIu64 "x%" PRIu64
                            "; both must have the same size, because pairs are pixels at the same place",
                            op->name, op->inputs[0].name, in[0].width, in[0].height, op->inputs[1].name, in[1].width,
                            in[1].height);
    for (uint32_t axis = 0; axis < 2; axis++) {
        axes[axis] = gf_histogram2d_axis(&p, in, axis);
        enum gf_status status = check_pair_axis(op, in, axis, &axes[axis], err);
        if (status != GF_OK)
            return status;
    }
    if ((uint64_t)axes[0].bins * axes[1].bins > MAX_PAIR_BINS)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%s: %" PRIu32 " x %" PRIu32 " bins; allowed: up to %u in total, such as bins=256",
                            op->name, axes[0].bins, axes[1].bins, MAX_PAIR_BINS);
    ret_out[0] = gf_view_tight(GF_U64, axes[1].bins, axes[0].bins, 1);
    ret_out[1] = gf_view_tight(GF_U64, 2, 1, 1);
    ret_out[2] = gf_view_tight(GF_F64, (uint64_t)axes[0].bins + 1, 1, 1);
    ret_out[3] = gf_view_tight(GF_F64, (uint64_t)axes[1].bins + 1, 1, 1);
    return GF_OK;
}
