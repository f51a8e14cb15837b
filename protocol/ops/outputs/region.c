/* SPDX-License-Identifier: MIT */
/* Outputs and checks of label, distance, canny and match, docs/numerics.md, "Regions" and "match". Called by
 * gf_op_infer. */
#include <inttypes.h>

#include "protocol/base/base.h"
#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_outputs.h"
#include "protocol/ops/params/canny.h"
#include "protocol/ops/params/distance.h"
#include "protocol/ops/params/label.h"
#include "protocol/ops/params/match.h"

/* Connected parts are defined in one plane. */
static enum gf_status check_plane(const struct gf_op *op, const struct gf_view *in, struct gf_error *err)
{
    if (in->channels == 1)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_VIEW,
                        "%s: src has %" PRIu32 " channels; allowed: 1; gray, threshold or copy channel=1 makes one",
                        op->name, in->channels);
}

/* The most parts that a picture can have: every other pixel, or one of every four. */
static uint64_t most_parts(const struct gf_view *in, uint32_t connectivity)
{
    if (connectivity == GF_CONNECTIVITY_EIGHT)
        return (in->width + 1) / 2 * ((in->height + 1) / 2);
    return (in->width * in->height + 1) / 2;
}

enum gf_status gf_outputs_label(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_label_params p = gf_label_params_get(params);
    uint64_t most = most_parts(in, p.connectivity);
    uint64_t capacity = p.capacity == 0 || p.capacity > most ? most : p.capacity;
    enum gf_status status = check_plane(op, in, err);
    if (status != GF_OK)
        return status;
    ret_out[0] = gf_view_tight(GF_U32, in->width, in->height, 1);
    ret_out[1] = gf_view_tight(GF_U32, capacity, 1, 1);
    ret_out[2] = gf_view_tight(GF_U32, capacity, 1, 4);
    ret_out[3] = gf_view_tight(GF_U64, 1, 1, 1);
    return GF_OK;
}

/* The greatest u32 means no distance, so squares must be less. */
enum gf_status gf_outputs_distance(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                   struct gf_view *ret_out, struct gf_error *err)
{
    uint64_t x = in->width - 1, y = in->height - 1, most = x * x + y * y;
    bool squared = gf_distance_params_get(params).squared != 0;
    enum gf_status status = check_plane(op, in, err);
    if (status != GF_OK)
        return status;
    if (squared && most >= UINT32_MAX)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%s: squares of distances in a picture of %" PRIu64 "x%" PRIu64 " go up to %" PRIu64
                            "; allowed: below %" PRIu32 "; leave squared out",
                            op->name, in->width, in->height, most, UINT32_MAX);
    *ret_out = gf_view_tight(squared ? GF_U32 : GF_F32, in->width, in->height, 1);
    return GF_OK;
}

enum gf_status gf_outputs_canny(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_view *ret_out, struct gf_error *err)
{
    const struct gf_canny_params p = gf_canny_params_get(params);
    char low[GF_NUMBER_TEXT], high[GF_NUMBER_TEXT];
    if (!(p.low <= p.high))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: low=%s is above high=%s", op->name,
                            gf_text_from_f64(p.low, low, sizeof low), gf_text_from_f64(p.high, high, sizeof high));
    *ret_out = gf_view_tight(GF_U8, in->width, in->height, 1);
    return GF_OK;
}

/* Numerators of scores are at most 65025 w h w h C, which must be below 2^63. */
#define MOST_SAMPLES (UINT64_C(1) << 23)

static enum gf_status check_template(const struct gf_op *op, const struct gf_view *src, const struct gf_view *templ,
                                     struct gf_error *err)
{
    if (templ->channels != src->channels)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: templ has %" PRIu32 " channels and src %" PRIu32 "; both must have the same number",
                            op->name, templ->channels, src->channels);
    if (templ->width > src->width || templ->height > src->height)
        return gf_error_set(err, GF_E_BAD_VIEW,
                            "%s: templ is %" PRIu64 "x%" PRIu64 ", larger than src with %" PRIu64 "x%" PRIu64
                            "; it must fit inside",
                            op->name, templ->width, templ->height, src->width, src->height);
    if (gf_view_samples(templ) > MOST_SAMPLES)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: templ has %" PRIu64 " samples; allowed: up to %" PRIu64, op->name,
                            gf_view_samples(templ), MOST_SAMPLES);
    return GF_OK;
}

enum gf_status gf_outputs_match(const struct gf_op *op, const struct gf_view *in, const union gf_params *params,
                                struct gf_view *ret_out, struct gf_error *err)
{
    enum gf_status status = check_template(op, &in[0], &in[1], err);
    if (status != GF_OK)
        return status;
    ret_out[0] = gf_view_tight(GF_F32, in[0].width - in[1].width + 1, in[0].height - in[1].height + 1, 1);
    ret_out[1] = gf_view_tight(GF_F64, gf_match_params_get(params).peaks, 1, 3);
    ret_out[2] = gf_view_tight(GF_U64, 1, 1, 1);
    return GF_OK;
}
